"""Each bench must be seen to fail: faults that no mutant of a netlist is, in every part of hdl/."""

import re
from pathlib import Path

import pytest

from fingerpost.testbench.benches import LEVELS
from fingerpost.testbench.benches.os_link import OsLinkBench
from fingerpost.testbench.write import write
from tests.testbench.faults import counters, network, os_link, router, routing, terminals
from tests.testbench.faults.fault import TEST, Fault
from tests.testbench.faults.plant import PACKAGE, SETTINGS, bench, catch, plant, verdict

FAULTS = (
    *(*routing.FAULTS, *router.FAULTS, *network.FAULTS),
    *(*os_link.FAULTS, *terminals.FAULTS, *counters.FAULTS),
)

SHORT = {
    *("wrong-entry-constant", "letters-skipped", "channel-not-raised", "links-swapped"),
    *("acknowledged-without-room", "payload-one-short", "credit-counted-late"),
}
"""`make test` plants these, `make regress` all."""

SEEN = {
    "unit": r"node \d+, arrival \d, header 0x[0-9a-f]+(, selection 0x[0-9a-f]+)?: expected ",
    "path": r"from \d+ to \d+: ends at \d+ after \d+ hops$",
    "router": r"(cycle \d+, node 3: |.*(packet \d+ does not come out$|not given back all credits$"
    r"|expected \d+ (errors|overruns), seen \d+$|port \d sends \d+ flits in \d+ cycles$))",
    "network": r"cycle \d+, node \d+, .+: expected \w+ 0x\w+, seen 0x\w+$",
    "os_link": "cycle ",
}
"""What a bench says: of a flit where and when, of a whole run what is missing."""


def harmless(level: str, test: str = "") -> Fault:
    """Replace a text by itself: the way of every fault, without one."""
    return Fault("none", "router/router.py", "class Router(", "class Router(", level, "", test=test)


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
    if fault.level == TEST:
        said = verdict(fault, tmp_path)
        assert re.match(r"1 failed", said), said
    else:
        result = catch(fault, tmp_path)
        assert result.mismatches > 0
        assert re.match(SEEN.get(fault.level, "."), result.message), result.message


@pytest.mark.parametrize(
    "level",
    # The other benches are also run on sources that are no copy.
    [
        level if level == "path" else pytest.param(level, marks=pytest.mark.regress)
        for level in ("unit", "path", "router", "network")
    ],
)
def test_bench_is_content_without_a_fault(level: str, tmp_path: Path) -> None:
    result = catch(harmless(level), tmp_path)
    assert (result.mismatches, result.message) == (0, "")
    assert result.count >= 150
    assert result.waveform is None


@pytest.mark.regress
@pytest.mark.parametrize("test", sorted({fault.test for fault in FAULTS if fault.level == TEST}))
def test_all_is_well_without_a_fault(test: str, tmp_path: Path) -> None:
    assert re.match(r"\d+ passed", verdict(harmless(TEST, test), tmp_path))


def test_faults_are_of_every_level_and_part() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(names) == len(set(names))
    assert {*SHORT} < {*names}
    assert {fault.level for fault in FAULTS} == {*SETTINGS, OsLinkBench.level, TEST}
    assert {*LEVELS} - {*SETTINGS} == {"clocks"}
    parts = {fault.file.partition("/")[0] for fault in FAULTS}
    assert parts >= {"routing", "router", "link", "terminal", "counting", "bus", "emit", "node.py"}
    for fault in FAULTS:
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


@pytest.mark.parametrize(
    ("fault", "changed"),
    [
        (routing.FAULTS[0], ["header_generator.v"]),
        (os_link.FAULTS[0], [f"os_link_{i}.v" for i in range(4)]),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_sources_of_the_project_stay_as_they_are(
    fault: Fault, changed: list[str], tmp_path: Path
) -> None:
    file = PACKAGE / "hdl" / fault.file
    before = file.read_text()
    sound = sorted(write(bench(fault), tmp_path / "sound"))
    faulty = plant(fault, tmp_path / "faulty")
    assert [file.name for file in faulty] == [file.name for file in sound]
    differ = [a.name for a, b in zip(sound, faulty, strict=True) if a.read_text() != b.read_text()]
    assert differ == changed
    assert file.read_text() == before
