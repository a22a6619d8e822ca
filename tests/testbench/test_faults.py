"""Each bench must be seen to fail: faults that no mutant of a netlist is, in every part of hdl/."""

import re
from pathlib import Path

import pytest

from mutation.injected import INJECTED
from tests.quick import only
from tests.testbench.faults.fault import FAULTS, TEST, Fault
from tests.testbench.faults.plant import PACKAGE, catch, verdict

SHORT = [fault for fault in FAULTS if fault.name == "wrong-entry-constant"]
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


@pytest.mark.parametrize("fault", only(SHORT, FAULTS), ids=lambda fault: fault.name)
def test_fault_is_caught(fault: Fault, tmp_path: Path) -> None:
    if fault.level == TEST:
        said = verdict(fault, tmp_path)
        assert re.match(r"1 failed", said), said
    else:
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


@pytest.mark.regress
@pytest.mark.parametrize("test", sorted({fault.test for fault in FAULTS if fault.level == TEST}))
def test_all_is_well_without_a_fault(test: str, tmp_path: Path) -> None:
    assert re.match(r"\d+ passed", verdict(harmless(TEST, test), tmp_path))


@pytest.mark.parametrize("fault", [*FAULTS, *INJECTED], ids=lambda fault: fault.name)
def test_text_of_a_fault_stands_once(fault: Fault) -> None:
    assert (PACKAGE / "hdl" / fault.file).read_text().count(fault.old) == 1
    assert fault.old != fault.new
    assert fault.description.endswith(".")
