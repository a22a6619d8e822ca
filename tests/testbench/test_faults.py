import re
from pathlib import Path

import pytest

from fingerpost.testbench.benches import LEVELS
from fingerpost.testbench.faults import (
    borel,
    cells,
    directed,
    frames,
    network,
    os_link,
    ports,
    router,
    scc,
    two_phase,
)
from fingerpost.testbench.faults.fault import Fault
from fingerpost.testbench.faults.plant import PACKAGE, SETTINGS, bench, catch, plant
from fingerpost.testbench.write import write

FAULTS = (*two_phase.FAULTS, *router.FAULTS, *network.FAULTS)
"""Of the network that is tried unless another is asked for."""

UNIT_FAULTS = (*borel.FAULTS, *scc.FAULTS, *directed.FAULTS)
"""Of all other routing units."""

SHORT = {"wrong-phase-bit", "letters-skipped", "channel-not-raised", "links-swapped"}
"""One fault for each level: `make test` plants these, `make regress` all."""

ROUTER = (
    r"^cycle \d+, node 3: |packet \d+ does not come out$|not given back all credits$"
    r"|expected \d+ (errors|overruns), seen \d+$|port \d sends \d+ flits in \d+ cycles$"
)
"""What the router bench says: of a flit where and when, of a whole run what is missing."""


def harmless(level: str) -> Fault:
    """Replace a text by itself: the way of every fault, without one."""
    return Fault(
        "none", "router/router.py", "class Router(", "class Router(", level, "Nothing is wrong."
    )


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(
            fault, id=fault.name, marks=[] if fault.name in SHORT else [pytest.mark.regress]
        )
        for fault in FAULTS
    ],
)
def test_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    result = catch(fault, tmp_path)
    assert result.mismatches > 0
    if fault.level == "unit":
        assert re.match(r"node \d+, arrival \d, header 0x[0-9a-f]+: expected ", result.message)
    elif fault.level == "path":
        assert re.match(r"from \d+ to \d+: ends at \d+ after \d+ hops$", result.message)
    elif fault.level == "network":
        assert re.match(
            r"cycle \d+, node \d+, (port \d|terminal): expected \w+ 0x\w+, seen 0x\w+$",
            result.message,
        )
    else:
        assert re.search(ROUTER, result.message)


@pytest.mark.regress
@pytest.mark.parametrize("fault", UNIT_FAULTS, ids=lambda fault: fault.name)
def test_fault_of_a_routing_unit_is_caught(fault: Fault, tmp_path: Path) -> None:
    result = catch(fault, tmp_path)
    assert result.mismatches > 0
    assert re.match(r"node \d+, arrival \d, header 0x[0-9a-f]+", result.message)


@pytest.mark.parametrize(
    "level",
    # The other benches are also run on sources that are no copy.
    [level if level == "path" else pytest.param(level, marks=pytest.mark.regress)
     for level in SETTINGS],
)  # fmt: skip
def test_bench_is_content_without_a_fault(level: str, tmp_path: Path) -> None:
    result = catch(harmless(level), tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    assert result.count >= 150
    assert result.waveform is None


def test_faults_are_of_every_kind_and_level() -> None:
    every = (*FAULTS, *UNIT_FAULTS, *cells.FAULTS, *os_link.FAULTS, *frames.FAULTS, *ports.FAULTS)
    names = [fault.name for fault in every]
    assert len(names) == len(set(names)) >= 150
    assert {fault.level for fault in FAULTS} == set(SETTINGS) == {*LEVELS} - {"clocks"}
    assert {fault.level for fault in FAULTS if fault.name in SHORT} == set(SETTINGS)
    assert len({fault.file for fault in UNIT_FAULTS}) >= 12  # of every unit
    for fault in every:
        assert (PACKAGE / "hdl" / fault.file).read_text().count(fault.old) == 1, fault.name
        assert fault.old != fault.new
        assert fault.description.endswith(".")


@pytest.mark.parametrize(("text", "count"), [("no such text", 0), ("m.d.comb", 3)])
def test_refuses_a_text_that_is_not_there_once(text: str, count: int, tmp_path: Path) -> None:
    fault = Fault("vague", "router/injection.py", text, "", "router", "")
    message = f"Fault vague needs {text!r} once in hdl/router/injection.py, not {count} times"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        plant(fault, tmp_path)


def test_tells_when_no_hardware_comes_out(tmp_path: Path) -> None:
    fault = Fault("broken", "router/router.py", "class Router(", "class Rooter(", "router", "")
    message = r"^Fault broken leaves no hardware: ImportError: cannot import name 'Router' .*$"
    with pytest.raises(RuntimeError, match=message):
        plant(fault, tmp_path)


def test_sources_of_the_project_stay_as_they_are(tmp_path: Path) -> None:
    fault = FAULTS[0]
    sound = sorted(write(bench(fault), tmp_path / "sound"))
    faulty = plant(fault, tmp_path / "faulty")
    assert [file.name for file in faulty] == [file.name for file in sound]
    differ = [a.name for a, b in zip(sound, faulty, strict=True) if a.read_text() != b.read_text()]
    assert differ == ["header_generator.v"]
    text = (PACKAGE / "hdl" / fault.file).read_text()
    assert fault.old in text
    assert fault.new not in text
