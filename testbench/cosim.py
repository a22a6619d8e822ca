"""Co-simulate one level of a network: `fingerpost cosim` and the tests come through here."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from golden.network import Network
from testbench.runner import Outcome, Progress, cosimulate
from testbench.sources import LEVELS, write_sources

__all__ = ["LEVELS", "Result", "run"]

CYCLES = {"router": 3000, "network": 1000}


@dataclass(frozen=True)
class Result:
    """What a co-simulation found.

    Attributes
    ----------
    decisions, cycles : int
        What was compared: the one at level unit, the other at the levels router and network.
    mismatches : int
        Decisions that differ; at the other levels 1 if a difference ended the run.
    message : str
        The first difference, with place, expected and seen.
    seconds, build_seconds : float
        Of the simulation alone, and of compiling for it.
    details : dict
        Whatever else the bench reported.
    """

    level: str
    simulator: str
    decisions: int
    cycles: int
    mismatches: int
    message: str
    seconds: float
    build_seconds: float
    waveform: str | None
    results_xml: str
    details: dict[str, Any] = field(default_factory=dict)


def run(
    network: Network,
    *,
    level: str,
    simulator: str,
    directory: Path,
    waves: bool = False,
    cycles: int | None = None,
    seed: int = 0,
    load: float | None = None,
    lengths: tuple[int, int] = (1, 4),
    stall: float = 0.3,
    surplus: int = 0,
    malformed: float = 0.0,
    nodes: int | None = None,
    start: list[int] | None = None,
    end: list[int] | None = None,
    rounds: int = 1,
    offset: float = 0.01,
    sources: tuple[list[Path], str] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Compare the hardware of a network with golden. A difference leaves a waveform.

    Parameters
    ----------
    level : "unit", "walk", "router", "network" or "clocks"
        Decisions of the routing unit; routes chained from them; one router under random traffic;
        the whole in lock-step; across OS-Links, every node on its own clock.
    directory : Path
        Where simulators write; a folder for each level and simulator.
    nodes : int, optional
        Level unit: ask only so many nodes, drawn by the seed.
    start, end : list of int, optional
        Level walk: the nodes at which routes start and end; by default they start at all
        terminals of a small network, or the first of each orbit, and end at all.
    load, lengths, stall, surplus, malformed
        Level network: the traffic, see `golden.model.Traffic` and `golden.model.Terminals`.
    rounds, offset : int, float
        Level clocks: frames from every terminal to every other, and how far clocks are from the
        mean at most, as a fraction.
    sources : (files, top module), optional
        Verilog to run instead of the network's own: that is how faults are planted.

    Raises
    ------
    ValueError
        If there is no such level, or this network does not have it.
    """
    if level not in LEVELS:
        raise ValueError(f"Level needs to be one of {', '.join(LEVELS)}, not {level!r}")
    if level == "clocks" and not network.link.own_clocks:
        raise ValueError("Level clocks needs OS-Links, as in link: {kind: os-link}")
    folder = directory / network.name / f"{level}-{simulator}"
    node = seed % network.topology.nodes
    files, toplevel = sources or write_sources(network, level, folder / "sources", node=node)
    parameters = {
        "description": dict(network.description),
        "seed": seed,
        "cycles": cycles or CYCLES.get(level, 0),
        "load": load if load is not None else 0.2,
        "lengths": lengths,
        "stall": stall,
        "surplus": surplus,
        "malformed": malformed,
        "nodes": nodes or network.topology.nodes,
        "start": start,
        "end": end,
        "rounds": rounds,
        "offset": offset,
    }

    def once(*, waves: bool) -> Outcome:
        return cosimulate(
            f"testbench.{level}",
            sources=files,
            toplevel=toplevel,
            simulator=simulator,
            folder=folder,
            parameters=parameters,
            seed=seed,
            waves=waves,
            progress=progress,
        )

    outcome = once(waves=waves)
    if outcome.report["mismatches"] and not waves and sources is None:
        outcome = once(waves=True)
    report = dict(outcome.report)
    return Result(
        level=level,
        simulator=simulator,
        decisions=report.pop("decisions", 0),
        cycles=report.pop("cycles", 0),
        mismatches=report.pop("mismatches"),
        message=report.pop("message"),
        seconds=outcome.seconds,
        build_seconds=outcome.build_seconds,
        waveform=str(outcome.waveform) if outcome.waveform else None,
        results_xml=str(outcome.results_xml),
        details=report,
    )
