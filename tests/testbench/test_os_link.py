from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.link import OsLinkParameters
from fingerpost.testbench.benches.os_link import OsLinkBench, OsLinkClocksBench
from fingerpost.testbench.cosim import run
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


def lockstep(
    sets: tuple[OsLinkParameters, ...],
    simulator: str,
    folder: Path,
    seldom: Collection[str] = (),
    **options: Any,
) -> None:
    """Run the bench without a difference, and with all that can happen to each set.

    What happens seldom need happen to one of them only. A lock-step in which nothing happens proves
    nothing.
    """
    result = agree(OsLinkBench(sets, **options), folder, simulator)
    coverage = result.details["coverage"]
    for parameters, happened in zip(sets, coverage, strict=True):
        missing = {name for name, count in happened.items() if not count}
        assert missing - {*seldom} == impossible(parameters) - {*seldom}, parameters
        assert happened["bytes"] > 10
    assert all(any(happened[name] for happened in coverage) for name in seldom)


@pytest.mark.regress
@pytest.mark.parametrize(
    ("sets", "cycles"), [(SETS, 6000), (OTHERS, 12000)], ids=["sets", "others"]
)  # at 16 clocks a bit few bytes come
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("seed", [1, 2])
def test_lock_step(
    sets: tuple[OsLinkParameters, ...], cycles: int, simulator: str, seed: int, folder: Path
) -> None:
    options: dict[str, Any] = {"cycles": cycles, "seed": seed, "seldom": {"err_over"}}
    lockstep(sets, simulator, folder / str(sets[0].fifo), **options)


@pytest.mark.parametrize(
    ("n", "simulator", "offset", "phase", "delays", "breaks"),
    [
        (4, "icarus", -0.02, 0.7, (1.0, 1.0), True),
        *(
            pytest.param(*case, breaks, marks=pytest.mark.regress)
            for breaks in (False, True)
            for case in (
                (5, "icarus", 0.01, 0.3, (0.0, 2.0)),
                (4, "icarus", -0.02, 0.7, (1.0, 1.0)),
                *(
                    (n, simulator, offset, phase, (phase, 3 * phase))
                    for n in (4, 5, 8, 16)
                    for simulator in SIMULATORS
                    for offset, phase in ((0.0, 0.0), (0.01, 0.2), (-0.01, 0.5), (0.02, 0.8))
                ),
            )
        ),
    ],
)
def test_two_clocks(
    n: int,
    simulator: str,
    offset: float,
    phase: float,
    delays: tuple[float, float],
    breaks: bool,
    folder: Path,
) -> None:
    link = OsLinkParameters(n, breaks=breaks)
    bench = OsLinkClocksBench(link, offset=offset, phase=phase, delays=delays, stall=0.1)
    result = agree(bench, folder / f"{n}-{breaks}", simulator)
    assert result.count == 2 * 40


@pytest.mark.regress
def test_clocks_too_far_apart_are_noticed(tmp_path: Path) -> None:
    # 5 % at N = 4: the stop bit is sampled in the bit before it or after it.
    bench = OsLinkClocksBench(OsLinkParameters(4), offset=0.06, count=8)
    result = run(bench, simulator="icarus", directory=tmp_path)
    assert result.mismatches > 0
    assert result.message
