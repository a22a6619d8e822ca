"""Routers alone in lock-step with their model, with mutants at all nodes."""

from pathlib import Path

from fingerpost.golden.network.network import Network
from fingerpost.testbench.benches import make
from fingerpost.testbench.compiled.alone import AloneLayout
from fingerpost.testbench.compiled.routers import ALL_TURNS, Turns
from mutation.mutated import Mutated
from mutation.trial import Trial, selectable

__all__ = ["alone"]


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
