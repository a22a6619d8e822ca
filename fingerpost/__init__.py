"""Routers for dense, low-degree networks: a model, Verilog, and the proof that they agree.

    import fingerpost

    network = fingerpost.load("net.yaml")  # a `Network`; a `ValueError` tells what is wrong
    fingerpost.simulate(network, load=0.2, cycles=2000, seed=1).accepted.mean
    fingerpost.generate(network, Path("build"))  # the paths of the files
    fingerpost.cosim(network, level="network", simulator="icarus").mismatches

What each needs is imported when it is first asked for. `golden`, `hdl` and `testbench` are packages
of fingerpost's: a program with its own of that name cannot have both.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fingerpost.api import cosim
    from fingerpost.netfile import load
    from golden.measure import simulate
    from golden.network import Network
    from hdl.export.generate import generate

__all__ = ["Network", "cosim", "generate", "load", "simulate"]

_WHERE = {
    "Network": "golden.network",
    "cosim": "fingerpost.api",
    "generate": "hdl.export.generate",
    "load": "fingerpost.netfile",
    "simulate": "golden.measure",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
