"""Each bench must be seen to fail: faults that no mutant of a netlist is, in every part of hdl/."""

import re
from pathlib import Path

import pytest

from fingerpost.hdl.deflection.node import node_parameters
from fingerpost.testbench.benches import make
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.cosim import run
from fingerpost.testbench.write import write
from mutation.injected import INJECTED
from tests.networks import deflection, only
from tests.testbench.faults.plant import FAULTS, PACKAGE, Fault, catch

SHORT = [fault for fault in FAULTS if fault.name == "wrong-entry-constant"]
"""`make test` plants these, `make regress` all."""

SEEN = {
    "unit": r"node \d+, arrival \d, header 0x[0-9a-f]+(, selection 0x[0-9a-f]+)?: expected ",
    "path": r"from \d+ to \d+: ends at \d+ after \d+ hops$",
    "router": r"(after \d resets, )?cycle \d+, node 3, .+: expected \w+ 0x\w+, seen 0x\w+$",
    "network": r"cycle \d+, node \d+, .+: expected \w+ 0x\w+, seen 0x\w+$",
    "os_link": "cycle ",
}
"""What a bench says: of a flit where and when, of a whole run what is missing."""


def harmless(level: str) -> Fault:
    """Replace a text by itself: the way of every fault, without one."""
    return Fault("none", "router/router.py", "class Router(", "class Router(", level, "")


@pytest.mark.parametrize("fault", only(SHORT, FAULTS), ids=lambda fault: fault.name)
def test_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    result = catch(fault, tmp_path)
    assert result.mismatches > 0
    assert re.match(SEEN.get(fault.level, "."), result.message), result.message


@pytest.mark.regress
@pytest.mark.parametrize(
    "level",
    # The other benches are also run on sources that are no copy.
    ["unit", "path", "router", "network"],
)
def test_bench_is_content_without_a_fault(level: str, tmp_path: Path) -> None:
    result = catch(harmless(level), tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    assert result.count >= 150
    assert result.waveform is None


def test_text_of_a_fault_stands_once() -> None:
    for fault in (*FAULTS, *INJECTED):
        assert (PACKAGE / "hdl" / fault.file).read_text().count(fault.old) == 1, fault.name
        assert fault.old != fault.new, fault.name
        assert fault.description.endswith("."), fault.name


ENGINES = {"cocotb": "icarus", "compiled": "verilator"}


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("several", [1, pytest.param(1 << 20, marks=pytest.mark.regress)])
def test_a_wrong_decision_is_found(
    several: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table of one node has another port for one destination; all engines say the same."""
    monkeypatch.setattr(building, "SEVERAL", several)
    network, messages = deflection("kautz"), set()
    for engine, simulator in ENGINES.items():
        bench = make(network, "unit", engine=engine, contended=1)
        files = write(bench, tmp_path / engine)
        (top,) = (file for file in files if file.name == "network.v")
        text = top.read_text()
        right = node_parameters(network, 3)
        wrong = right[:-3] + f"{int(right[-3], 16) ^ 1:x}" + right[-2:]
        assert text.count(right) == 1
        top.write_text(text.replace(right, wrong))
        result = run(bench, simulator=simulator, directory=tmp_path, sources=files)
        assert result.mismatches == 1
        messages.add((result.message, result.count))
    ((message, _),) = messages
    assert re.fullmatch(r"cycle \d+, node 3, port \d: expected \w+ 0x\w+, seen 0x\w+", message)
