"""Co-simulate OS-Link ports: the tests come through here."""

from collections.abc import Sequence
from pathlib import Path

from golden.link import OsLinkParameters
from testbench.os_link_sources import as_json, clocks_sources, lockstep_sources
from testbench.runner import Outcome, cosimulate

__all__ = ["CLOCK", "run_clocks", "run_lockstep"]

CLOCK = 1000
"""Nanoseconds of a nominal clock in the bench of two: its thousandths are what simulators know."""


def run_lockstep(
    sets: Sequence[OsLinkParameters],
    *,
    simulator: str,
    directory: Path,
    lanes: int = 16,
    cycles: int = 1200,
    seed: int = 0,
    sources: tuple[list[Path], str] | None = None,
) -> Outcome:
    """Compare ports with golden in every clock.

    Parameters
    ----------
    sets : sequence of OsLinkParameters
        There are `lanes` ports of each, an even number: they are joined in pairs.
    sources : (files, top module), optional
        Verilog to run instead: that is how faults are planted.
    """
    folder = directory / f"os_link-{simulator}"
    files, toplevel = sources or lockstep_sources(sets, lanes, folder / "sources")
    return cosimulate(
        "testbench.os_link",
        sources=files,
        toplevel=toplevel,
        simulator=simulator,
        folder=folder,
        parameters={
            "parameters": as_json(sets), "lanes": lanes, "cycles": cycles, "seed": seed
        },
        seed=seed,
    )  # fmt: skip


def run_clocks(
    parameters: OsLinkParameters,
    *,
    simulator: str,
    directory: Path,
    offset: float = 0.0,
    phase: float = 0.0,
    delays: tuple[float, float] = (0.0, 0.0),
    stall: float = 0.0,
    count: int = 40,
    seed: int = 0,
    sources: tuple[list[Path], str] | None = None,
) -> Outcome:
    """Let two ports on two clocks send bytes to each other.

    Parameters
    ----------
    offset : float
        By how much the second clock is slower, as a fraction.
    phase : float
        By how many clocks it starts later.
    delays : (float, float)
        Of the wires from the first and from the second port, in bits.
    stall : float
        The chance in each clock that there is no byte, or that none is taken.
    count : int
        Bytes from each port.
    """
    folder = directory / f"os_link-clocks-{simulator}"
    files, toplevel = sources or clocks_sources(parameters, folder / "sources")
    bit = parameters.clocks_per_bit * CLOCK
    return cosimulate(
        "testbench.os_link_clocks",
        sources=files,
        toplevel=toplevel,
        simulator=simulator,
        folder=folder,
        parameters={
            "clocks_per_bit": parameters.clocks_per_bit,
            "breaks": parameters.breaks,
            "periods": [CLOCK, 2 * round(CLOCK * (1 + offset) / 2)],
            # A Timer of cocotb may not be 0.
            "starts": {"a": 1, "b": 1 + round(phase * CLOCK)},
            "delays": {s: max(1, round(d * bit)) for s, d in zip("ab", delays, strict=True)},
            "stall": stall,
            "bytes": count,
            "seed": seed,
        },
        seed=seed,
    )
