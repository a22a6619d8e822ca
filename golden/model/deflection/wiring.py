"""The slots of all deflection routers: where each leads, and which switches exchange them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.deflection.switches import in_cycles, reach
from fingerpost.golden.network.deflection import DeflectionNetwork


def ejection_port(slot: Any, links: Any, ports: int) -> Any:
    """Return the ejection port of a slot, or of an array of slots: each serves its share."""
    return slot * ports // links


@dataclass(frozen=True)
class Switches:
    """The switches of a rank in all routers.

    Attributes
    ----------
    a, b : (switches,) arrays
        The slots that they may exchange.
    first, second : (switches,) arrays
        The bits of `Slots.wanted` that lie behind the side of a, and of b.
    crosses : (switches,) array of bool
        What they do for slots whose links are not up.
    """

    a: IntArray
    b: IntArray
    first: IntArray
    second: IntArray
    crosses: BoolArray


class Wiring:
    """The slots of all routers in turn; behind the switches a slot is the link of an output port.

    Attributes
    ----------
    node : (slots,)
        The node of each slot.
    local : (slots,)
        Its number there.
    port_index : (slots,)
        The output whose link it is, as node * (degree + 1) + port.
    input, output : (slots,)
        The ports of each slot.
    source : (slots,)
        The slot whose link ends in it.
    injects : list of arrays
        The slots into which terminals inject, in the order in which they are tried.
    ejection : (slots,)
        The ejection port for flits of the slot, as node * ports + port; -1 without a terminal.
    ranks : list of lists of Switches
        Those of each cycle.
    """

    def __init__(self, network: DeflectionNetwork) -> None:
        topology = network.topology
        kinds = topology.node_type
        count = np.array([len(kind.outputs) for kind in kinds])
        self.node = np.repeat(np.arange(topology.nodes), count)
        base = np.cumsum(count) - count
        self.local = np.arange(len(self.node)) - base[self.node]
        inputs, outputs = (
            np.array(
                [port for kind in kinds for port in getattr(network.pairings[kind], side)], np.int64
            )
            for side in ("inputs", "outputs")
        )
        self.input, self.output = inputs, outputs
        self.passages = [network.pairings[kind].passages for kind in kinds]
        self.port_index = self.node * (topology.degree + 1) + outputs
        at = np.full((topology.nodes, topology.degree), -1)
        at[self.node, inputs] = np.arange(len(self.node))
        there = at[
            topology.neighbour[self.node, outputs], topology.arrival_port[self.node, outputs]
        ]
        self.source = np.empty_like(there)
        self.source[there] = np.arange(len(there))

        terminal = np.isin(self.node, topology.terminals)
        each = network.ejections
        port = self.node * each + ejection_port(self.local, count[self.node], each)
        self.ejection = np.where(terminal, port, -1)
        self.injects = [
            np.flatnonzero(terminal & (self.local == slot))
            for slot in range(int(count.max()))
            if network.enters(slot)
        ]
        self.ranks = [
            self._ranks(count, base, cycle, network.hop_cycles - 2)
            for cycle in range(network.hop_cycles - 2)
        ]

    def _ranks(self, count: IntArray, base: IntArray, cycle: int, cycles: int) -> list[Switches]:
        """Return the switches of each rank of a cycle."""
        found: list[list[tuple[IntArray | BoolArray, ...]]] = []
        for links in np.unique(count).tolist():
            nodes = np.flatnonzero(count == links)
            start = base[nodes]
            before = sum(map(len, in_cycles(links, cycles)[:cycle]))
            sides = reach(links)[before:]
            for rank, switches in enumerate(in_cycles(links, cycles)[cycle]):
                if rank == len(found):
                    found.append([])
                for place, ((a, b), side) in enumerate(zip(switches, sides[rank], strict=True)):
                    masks = (int(where @ (1 << np.arange(links))) for where in side)
                    same = [np.full_like(start, mask) for mask in masks]
                    crosses = self._crosses(nodes, before + rank, place)
                    found[rank].append((start + a, start + b, *same, crosses))
        return [
            Switches(*(np.concatenate(column) for column in zip(*rank, strict=True)))
            for rank in found
        ]

    def _crosses(self, nodes: IntArray, rank: int, place: int) -> BoolArray:
        """Return, by node, whether a switch exchanges slots that are not up."""
        rows = [self.passages[node] for node in nodes.tolist()]
        return np.array([bool(row and row[rank][place].crosses) for row in rows], np.bool_)
