"""Networks from files and arguments, which show themselves as pictures in notebooks."""

from fingerpost.golden.network.network import Routed
from fingerpost.netfile.source import load, load_any, network

__all__ = ["load", "load_any", "network"]


def _svg(network: Routed) -> str | None:
    """Return the picture of a network as SVG; None if there is no matplotlib to draw it."""
    try:
        from fingerpost.drawing.draw import svg
    except ModuleNotFoundError:
        return None
    return svg(network)


Routed.picture = _svg
