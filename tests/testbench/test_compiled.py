"""Networks in lock-step with their nodes compiled: as strong as in cocotb, and exact."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.measure.soak import Soak, SoakError
from fingerpost.golden.network.network import build
from fingerpost.hdl.emit.network import network_name, top
from fingerpost.testbench import cosim
from fingerpost.testbench.benches import choose, make
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.compiled.lock_step import HardwareBeside
from fingerpost.testbench.cosim import Result, run
from fingerpost.testbench.runner import BenchError
from tests.networks import load
from tests.testbench.faults.plant import FAULTS, FLIPPED, ROTATOR, Fault, catch, planted

pytestmark = pytest.mark.usefixtures("hasty")

SAME = "cycles", "mismatches", "message", "packets", "delivered", "flits", "errors", "overruns"
"""What both ways report."""

GLITCH = 100
"""The cycle of a planted fault."""


@pytest.fixture(params=[1, 1000], ids=["side-by-side", "verilated"])
def both_builds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluate nodes side by side, then each in Verilator."""
    monkeypatch.setattr(building, "SEVERAL", request.param)


def compiled(description: dict[str, Any], directory: Path, **options: Any) -> Result:
    bench = make(build(description), "network", engine="compiled", **options)
    return run(bench, simulator="verilator", directory=directory)


def reported(result: Result) -> dict[str, Any]:
    facts = result.details | {"mismatches": result.mismatches, "message": result.message}
    return {name: facts[name] for name in SAME}


@pytest.mark.usefixtures("both_builds")
@pytest.mark.regress
@pytest.mark.parametrize(
    "fault",
    [fault for fault in FAULTS if fault.level == "network" and "terminal" not in fault.network],
    ids=lambda fault: fault.name,
)
def test_both_ways_find_the_same_fault(fault: Fault, tmp_path: Path) -> None:
    found = catch(fault, tmp_path, "compiled")
    assert found.mismatches == 1
    other = catch(fault, tmp_path)
    assert reported(found) == reported(other)
    assert found.details.get("difference") == other.details.get("difference")


@pytest.mark.regress
@pytest.mark.parametrize(
    "fault", [fault for fault in FAULTS if fault.level == "unit"], ids=lambda fault: fault.name
)
def test_units_side_by_side_find_the_same_fault(fault: Fault, tmp_path: Path) -> None:
    """All of 1,024 units are asked, and the answers that differ are counted one by one."""
    found, other = catch(fault, tmp_path, "compiled"), catch(fault, tmp_path)
    assert found.mismatches == other.mismatches > 0
    assert (found.message, found.count) == (other.message, other.count)


def flipped_by(signal: str) -> Callable[[str], str]:
    """Return what lets a valid flip on the way out."""

    def change(module: str) -> str:
        port, declaration = ".outputs__1__valid(", "  reg [15:0] count;"
        flip = f"  wire [1:0] out; assign outputs__1__valid = out ^ ({signal});\n"
        return module.replace(f"{port}outputs__1__valid)", f"{port}out)").replace(
            declaration, declaration + "\n" + flip
        )

    return change


