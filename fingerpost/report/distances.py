"""How many nodes are how far away, over all pairs."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from fingerpost.drawing.axes import plain
from fingerpost.golden.topology import Topology
from fingerpost.golden.topology.distance import distances
from fingerpost.sweeps.chart import COLOURS, MARKERS

__all__ = ["figure", "shares"]


def shares(topology: Topology) -> list[float]:
    """Return the share of the other nodes at a distance of 1, 2, ... hops, over all nodes.

    Examples
    --------
    >>> from fingerpost.golden.topology import DoubleLoop
    >>> shares(DoubleLoop(nodes=8, a=1, b=7))  # a ring
    [0.2857142857142857, 0.2857142857142857, 0.2857142857142857, 0.14285714285714285]
    """
    present = np.setdiff1d(np.arange(topology.nodes), topology.lost)
    first, size = np.unique(topology.orbit[present], return_index=True, return_counts=True)[1:]
    if topology.vertex_transitive:
        first, size = first[:1], size[:1]
    found = np.zeros(topology.nodes)
    for source, weight in zip(present[first].tolist(), size.tolist(), strict=True):
        count = np.bincount(distances(topology.neighbour, source)[present])
        found[: len(count)] += weight * count
    found = np.trim_zeros(found[1:], "b")
    return [float(share) for share in found / found.sum()]


def figure(named: Mapping[str, Sequence[float]]) -> Figure:
    """Return the shares as bars, or of several networks as lines: their bars would be thin."""
    made = Figure(figsize=(7, 4), layout="constrained")
    axes = made.subplots()
    for number, (name, some) in enumerate(named.items()):
        hops, colour = np.arange(1, len(some) + 1), COLOURS[number % len(COLOURS)]
        if len(named) == 1:
            axes.bar(hops, some, 0.8, color=colour)
        else:
            axes.plot(
                hops,
                some,
                color=colour,
                marker=MARKERS[number % len(MARKERS)],
                markersize=4,
                linewidth=1.4,
                label=name,
            )
    axes.set_ylim(0)
    axes.set_xlabel("distance [hops]")
    axes.set_ylabel("fraction of all other nodes")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    plain(axes, grid="y")
    if len(named) > 1:
        made.legend(loc="outside lower center", ncols=2, frameon=False)
    return made
