"""From the network to AXI4-Stream, inviting packets; the twin of hdl's FlowReceiver."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.header import Layout
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    ANSWERS,
    EAGER,
    GRANT,
    REQUEST,
    FlowControl,
    FlowLayout,
)
from fingerpost.golden.terminal.flow_sender import Answers
from fingerpost.golden.terminal.queues import BlockQueues, Queues

__all__ = ["FlowReceiver"]


class FlowReceiver:
    """Takes every flit in the cycle in which it arrives; hands beats over in the order of arrival.

    See hdl's FlowReceiver for the rules.

    Attributes
    ----------
    source : (terminals,) array
        Node from which the beat of `front` is.
    credit : array
        Terminals that give back a credit in this cycle.
    acked, granted : tuples of arrays
        In the last `step`: terminals at which an acknowledge arrived, its peer and units; a grant,
        and its slot.
    """

    def __init__(
        self, terminals: int, flow: FlowControl, *, flit: Layout, layout: FlowLayout
    ) -> None:
        self.flow, self.flit, self.layout = flow, flit, layout
        self.arrivals = BlockQueues(terminals, depth=flow.arrivals, columns=5)
        self.requests = BlockQueues(terminals, depth=flow.requests, columns=3)
        self.replies = Queues(terminals, depth=ANSWERS, columns=4)
        self.from_, self.wait = np.zeros((2, terminals), np.int64)
        none = np.zeros(terminals, np.bool_)
        self.from_eager, self.middle, self.offered = none.copy(), none, none
        self.space = np.full(terminals, flow.receive)
        self.units = np.ones(terminals, np.int64)  # of the packet, with the beat at the front
        self.withheld = np.full((terminals, flow.peers), flow.withheld, np.int8)
        self.late: tuple[IntArray, ...] = (np.empty(0, np.int64),) * 3
        self.credit = np.empty(0, np.int64)
        self.cycle = 0
        self.rested = none
        self.busy = np.zeros(terminals, np.int64)  # cycles without rest
        self.row = np.zeros(terminals, np.int64)  # flits in a row

    @property
    def answer(self) -> Answers:
        """Return the oldest answers."""
        peer, grant, slot, units = self.replies.front
        return self.replies.valid, peer, grant, slot, units

    def front(self) -> tuple[BoolArray, Beats]:
        """Return tvalid and the beats of this cycle."""
        word, last, eager, source, tag = self.arrivals.front
        self.source, self.eager, tail = source, eager > 0, last > 0
        invites = self.eager & ~self.middle
        room = self.replies.level <= ANSWERS - 3
        self.may_invite = self.wait == 0
        self.may_invite[self.late[0]] = False
        may = (~invites | self.may_invite) & (~tail | room)
        valid = self.arrivals.valid & (self.offered | may)
        body, layout = self.layout.body, self.layout
        last_byte = np.full_like(word, layout.bytes - 1)
        if "last_byte" in body:
            last_byte = np.where(tail, body.cut("last_byte", word), last_byte)
        bad = body.cut("error", word) > 0
        if layout.status:
            bad |= word >> (self.flit["data"].width - layout.status) > 0
        return valid, Beats(layout.data(word), tail, last_byte, tail & bad, tag)

    def step(
        self, flits: Flits, node: IntArray, ready: BoolArray, valid: BoolArray, answered: BoolArray
    ) -> None:
        """Go through a clock edge.

        Parameters
        ----------
        flits : Flits
            What arrives, at most one at a terminal.
        node : array
            The terminals at which it arrives.
        ready, valid : arrays
            tready, tvalid.
        answered : array
            Whether the oldest answer is sent.
        """
        flow, head = self.flow, self.layout.head
        taken = valid & ready
        last = self.arrivals.front[1] > 0
        handed = np.flatnonzero(taken & last)
        due, due_source, due_units = self.late
        before = self.withheld[due, due_source]
        closed = before >= flow.withheld
        shut = ~self.rested[due] & (closed | (self.busy[due] == flow.busy))
        due_units = due_units + before
        now = np.where(shut, due_units > flow.withheld, due_units >= flow.batch)
        kept = np.where(now, np.where(shut, flow.withheld, 0), due_units)
        self.withheld[due, due_source] = kept
        opened = due[now & closed & ~shut]
        due, due_source, due_units = due[now], due_source[now], (due_units - kept)[now]
        rests = (self.wait == 0) & ~self.arrivals.valid & ~self.requests.valid
        self.rested = self.rested.copy()
        self.rested[opened] = False
        self.rested |= rests
        self.busy = np.where(rests, 0, np.minimum(self.busy + 1, flow.busy))
        acks = np.zeros_like(taken)
        acks[due] = True

        # Grants.
        peer, slot, length = self.requests.front
        grants = (
            self.requests.valid
            & self.may_invite
            & (self.space >= length)
            & (self.replies.level <= ANSWERS - 4)
        )
        flits_invited = np.where(grants, length + 1, 0)
        flits_invited += np.where(taken & self.eager, 2 - self.middle, 0)
        self.space = self.space - np.where(grants, length, 0) + (taken & ~self.eager)
        passes = (self.cycle % 8 != 0) & (self.row != flow.full)
        self.wait = self.wait + flits_invited
        self.wait -= passes & (self.wait != 0)
        row = np.zeros_like(self.row)
        row[node] = np.minimum(self.row[node] + 1, flow.full)
        self.row = row
        answer_peer = peer.copy()
        answer_peer[due] = due_source
        units = np.zeros_like(peer)
        units[due] = due_units
        pushes = np.flatnonzero(acks | grants)
        is_grant = (~acks).astype(np.int64)
        self.replies.step(
            answered,
            pushes,
            answer_peer[pushes],
            is_grant[pushes],
            (slot * is_grant)[pushes],
            units[pushes],
        )

        # Arrivals.
        word, kind = flits.data, head.cut("kind", flits.data)
        source = head.cut("source", word)
        request = flits.head & (kind == REQUEST)
        self.requests.step(
            grants,
            node[request],
            source[request],
            head.cut("slot", word)[request],
            head.cut("length", word)[request],
        )
        acked, granted = flits.head & (kind == ACK), flits.head & (kind == GRANT)
        self.acked = node[acked], source[acked], head.cut("length", word)[acked]
        self.granted = node[granted], head.cut("slot", word)[granted]
        handed_source, handed_units = self.source[handed], self.units[handed]
        self.units = np.where(taken, np.where(last | ~self.eager, 1, self.units + 1), self.units)
        body = ~flits.head
        at = node[body]
        self.arrivals.step(
            taken,
            at,
            word[body],
            flits.tail[body].astype(np.int64),
            self.from_eager[at].astype(np.int64),
            self.from_[at],
            flits.tag[body],
        )
        self.from_[node[flits.head]] = source[flits.head]
        self.from_eager[node[flits.head]] = (kind == EAGER)[flits.head]
        self.middle = np.where(taken, ~last, self.middle)
        self.offered = valid & ~ready
        self.late = handed, handed_source, handed_units
        self.credit = node
        self.cycle += 1