@pytest.mark.usefixtures("both_builds")
@pytest.mark.regress
def test_a_fault_of_one_node_is_found_in_its_cycle_and_kept_as_a_waveform(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = planted(tmp_path / "planted", flipped_by(f"count == {GLITCH}"))
    monkeypatch.setattr(cosim, "write", lambda *_: sources)
    result = compiled(ROTATOR, folder, cycles=300, load=0.2)
    where = rf"^cycle {GLITCH}, node {FLIPPED}, port 1: expected valid 0x[01], seen 0x[01]$"
    assert re.match(where, result.message)
    assert (result.mismatches, result.count) == (1, GLITCH)
    assert [*ET.parse(result.results_xml).getroot().iter("failure")]
    assert result.waveform is not None
    changes = Path(result.waveform).read_text()
    name = re.search(r"\$var wire +\d+ (\S+) outputs__1__valid", changes)
    assert name
    # Of each cycle, also of the three of the reset, it shows what is before the edge and behind it.
    before, edge, _ = changes.partition(f"#{2 * (GLITCH + 3) + 1}\n")
    values = re.findall(rf"^b?([01]+) ?{re.escape(name[1])}$", before, flags=re.M)
    assert edge
    assert hex(int(values[-1], 2)) == result.message.rpartition(" ")[2]


def test_refuses_an_output_that_an_input_reaches(tmp_path: Path) -> None:
    bench = make(build(ROTATOR), "network", engine="compiled")
    message = (
        "Lock-step of compiled nodes needs registered outputs, and in other inject__valid reaches "
        "outputs__1__valid within a cycle; run it in cocotb"
    )
    with pytest.raises(BenchError, match=f"^{re.escape(message)}$"):
        run(
            bench,
            simulator="verilator",
            directory=tmp_path,
            sources=planted(tmp_path / "planted", flipped_by("inject__valid")),
        )


@pytest.mark.regress
def test_names_the_log_when_a_node_does_not_compile(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "VERILATE", (*building.VERILATE, "--no-such-option"))
    message = r"^Simulation did not build, see \S+/build\.log: verilator failed$"
    with pytest.raises(BenchError, match=message):
        compiled(ROTATOR, folder)


@pytest.mark.parametrize(
    ("nodes", "level", "simulator", "options", "chosen"),
    [
        (59, "network", "verilator", {}, ("verilator", "cocotb")),
        (60, "network", "verilator", {}, ("verilator", "compiled")),
        (60, "network", "icarus", {}, ("icarus", "cocotb")),
        (60, "router", "verilator", {}, ("verilator", "cocotb")),
        (60, "network", "verilator", {"waves": True}, ("verilator", "cocotb")),
        (59, "network", "", {}, ("icarus", "cocotb")),
        (60, "network", "", {}, ("verilator", "compiled")),
        (60, "unit", "", {}, ("verilator", "compiled")),
        (60, "network", "", {"waves": True}, ("icarus", "cocotb")),
        (60, "network", "", {"around": True}, ("icarus", "cocotb")),
        (60, "network", "", {"engine": "cocotb"}, ("icarus", "cocotb")),
        (10, "network", "", {"engine": "compiled"}, ("verilator", "compiled")),
        (10, "router", "", {"engine": "compiled"}, ("verilator", "compiled")),
    ],
)
def test_large_networks_are_compiled_where_they_can_be(
    nodes: int, level: str, simulator: str, options: dict[str, Any], chosen: tuple[str, str]
) -> None:
    assert choose(nodes, level, simulator, **options) == chosen


def test_large_networks_run_in_icarus_where_verilator_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no make, no compiler
    assert choose(60, "network") == ("icarus", "cocotb")
    # If it is requested, the error at the start names what is missing.
    assert choose(60, "network", "verilator") == ("verilator", "compiled")
    assert choose(60, "network", engine="compiled") == ("verilator", "compiled")


@pytest.mark.parametrize(
    ("level", "simulator", "waves", "what"),
    [
        ("network", "icarus", False, "level network, simulator icarus"),
        ("path", "verilator", False, "level path, simulator verilator"),
        ("path", "", False, "level path"),
        ("network", "", True, "level network, waves"),
        ("network", "verilator", True, "level network, simulator verilator, waves"),
    ],
)
def test_refuses_to_compile_what_cannot_be(
    level: str, simulator: str, waves: bool, what: str
) -> None:
    message = (
        "Compiled nodes need level network, router or unit, simulator verilator and no waves, "
        f"not {what}"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        choose(100, level, simulator, engine="compiled", waves=waves)


def test_modules_around_the_nodes_are_for_cocotb() -> None:
    axi = load("borel-21-axi")
    assert axi.terminal.around == (top(axi)[0] != network_name(axi))
    credit = load("borel-21")
    assert credit.terminal.around == (top(credit)[0] != network_name(credit))
    counted = build({**credit.description, "counters": {"kind": "axi-lite"}})
    assert [network.around for network in (axi, credit, counted)] == [True, False, True]
    assert choose(1000, "network", "verilator", around=True) == ("verilator", "cocotb")
    with pytest.raises(ValueError, match=r"^Compiled nodes need terminals with nothing around"):
        choose(9, "network", "verilator", engine="compiled", around=True)


NETWORK = build(ROTATOR)

SWAPPED = """
  reg [33:0] last; wire [33:0] flit; reg done;
  wire hit = eject__valid & ~flit[0] & count >= 200 & ~done;
  always @(posedge clk) if (eject__valid) last <= flit;
  always @(posedge clk) done <= ~rst & (done | hit);
  assign eject__flit = hit ? {last[33:2], flit[1:0]} : flit;
"""
"""One body flit has the data of the one before it."""


def soak(beside: HardwareBeside | None) -> Soak:
    make = beside.engine if beside else engine
    return Soak(NETWORK, packets=1200, malformed=0.05, seed=1, alone=True, make=make)


@pytest.mark.regress
def test_hardware_is_soaked_piece_by_piece_with_the_packets_of_the_model(folder: Path) -> None:
    beside = HardwareBeside(NETWORK, folder)
    both, model = soak(beside), soak(None)
    for number in (0, 1):  # the second one after a reset
        totals = both.piece(number)
        assert totals == model.piece(number)
        assert totals.errors > 5
    with pytest.raises(ValueError, match=r"^Hardware needs one run, not 2$"):
        beside.engine(NETWORK, [model._traffic(0, run, cycles=9) for run in (0, 1)])


def swapped(module: str) -> str:
    """Put a fault between a router and its outputs."""
    module = module.replace(".eject__flit(eject__flit)", ".eject__flit(flit)")
    return module.replace("reg [15:0] count;", f"reg [15:0] count;{SWAPPED}")


@pytest.mark.regress
def test_what_one_node_does_once_is_found(folder: Path, tmp_path: Path) -> None:
    beside = HardwareBeside(NETWORK, folder, sources=planted(tmp_path, swapped))
    with pytest.raises(SoakError) as caught:
        soak(beside).piece(0)
    where = f"node {FLIPPED}, terminal: expected data 0x[0-9a-f]+, seen 0x[0-9a-f]+"
    found = re.fullmatch(rf"rotator, seed 1, piece 0, cycle (\d+), {where}", str(caught.value))
    assert found, caught.value
    assert 200 <= int(found[1]) < 300
