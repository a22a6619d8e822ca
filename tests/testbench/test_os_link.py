from pathlib import Path

import pytest

from fingerpost.golden.link import OsLinkParameters
from fingerpost.testbench.benches.os_link import OsLinkBench
from fingerpost.testbench.toolchain import SIMULATORS
from tests.testbench.agreement import agree
from tests.testbench.faults.networks import SETS

OTHERS = (
    OsLinkParameters(4, 1, breaks=True),
    OsLinkParameters(5, 4, slot=12),
    OsLinkParameters(16, 2, "late", breaks=True, timeout=20),
    OsLinkParameters(7, 1, "late", stop="ignored"),
    OsLinkParameters(4, 2, stop="ignored"),
)


def impossible(parameters: OsLinkParameters) -> set[str]:
    """Return what never happens to a port, by its parameters."""
    never = {
        "link_break": not parameters.breaks,
        "err_timeout": not parameters.timeout,
        "err_frame": parameters.stop == "ignored",
        "push_while_pop": parameters.fifo == 1,  # what is there fills it
    }
    return {name for name, so in never.items() if so}


@pytest.mark.regress
@pytest.mark.parametrize(
    ("sets", "cycles"), [(SETS, 6000), (OTHERS, 12000)], ids=["sets", "others"]
)  # at 16 clocks a bit few bytes come
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("seed", [1, 2])
def test_lock_step(
    sets: tuple[OsLinkParameters, ...], cycles: int, simulator: str, seed: int, folder: Path
) -> None:
    """A lock-step in which nothing happens proves nothing; an overrun need happen to one only."""
    bench = OsLinkBench(sets, cycles=cycles, seed=seed)
    coverage = agree(bench, folder / str(sets[0].fifo), simulator).details["coverage"]
    for parameters, happened in zip(sets, coverage, strict=True):
        missing = {name for name, count in happened.items() if not count}
        assert missing - {"err_over"} == impossible(parameters), parameters
        assert happened["bytes"] > 10
    assert any(happened["err_over"] for happened in coverage)
