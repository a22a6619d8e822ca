"""The slots of all deflection routers: where each leads, and what failed links do to switches."""

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.switches import ejection_port


class Wiring:
    """The slots of all routers in turn; behind the switches a slot is the link of an output port.

    Attributes
    ----------
    node : (slots,)
        The node of each slot.
    base : (nodes + 1,)
        The first slot of each node.
    local : (slots,)
        The number of each slot at its node.
    input, output : (slots,)
        The ports of each slot.
    port_index : (slots,)
        The output whose link it is, as node * (degree + 1) + port.
    source : (slots,)
        The slot whose link ends in it.
    enters : (nodes,)
        The slots into which the terminal injects, as a mask.
    ejects : (nodes, ejections)
        The slots whose flits leave by each ejection port, as masks.
    crosses : (nodes,)
        The switches, in the order of `RANKS`, that exchange slots whose links are down, as a mask.
    """

    def __init__(self, network: DeflectionNetwork) -> None:
        topology, kinds = network.topology, network.topology.node_type
        count = np.array([len(kind.outputs) for kind in kinds])
        self.base = np.concatenate([[0], count.cumsum()])
        self.node = np.repeat(np.arange(topology.nodes), count)
        self.local = np.arange(len(self.node)) - self.base[self.node]
        self.input, self.output = (
            np.array(
                [port for kind in kinds for port in getattr(network.pairings[kind], side)], np.int64
            )
            for side in ("inputs", "outputs")
        )
        self.port_index = self.node * (topology.degree + 1) + self.output
        at = np.full((topology.nodes, topology.degree), -1)
        at[self.node, self.input] = np.arange(len(self.node))
        ends = topology.neighbour, topology.arrival_port
        there = at[*(end[self.node, self.output] for end in ends)]
        self.source: IntArray = np.empty_like(there)
        self.source[there] = np.arange(len(there))

        has_terminal = np.isin(self.node, topology.terminals)
        into = has_terminal & np.array([network.enters(slot) for slot in self.local.tolist()])
        self.enters = self.masks(into)
        port = ejection_port(self.local, count[self.node], network.ejections)
        self.ejects = np.stack(
            [self.masks(has_terminal & (port == each)) for each in range(network.ejections)], axis=1
        )
        self.crosses = np.array([_crosses(network, node) for node in range(topology.nodes)])

    def masks(self, slots: IntArray) -> IntArray:
        """Return, by node, a mask of its slots for which an array of bool is true."""
        found = np.zeros(len(self.base) - 1, np.int64)
        np.bitwise_or.at(found, self.node, slots.astype(np.int64) << self.local)
        return found


def _crosses(network: DeflectionNetwork, node: int) -> int:
    """Return the switches of a node that exchange slots whose links are down, as a mask."""
    ranks = network.pairings[network.topology.node_type[node]].passages or ()
    switches = [passage.crosses for rank in ranks for passage in rank]
    return sum(crosses << number for number, crosses in enumerate(switches))
