"""What stands between AXI4-Stream users and routers, at every terminal at once."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.terminal.axi_receiver import AxiReceiver
from fingerpost.golden.terminal.axi_sender import AxiSender, Beats
from fingerpost.golden.terminal.flow_receiver import FlowReceiver
from fingerpost.golden.terminal.flow_sender import FlowSender
from fingerpost.golden.terminal.queues import Queues
from fingerpost.golden.terminal.stored_sender import StoredSender


class Edge(NamedTuple):
    """What interfaces see at a clock edge.

    Attributes
    ----------
    taken : array
        tvalid and tready of what users send.
    beats, dest : arrays
        What they send.
    credit : array
        1 where the router gives back a credit.
    flits, node : Flits, array
        What arrives, and where.
    valid, ready : arrays
        tvalid and tready of what users receive.
    """

    taken: BoolArray
    beats: Beats
    dest: IntArray
    credit: IntArray
    flits: Flits
    node: IntArray
    valid: BoolArray
    ready: BoolArray


class Interfaces(ABC):
    """Interfaces from users to routers and back.

    In a cycle, the sender's `flits` and the receiver's `front` say what goes out to routers and
    users, and `step` takes what comes from both.
    """

    sender: AxiSender | StoredSender | FlowSender
    receiver: AxiReceiver | FlowReceiver

    def flits(self, places: IntArray) -> Flits:
        """Return what is sent to routers in this cycle."""
        return self.sender.flits(places)

    @property
    def closed(self) -> IntArray:
        """Return the packets that are closed in this cycle, because their senders fell silent."""
        return np.empty(0, np.int64)

    @property
    @abstractmethod
    def idle(self) -> bool:
        """Return whether nothing is stored, and no credit is due."""

    @abstractmethod
    def step(self, edge: Edge) -> None:
        """Go through a clock edge."""


class DirectInterfaces(Interfaces):
    """Interfaces that send each beat, or each complete packet, as soon as the router has room.

    `head` and `known` are what they look up for each packet: its head flit, and whether there is a
    terminal of that number.
    """

    def __init__(
        self,
        sender: AxiSender | StoredSender,
        receiver: AxiReceiver,
        *,
        head: IntArray,
        known: BoolArray,
    ) -> None:
        self.sender: AxiSender | StoredSender = sender
        self.receiver: AxiReceiver = receiver
        self.head, self.known = np.append(head, 0), np.append(known, False)

    @property
    def closed(self) -> IntArray:
        return self.sender.open_tag[self.sender.closes]

    @property
    def idle(self) -> bool:
        stored = self.sender.held.any() or self.receiver.level.any()
        return not stored and not len(self.receiver.credit)

    def step(self, edge: Edge) -> None:
        tag = edge.beats.tag
        self.sender.step(edge.taken, edge.beats, self.head[tag], self.known[tag], edge.credit)
        self.receiver.step(edge.flits, edge.node, edge.ready)


class FlowInterfaces(Interfaces):
    """Interfaces with end-to-end flow control.

    `queue` has what waits for a place in a router without buffers; a flit that leaves it is a
    credit for the sender in the next cycle.
    """

    def __init__(
        self, sender: FlowSender, receiver: FlowReceiver, queue: Queues | None = None
    ) -> None:
        self.sender: FlowSender = sender
        self.receiver: FlowReceiver = receiver
        self.queue = queue
        self.left = np.zeros(len(sender.every), np.int64)
        self.pushed = Flits.empty()

    def flits(self, places: IntArray) -> Flits:
        flits = self.sender.flits(places)
        if self.queue is None:
            return flits
        self.pushed = flits
        data, tag = self.queue.front
        at = np.flatnonzero(self.queue.valid)
        one = np.ones(len(at), np.bool_)
        return Flits(places[at], np.zeros_like(at), one, one, data[at], tag[at])

    @property
    def idle(self) -> bool:
        sender, receiver = self.sender, self.receiver
        queues = receiver.arrivals, receiver.requests, receiver.replies
        waits = any(queue.level.any() for queue in queues)
        waits |= self.queue is not None and bool(self.queue.level.any() or self.left.any())
        credit = self.queue is None and len(receiver.credit)
        return sender.empty and not waits and not credit and not len(receiver.late[0])

    def step(self, edge: Edge) -> None:
        """Go through a clock edge; routers without buffers are ready where they give a credit."""
        sender, receiver, queue = self.sender, self.receiver, self.queue
        taken, beats, dest, credit, flits, node, valid, ready = edge
        if queue is not None:
            leaves = queue.valid & (credit > 0)
            at = np.flatnonzero(sender.sent)
            queue.step(leaves, at, self.pushed.data, self.pushed.tag)
            self.left, credit = leaves.astype(np.int64), self.left
        answer = receiver.answer
        receiver.step(flits, node, ready, valid, answer[0] & ~sender.chosen)
        sender.step(taken, beats, dest, credit, answer, receiver.acked, receiver.granted)
