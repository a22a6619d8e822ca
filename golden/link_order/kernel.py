"""Shortest paths in an order of the links, compiled.

Links are taken in their order, once for each channel. So when a link is taken, what is known of the
node where it begins are paths that end with an earlier link, or descend once more than before. A
path is kept as a *label*: its last link, and the label of the path to the node before. Labels stay
as they are when a better path to their node is found, since other paths may go on from them.
"""

from typing import Any

from fingerpost.golden.jit.compile import called, compiled

FAR = 1e9
"""More than the length of any path."""


@compiled
def label_paths(
    source: int, weight: Any, channels: int, limit: int, graph: Any, labels: Any
) -> int:
    """Label the shortest paths from a source; return the number of labels.

    Parameters
    ----------
    weight : (links,)
        The length of each link.
    channels : int
        A path descends in the order less often than this.
    limit : int
        The most hops of a path.
    graph, labels
        See `fingerpost.golden.link_order.graph`.
    """
    for node in range(len(labels.label)):
        labels.length[node] = FAR
        labels.label[node] = -1
    labels.length[source] = 0.0
    labels.label[source] = 0
    labels.hops[0] = 0
    count = 1
    for _ in range(channels):
        for link in graph.order:
            orbit, port = link // graph.degree, link % graph.degree
            for place in range(graph.first[orbit], graph.first[orbit + 1]):
                node = graph.members[place]
                there = graph.neighbour[node * graph.degree + port]
                if there < 0:
                    continue
                length = labels.length[node] + weight[link]
                if length < labels.length[there] and labels.hops[labels.label[node]] < limit:
                    labels.length[there] = length
                    labels.label[there] = count
                    labels.link[count] = link
                    labels.before[count] = labels.label[node]
                    labels.hops[count] = labels.hops[labels.label[node]] + 1
                    count += 1
    return count


@called
def measure(
    weight: Any, channels: int, limit: int, graph: Any, labels: Any, load: Any
) -> tuple[int, int]:
    """Count in `load` the shortest paths over each link; return their hops, and pairs without one.

    Paths are from all sources to all terminals.
    """
    hops = lost = 0
    for link in range(len(load)):
        load[link] = 0
    for source in graph.sources:
        count = label_paths(source, weight, channels, limit, graph, labels)
        for label in range(count):
            labels.paths[label] = 0
        for terminal in graph.terminals:
            label = labels.label[terminal]
            if label < 0:
                lost += 1
            else:
                labels.paths[label] += 1
                hops += labels.hops[label]
        for label in range(count - 1, 0, -1):
            paths = labels.paths[label]
            labels.paths[labels.before[label]] += paths
            load[labels.link[label]] += paths
    return hops, lost


@called
def trace(
    source: int, weight: Any, channels: int, limit: int, graph: Any, labels: Any, path: Any
) -> None:
    """Write into `path` the links of the shortest paths to all terminals, -1 behind the last.

    It has a row of places for each terminal, one behind the other.
    """
    label_paths(source, weight, channels, limit, graph, labels)
    places = len(path) // len(graph.terminals)
    for place in range(len(path)):
        path[place] = -1
    for number in range(len(graph.terminals)):
        label = labels.label[graph.terminals[number]]
        while label > 0:
            path[number * places + labels.hops[label] - 1] = labels.link[label]
            label = labels.before[label]
