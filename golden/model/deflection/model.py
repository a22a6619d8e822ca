"""All deflection routers of a network as arrays; the twin of fingerpost.hdl.deflection.

A hop takes four cycles, each with a register behind it:

| stage | reads | writes | what it does |
|---|---|---|---|
| arrive | link | arrived | ejection; injection into a slot that is empty |
| rank | arrived | ranked | order of priorities; the table is read |
| switch, first part | ranked | switched | the first ranks of switches |
| switch, second part | switched | link | the other ranks; the key of each flit |

With `hop_cycles` 3 the register `switched` is left out. Nothing is ever held: a register is
overwritten in each cycle, and what was in it has gone on.
"""

from collections import deque
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.counters import ERRORS, LOST
from fingerpost.golden.deflection.pairing import crosses
from fingerpost.golden.flit import Flits
from fingerpost.golden.model.deflection.wiring import Switches, Wiring
from fingerpost.golden.network.deflection import DeflectionNetwork


@dataclass
class Slots:
    """A register of each slot of all routers; of an empty slot only `valid` means anything.

    Attributes
    ----------
    valid : array of bool
        There is a flit.
    epoch : array
        The epoch in which it was injected.
    destination, data : arrays
    key : array
        An upper bound of the hops that are left; 0: it is at its destination.
    distance : array
        The hops that are left, by the table.
    old : array of bool
        It is not of the current epoch.
    wanted : array
        A bit for each slot whose output port is productive.
    rank : array
        Its place in the order of priorities of its router; the lowest comes first.
    down : array of bool
        Its link is not up: it is empty, and goes by its passages to the output of the link.
    tag : array
        What the hardware does not have: it tells packets apart.
    """

    valid: BoolArray
    epoch: IntArray
    destination: IntArray
    data: IntArray
    key: IntArray
    distance: IntArray
    old: BoolArray
    wanted: IntArray
    rank: IntArray
    down: BoolArray
    tag: IntArray

    @classmethod
    def empty(cls, slots: int) -> "Slots":
        """Return so many empty slots."""
        kinds: dict[str, Any] = {"valid": np.bool_, "old": np.bool_, "down": np.bool_}
        zeros: list[Any] = [np.zeros(slots, kinds.get(x.name, np.int64)) for x in fields(cls)]
        return cls(*zeros)

    def at(self, place: IntArray) -> "Slots":
        """Return a copy in which slot i has what slot `place[i]` has here."""
        return Slots(*(getattr(self, each.name)[place] for each in fields(self)))


class Writes(NamedTuple):
    """New entries of the tables of some nodes, one each at most.

    Attributes
    ----------
    node, destination, productive, distance : arrays
        See `DeflectionNetwork.entries`.
    """

    node: IntArray
    destination: IntArray
    productive: IntArray
    distance: IntArray


