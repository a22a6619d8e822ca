"""Routers alone in lock-step with their model, with mutants at all nodes."""

from pathlib import Path

from fingerpost.golden.network.network import Network
from fingerpost.testbench.benches import make
from fingerpost.testbench.compiled.alone import AloneLayout
from fingerpost.testbench.compiled.routers import ALL_TURNS, Turns
from mutation.mutated import Mutated
from mutation.trial import Trial, selectable

__all__ = ["alone"]

ROUTERS = 64
"""Of fewer routers each is tried for longer."""


def alone(network: Network, module: str, mutated: Mutated, *, cache: Path) -> Trial:
    """Return the bench of routers alone, with all that the model says.

    Raises
    ------
    BenchError
        If something does not compile.
    """
    layout = AloneLayout(network)
    bench = make(network, "router", engine="compiled")
    several = Turns(
        network, cycles=ALL_TURNS * max(1, ROUTERS // network.topology.nodes), seed=bench.seed
    )
    return Trial.of(
        "router",
        selectable(bench.sources(), module, mutated.verilog),
        ((turn.given, turn.expected) for turn in several),
        sent=layout.sent,
        groups=layout.groups,
        cache=cache,
    )
