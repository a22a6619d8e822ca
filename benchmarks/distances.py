"""Distances from one node of 15,657, against networkx and scipy.sparse.csgraph, in one run."""

import time
from collections.abc import Callable

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, shortest_path

from benchmarks.table import show
from fingerpost.golden.topology import Borel
from fingerpost.golden.topology.distance import distances

REPEAT = 5


def best(work: Callable[[], object]) -> float:
    """Return the least of several times, in seconds."""
    times = []
    for _ in range(REPEAT):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def main() -> None:
    """Time the same question, asked in four ways; graphs are made beforehand."""
    topology = Borel(p=307, a=4, A=(2, 1), B=(16, 1))
    n, neighbour = topology.nodes, topology.neighbour
    links = np.repeat(np.arange(n), 4), neighbour.ravel()
    graph = nx.Graph(zip(*(end.tolist() for end in links), strict=True))
    matrix = csr_array((np.ones(4 * n), links), shape=(n, n))

    ours = distances(neighbour, 0)
    theirs = nx.single_source_shortest_path_length(graph, 0)
    assert ours.tolist() == [theirs[node] for node in range(n)]
    assert (ours == shortest_path(matrix, unweighted=True, indices=0)).all()

    times = {
        "fingerpost.golden.topology.distance.distances": best(lambda: distances(neighbour, 0)),
        "networkx single_source_shortest_path_length": best(
            lambda: nx.single_source_shortest_path_length(graph, 0)
        ),
        "scipy shortest_path(unweighted)": best(
            lambda: shortest_path(matrix, unweighted=True, indices=0)
        ),
        "scipy breadth_first_order (order only)": best(
            lambda: breadth_first_order(matrix, 0, return_predecessors=False)
        ),
    }
    first = times["fingerpost.golden.topology.distance.distances"]
    rows = [(name, f"{1000 * t:.2f}", f"{t / first:.1f}") for name, t in times.items()]
    show(f"Distances from one node of {n:,}", ("how", "ms", "ratio"), rows)


if __name__ == "__main__":
    main()
