"""Networks that are a topology only: a picture asks for no more."""

from types import SimpleNamespace
from typing import Any, cast

from matplotlib.figure import Figure

from fingerpost.drawing import picture
from fingerpost.drawing.draw import figure
from fingerpost.golden.topology import Topology


def network(topology: Topology, name: str = "x") -> Any:
    routing = SimpleNamespace(topology=topology, algorithm="table")
    return cast("Any", SimpleNamespace(name=name, topology=topology, routing=routing))


def drawn(topology: Topology, name: str = "x", **given: Any) -> Figure:
    with picture.style():
        return figure(network(topology, name), **given)
