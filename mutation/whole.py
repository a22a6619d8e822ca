"""The network and its routers alone, in lock-step with their models, with mutants at all nodes."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fingerpost.golden.compiled import unfit
from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.network.network import Network
from fingerpost.testbench.benches import make
from fingerpost.testbench.compiled.assembly import Layout
from fingerpost.testbench.compiled.plan import Words
from fingerpost.testbench.compiled.routers import ALL_TURNS, AloneLayout, Turns
from fingerpost.testbench.compiled.script import EngineScript, RunScript, Script
from mutation.mutated import Mutated
from mutation.subject import Trial, Turn, selectable

__all__ = ["alone", "whole"]

CHUNK = 4096


def alone(network: Network, module: str, mutated: Mutated, *, routers: int, cache: Path) -> Trial:
    """Return the bench of routers alone, with all that the model says.

    Parameters
    ----------
    module : str
        What is mutated.
    routers : int
        A network of fewer routers is tried for longer.

    Raises
    ------
    BenchError
        If something does not compile.
    """
    layout = AloneLayout(network)
    bench = make(network, "router", engine="compiled")
    several = Turns(
        network, cycles=ALL_TURNS * max(1, routers // network.topology.nodes), seed=bench.seed
    )
    return Trial.of(
        "router",
        selectable(bench.sources(), module, mutated.verilog),
        ((turn.given, turn.expected) for turn in several),
        sent=layout.sent,
        groups=layout.groups,
        cache=cache,
    )


def whole(
    network: AnyNetwork,
    module: str,
    mutated: Mutated,
    stimuli: Sequence[Mapping[str, Any]],
    *,
    cache: Path,
    node: str = "",
) -> Trial:
    """Return the bench of the level network, with all that the model says.

    Parameters
    ----------
    module, node : str
        What is mutated, and in what it stands, as of `selectable`.
    stimuli : sequence of mappings
        The options of the bench, for each turn.

    Raises
    ------
    BenchError
        If something does not compile.
    """
    layout = Layout(network)
    benches = [make(network, "network", engine="compiled", **stimulus) for stimulus in stimuli]
    return Trial.of(
        "network",
        selectable(benches[0].sources(), module, mutated.verilog, node),
        (turn(network, layout, bench.parameters()) for bench in benches),
        sent=layout.sent,
        groups=layout.groups,
        cache=cache,
        idle=network.link.payload,
    )


def turn(network: AnyNetwork, layout: Layout, given: Mapping[str, Any]) -> Turn:
    """Return what the model says of one stimulus."""
    kind: type[Script] = RunScript if unfit(network) else EngineScript
    script = kind(network, given, layout)
    pairs = list(_chunks(script))
    sent, seen = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return sent, seen


def _chunks(script: Script) -> Iterator[tuple[Words, Words]]:
    while True:
        chunk = script.chunk(CHUNK)
        if not chunk.cycles:
            return
        yield chunk.words()
