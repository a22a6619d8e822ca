"""`fingerpost report --full`: measure what no file was given for."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fingerpost.answers.cosim import cosim_facts
from fingerpost.answers.saved_answers import Given
from fingerpost.api import cosim
from fingerpost.cost import cost
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.traffic import Pattern, spelling
from fingerpost.sweeps.sweep import sweep
from fingerpost.testbench.toolchain import ToolError

__all__ = ["full"]

LOADS = 0.1, 0.3, 0.5, 0.7, 0.9

FLITS = 4
"""Of a packet, where packets may have several."""

RESOLUTION, CYCLES, COSIM_CYCLES, PLACEMENTS = 0.02, 500, 200, 1
"""Of a short sweep, a short co-simulation, and an estimate of area and clock frequency."""


def full(
    networks: Sequence[AnyNetwork],
    given: Given,
    *,
    pattern: Pattern,
    directory: Path,
    tell: Callable[[str], None],
    warn: Callable[[str], None],
) -> Given:
    """Return what is given, and beside it short measurements of what is lacking.

    Parameters
    ----------
    pattern : Pattern
        The traffic of the sweep.
    directory : Path
        The folder of the files of simulators and of tools for synthesis, which resumes there.
    tell, warn : callable
        Called with each step, and with what went wrong: a mismatch, or a tool that is missing.
    """
    missing = given.lacking([network.name for network in networks])
    sweeps = list(given.sweeps)
    costs, runs = (
        {name: list(some) for name, some in answers.items()}
        for answers in (given.costs, given.runs)
    )
    for flits, some in _by_length(networks, missing["sweep"]):
        swept = sweep(
            some,
            (pattern, spelling.arrivals("bernoulli"), spelling.lengths(str(flits))),
            loads=LOADS,
            seeds=(0,),
            cycles=CYCLES,
            resolution=RESOLUTION,
            progress=lambda done, total: tell(f"sweep, {done} of {total} simulations"),
        )
        sweeps.append(swept.facts)
    for network in networks:
        name = network.name
        for kind, measure, found in (("cosim", _cosim, runs), ("cost", _cost, costs)):
            if name not in missing[kind]:
                continue
            try:
                found[name].append(measure(network, directory / kind, tell))
            except ToolError as error:
                warn(f"{name}: no {kind}: {error}")
        for run in runs[name]:
            if run["mismatches"]:
                warn(f"{name}: {run['mismatches']:,} mismatches: {run['message']}")
    return Given(sweeps, costs, runs)


def _by_length(
    networks: Sequence[AnyNetwork], names: Sequence[str]
) -> Iterator[tuple[int, list[AnyNetwork]]]:
    """Yield packet lengths, and the networks of these names that are swept with each."""
    for flits in (FLITS, 1):
        some = [
            network
            for network in networks
            if network.name in names
            and (flits == 1) == (network.single_flit and not network.terminal.takes_all)
        ]
        if some:
            yield flits, some


def _cosim(network: AnyNetwork, directory: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    tell(f"{network.name}: co-simulation, {COSIM_CYCLES} cycles")
    return cosim_facts(cosim(network, "network", cycles=COSIM_CYCLES, directory=directory))


def _cost(network: AnyNetwork, directory: Path, tell: Callable[[str], None]) -> dict[str, Any]:
    return cost.facts(
        network,
        node=network.topology.nodes // 2,
        seeds=PLACEMENTS,
        directory=directory,
        progress=lambda step: tell(f"{network.name}: cost, {step}"),
    )
