"""Routers for dense, low-degree networks: a model, Verilog, and the proof that they agree.

    import fingerpost

    network = fingerpost.load("net.yaml")  # a `Network`, or a `ValueError`
    network = fingerpost.network(graph)  # of networkx, or as in a file
    fingerpost.simulate(network, load=0.2, seed=1).latency.mean
    fingerpost.sweep(network, loads=[0.1, 0.5, 0.9]).save("curves")
    fingerpost.route(network, 0, 16).nodes
    fingerpost.draw(network, "net.svg", route=(0, 16))
    fingerpost.prove(network).needed
    fingerpost.watch(network, 500, load=0.2).events  # of one packet, a line a stage
    fingerpost.generate(network, Path("build"))  # the paths of the files
    fingerpost.cosim(network, level="network", simulator="icarus").mismatches
    fingerpost.component(network)  # for your own design in Amaranth
    network = fingerpost.load_any("deflection.yaml")  # of routers of any kind
    fingerpost.new_entries(network, "link:0-1")  # of tables, where links have failed

Each is imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fingerpost.api import load, load_any, network
    from fingerpost.commands.cosim import cosim
    from fingerpost.commands.draw import draw
    from fingerpost.commands.prove import prove
    from fingerpost.commands.route import route
    from fingerpost.golden.measure import simulate
    from fingerpost.golden.measure.follow import watch
    from fingerpost.golden.network.detours import new_entries
    from fingerpost.golden.network.network import Network
    from fingerpost.hdl.component import component
    from fingerpost.hdl.export.generate import generate
    from fingerpost.sweeps.sweep import sweep

    __version__: str
else:

    def __getattr__(name: str) -> object:
        if name == "__version__":
            return import_module("importlib.metadata").version("fingerpost")
        if name not in _WHERE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_WHERE[name]), name)


__all__ = [
    "Network",
    "component",
    "cosim",
    "draw",
    "generate",
    "load",
    "load_any",
    "network",
    "new_entries",
    "prove",
    "route",
    "simulate",
    "sweep",
    "watch",
]

_COMMANDS = "cosim", "draw", "prove", "route"
"""Those that are also commands, with a file each."""

_WHERE = {
    **{name: f"fingerpost.commands.{name}" for name in _COMMANDS},
    **dict.fromkeys(("load", "load_any", "network"), "fingerpost.api"),
    "Network": "fingerpost.golden.network.network",
    "component": "fingerpost.hdl.component",
    "new_entries": "fingerpost.golden.network.detours",
    "generate": "fingerpost.hdl.export.generate",
    "simulate": "fingerpost.golden.measure",
    "sweep": "fingerpost.sweeps.sweep",
    "watch": "fingerpost.golden.measure.follow",
}


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
