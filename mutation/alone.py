"""Routers alone in lock-step with their model, with mutants at all nodes."""

from pathlib import Path

from golden.network import Network
from hdl.network import node_names
from mutation.mutated import Mutated
from mutation.trial import Trial, selectable
from testbench.alone_sources import alone_bench, alone_network
from testbench.compiled.alone import Alone, AloneLayout
from testbench.compiled.surroundings import Mood

__all__ = ["alone"]

TURNS = (
    (Mood(), 400), (Mood(raw=0.02), 400), (Mood(raw=0.1, odd=0.02, surplus=0.02), 300),
    (Mood(), 800), (Mood(raw=0.3, odd=0.2, surplus=0.3), 600),
)  # fmt: skip
"""What goes in after each reset, and for how many cycles."""


def alone(network: Network, module: str, mutated: Mutated, *, cache: Path) -> Trial:
    """Return the bench of routers alone, with all that the model says.

    Raises
    ------
    BenchError
        If something does not compile.
    """
    layout = AloneLayout(network)
    sources = {
        **dict.fromkeys((f"{name}.v" for name in node_names(network).values()), ""),
        "network.v": alone_network(network), "bench.v": alone_bench(network),
    }  # fmt: skip
    turns = (Alone(network, mood, seed).turn(cycles) for seed, (mood, cycles) in enumerate(TURNS))
    return Trial.of(
        "router",
        selectable(sources, module, mutated.verilog),
        turns,
        sent=layout.sent,
        groups=layout.groups,
        cache=cache,
    )