class DeflectionModel:
    """The routers of a network, all at once; `golden.model.Model` has the same interface.

    Registers are over the slots of `Wiring`.

    Attributes
    ----------
    links : Slots
        The output registers: the flits on the links in this cycle.
    arrived, ranked, switched : Slots
        The registers behind each stage.
    ejected : Flits
        What comes out in this cycle; the channel is the ejection port.
    taking : (nodes * ejections + 1,) array of bool
        Whether an ejection port may eject in this cycle; the last one is of nodes without.
    epoch : int
        The current epoch, as the routers have it.
    count : int
        The counter of which bit `DeflectionNetwork.epoch` is the epoch of the next cycle.
    pending : (nodes,) array of bool
        Whether a flit has waited at its terminal since a tick, and is let in before others.
    ticked : bool
        Whether the tick of the previous cycle asks which terminals wait.
    held : bool
        Whether only terminals that are pending inject, as the routers have it.
    hold : bool
        The same in the next cycle.
    waits : deque of bool
        Whether a terminal was pending, as it goes through the registers on the way to `hold`.
    refused : (nodes,) array of bool
        Whether what was injected in the previous cycle had a destination that does not exist.
    errors : (nodes,)
        How often that was; stops at `ERRORS.most`.
    link_up : (nodes, degree) array of bool
        By port, what nodes are told in this cycle of their links. Set it before `step`.
    writes : Writes, optional
        What is written into tables in this cycle. Set it before `step`.
    up : (nodes, degree) array of bool
        `link_up` as the routers have it.
    lost : (nodes,)
        Flits lost on its links that were not up; stops at `LOST.most`.
    dropped : array
        The tags of those that were lost in the last cycle.
    """

    def __init__(self, network: DeflectionNetwork) -> None:
        self.network, self.wiring = network, Wiring(network)
        topology = network.topology
        self.nodes, self.local, self.ports = topology.nodes, topology.local, topology.degree + 1
        self.terminals = len(topology.terminals)
        slots = len(self.wiring.node)
        self.links, self.arrived, self.ranked, self.switched = (
            Slots.empty(slots) for _ in range(4)
        )
        self.ejected = Flits.empty()
        self.taking = np.zeros(self.nodes * network.ejections + 1, np.bool_)
        self.epoch = self.count = 0
        self.pending = np.zeros(self.nodes, np.bool_)
        self.held = self.hold = self.ticked = False
        self.waits = deque([False] * network.hold_stages)
        self.refused = np.zeros(self.nodes, np.bool_)
        self.errors = np.zeros(self.nodes, np.int64)
        self.link_up = np.ones((self.nodes, topology.degree), np.bool_)
        self.up = self.link_up.copy()
        self.writes: Writes | None = None
        self._writing: Writes | None = None
        self.lost, self.dropped = np.zeros(self.nodes, np.int64), np.empty(0, np.int64)
        self.most_key = (1 << network.distance_width) - 1
        self.directed = topology.directed
        entries = [network.entries(node) for node in range(self.nodes)]
        self.productive = np.stack([each[0] for each in entries])
        self.distance = np.stack([each[1] for each in entries])

    @property
    def overruns(self) -> IntArray:
        """Return the flits that terminals send without leave: none."""
        return np.zeros(self.nodes, np.int64)

    @property
    def injection_credit(self) -> IntArray:
        """Return the terminals of which a flit goes in in this cycle, if they offer one."""
        flits = self._arrived()
        flits.valid[self._ejects(flits)] = False
        slots = np.concatenate(self.wiring.injects)
        ready = np.unique(self.wiring.node[slots[~flits.valid[slots] & ~flits.down[slots]]])
        return ready[self._lets_in()[ready]]

    def _lets_in(self) -> BoolArray:
        """Return the nodes whose terminal may inject, if there is a place."""
        return self.pending | (not self.held)

    @property
    def link(self) -> Flits:
        """Return the flits on links."""
        slot, every = np.flatnonzero(self.links.valid), self.links
        one, index = np.ones(len(slot), np.bool_), self.wiring.port_index[slot]
        return Flits(index, np.zeros_like(slot), one, one, every.data[slot], every.tag[slot])

    def wires(self) -> dict[str, IntArray]:
        """Return the fields of `SingleFlitLink.seen` by node and output port."""
        found = {}
        for name in ("valid", *self.network.link.payload):
            column = np.zeros(self.nodes * self.ports, np.int64)
            column[self.wiring.port_index] = getattr(self.links, name)
            found[name] = column.reshape(self.nodes, self.ports)[:, : self.local].ravel()
        return found

    def step(self, injected: Flits, ejection_credit: IntArray) -> None:
        """Go through one cycle, up to and including its clock edge.

        Parameters
        ----------
        injected : Flits
            The flits that terminals offer in this cycle; those of `injection_credit` go in.
        ejection_credit : array
            The ejection ports, as node * ejections + port, that take a flit two cycles later.
        """
        first, *second = self.wiring.ranks
        pending = bool(self.pending.any())
        refused = np.zeros(self.nodes, np.bool_)
        self._lose()
        arrived = self._arrive(injected, refused)
        ranked = self._rank()
        self._write()
        switched = self._switch(self.ranked, first)
        self.links = self._depart(self._switch(self.switched, *second) if second else switched)
        self.arrived, self.ranked, self.switched = arrived, ranked, switched
        self.errors = np.minimum(self.errors + self.refused, ERRORS.most)
        self.refused = refused
        self.up = self.link_up.copy()
        self.taking[:] = False
        self.taking[ejection_credit] = True
        self.epoch = self.count >> self.network.epoch & 1
        self._hold(pending)
        self.count += 1

    def _write(self) -> None:
        """Write into the tables what was given a cycle ago; flits that arrived then come before."""
        if (writes := self._writing) is not None:
            at = writes.node, writes.destination
            self.productive[at], self.distance[at] = writes.productive, writes.distance
        self._writing, self.writes = self.writes, None

    def _hold(self, pending: bool) -> None:
        """Begin or end the time in which only terminals that are pending inject."""
        if self.network.wait_limit is None:
            return
        self.ticked, self.held = not self.count & (1 << self.network.wait_limit) - 1, self.hold
        self.waits.append(pending)
        self.hold = self.waits.popleft() and (self.hold or self.ticked)

    def _arrived(self) -> Slots:
        """Return the flits that arrive."""
        flits = self.links.at(self.wiring.source)
        flits.old = flits.epoch != self.epoch
        flits.down = ~self.up[self.wiring.node, self.wiring.input]
        flits.valid &= ~flits.down
        return flits

    def _lose(self) -> None:
        """Count the flits on links that are not up where they leave; `_arrived` drops them."""
        wiring, links = self.wiring, self.links
        lost = links.valid & ~self.up[wiring.node, wiring.output]
        self.dropped = links.tag[lost]
        count = np.bincount(wiring.node[lost], minlength=self.nodes)
        self.lost = np.minimum(self.lost + count, LOST.most)

    def _ejects(self, flits: Slots) -> IntArray:
        """Return the slots of flits that are ejected: at each port an old one, else the first."""
        wiring = self.wiring
        slot = np.flatnonzero(flits.valid & (flits.key == 0) & self.taking[wiring.ejection])
        order = np.lexsort((wiring.local[slot], ~flits.old[slot], wiring.ejection[slot]))
        _, first = np.unique(wiring.ejection[slot[order]], return_index=True)
        return slot[order[first]]

    def _arrive(self, injected: Flits, refused: BoolArray) -> Slots:
        """Eject flits that are at home, and inject others; note what is refused."""
        flits, wiring = self._arrived(), self.wiring
        out, each = self._ejects(flits), self.network.ejections
        port, true = wiring.ejection[out], np.ones(len(out), np.bool_)
        at = port // each * self.ports + self.local
        self.ejected = Flits(at, port % each, true, true, flits.data[out], flits.tag[out])
        flits.valid[out] = False
        header = self.network.destination_width
        offer = np.full(self.nodes, -1)
        offer[injected.port_index // self.ports] = np.arange(len(injected.tag))
        waiting, lets_in = offer >= 0, self._lets_in()
        for slot in wiring.injects:
            node = wiring.node[slot]
            free = ~flits.valid[slot] & ~flits.down[slot] & (offer[node] >= 0) & lets_in[node]
            into, node = slot[free], node[free]
            which, offer[node] = offer[node], -1
            destination = injected.data[which] & ((1 << header) - 1)
            known = destination < self.terminals
            refused[node] = ~known
            flits.valid[into], flits.old[into] = known, False
            flits.epoch[into], flits.key[into] = self.epoch, self.most_key
            flits.destination[into], flits.tag[into] = destination, injected.tag[which]
            flits.data[into] = injected.data[which] >> header
            waiting[node] = False
        self.pending = waiting & (self.pending | (self.ticked and not self.held))
        return flits

    def _rank(self) -> Slots:
        """Order the flits by priority, and look up what brings them nearer."""
        flits, wiring = self.arrived, self.wiring
        ranked = flits.at(np.arange(len(flits.valid)))
        key = ~flits.old * (self.most_key + 1) + flits.key
        ranked.rank = key * self.ports + wiring.local
        node, destination = wiring.node, np.where(flits.valid, flits.destination, 0)
        ranked.wanted = np.where(flits.valid, self.productive[node, destination], 0)
        ranked.distance = np.where(flits.valid, self.distance[node, destination], 0)
        return ranked

    def _switch(self, flits: Slots, ranks: list[Switches]) -> Slots:
        """Return the flits behind some ranks of switches."""
        for rank in ranks:
            a, b = rank.a, rank.b
            swap = crosses(
                flits.rank[a] < flits.rank[b],
                (flits.wanted[a] & rank.first != 0, flits.wanted[a] & rank.second != 0),
                (flits.wanted[b] & rank.first != 0, flits.wanted[b] & rank.second != 0),
            )
            swap = np.where(flits.down[a] | flits.down[b], rank.crosses, swap)
            place = np.arange(len(flits.valid))
            place[a[swap]], place[b[swap]] = b[swap], a[swap]
            flits = flits.at(place)
        return flits

    def _depart(self, flits: Slots) -> Slots:
        """Return the flits as they leave: nearer, or deflected."""
        flits = flits.at(np.arange(len(flits.valid)))
        deflected = np.minimum(flits.distance + 1, self.most_key)
        if self.directed:  # the way back may be long
            deflected = np.full_like(deflected, self.most_key)
        productive = flits.wanted >> self.wiring.local & 1
        flits.key = np.where(productive, flits.distance - 1, deflected)
        return flits

    @property
    def flits(self) -> int:
        """Return the flits between the terminals."""
        registers = [self.links, self.arrived, self.ranked]
        registers += [self.switched] * (self.network.hop_cycles == 4)
        return sum(int(each.valid.sum()) for each in registers)
