"""From the network to AXI4-Stream, inviting packets; the twin of hdl's FlowReceiver."""

import numpy as np

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.flit import Flits
from fingerpost.golden.header import Layout
from fingerpost.golden.terminal.axi_receiver import beats_of
from fingerpost.golden.terminal.axi_sender import Beats
from fingerpost.golden.terminal.flow_layout import (
    ACK,
    EAGER,
    GRANT,
    REQUEST,
    FlowControl,
    FlowLayout,
)
from fingerpost.golden.terminal.flow_sender import Answers
from fingerpost.golden.terminal.pace import Paces
from fingerpost.golden.terminal.queues import BlockQueues, Queues
from fingerpost.golden.terminal.reassembly import REQUEST_LENGTH, Reassembly


class FlowReceiver:
    """Takes every flit in the cycle in which it arrives; hands packets over.

    See hdl's FlowReceiver for the rules.

    Attributes
    ----------
    source : (terminals,) array
        Node from which the beat of `front` is.
    credit : array
        Terminals that give back a credit in this cycle.
    acked, granted : tuples of arrays
        In the last `step`: terminals at which an acknowledge arrived, its peer and units; a grant,
        its slot, and the sequence number of its first beat.
    """

    def __init__(
        self,
        terminals: int,
        flow: FlowControl,
        *,
        flit: Layout,
        layout: FlowLayout,
        classes: int = 1,
    ) -> None:
        self.flow, self.flit, self.layout = flow, flit, layout
        self.arrivals: BlockQueues | Reassembly = (
            BlockQueues(terminals, depth=flow.arrivals, columns=5)
            if flow.ordered
            else Reassembly(terminals, flow)
        )
        self.requests = (
            BlockQueues(terminals, depth=flow.requests, columns=3)
            if isinstance(self.arrivals, BlockQueues)
            else self.arrivals.requests
        )
        self.replies = Queues(terminals, depth=flow.answers, columns=5)
        self.pace = Paces(terminals, classes, flow)
        self.from_, self.sequence = np.zeros((2, terminals), np.int64)
        none = np.zeros(terminals, np.bool_)
        self.from_eager, self.middle, self.offered = none.copy(), none, none
        self.space = np.full(terminals, flow.receive)
        self.units = np.ones(terminals, np.int64)  # of the packet, with the beat at the front
        self.withheld = np.full((terminals, flow.peers), flow.withheld, np.int8)
        self.late: tuple[IntArray, ...] = (np.empty(0, np.int64),) * 3
        self.credit = np.empty(0, np.int64)
        self.rested = none
        self.busy = np.zeros(terminals, np.int64)  # cycles without rest

    @property
    def answer(self) -> Answers:
        """Return the oldest answers."""
        peer, grant, slot, units, base = self.replies.front
        return self.replies.valid, peer, grant, slot, units, base

    def front(self) -> tuple[BoolArray, Beats]:
        """Return tvalid and the beats of this cycle."""
        word, last, eager, source, tag = self.arrivals.front
        self.source, self.eager, tail = source, eager > 0, last > 0
        invites = self.eager & ~self.middle
        self.room = self.replies.level <= self.flow.answers - 2
        self.may_invite = self.pace.open
        self.may_invite[self.late[0]] = False
        may = (~invites | self.may_invite) & (~tail | self.room)
        valid = self.arrivals.valid & (self.offered | may)
        return valid, beats_of(word, tail, tag, self.flit, self.layout)

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
        flow = self.flow
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
        rests = self.pace.open & self._rests
        self.rested = self.rested.copy()
        self.rested[opened] = False
        self.rested |= rests
        self.busy = np.where(rests, 0, np.minimum(self.busy + 1, flow.busy))
        acks = np.zeros_like(taken)
        acks[due] = True

        # Grants.
        peer, slot, length = self.requests.front[:3]
        grants = self.requests.valid & self.may_invite & (self.space >= length) & self.room
        base = np.zeros_like(peer)
        if isinstance(self.arrivals, Reassembly):
            grants &= self.arrivals.granted.level < flow.grants
            base = self.arrivals.base
        flits_invited = np.where(grants, length + 1, 0)
        flits_invited += np.where(taken & self.eager, 1 + (~self.middle & ~self.layout.single), 0)
        self.space = self.space - np.where(grants, length, 0) + (taken & ~self.eager)
        self.pace.step(flits_invited, node // self.pace.classes)
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
            (base * is_grant)[pushes],
        )

        # Arrivals.
        handed_source, handed_units = self.source[handed], self.units[handed]
        self.units = np.where(taken, np.where(last | ~self.eager, 1, self.units + 1), self.units)
        self._arrive(flits, node, taken, grants)
        self.middle = np.where(taken, ~last, self.middle)
        self.offered = valid & ~ready
        self.late = handed, handed_source, handed_units
        self.credit = node

    @property
    def _rests(self) -> BoolArray:
        """Return whether nothing waits to be handed over, or granted."""
        arrivals = self.arrivals
        nothing = arrivals.rests if isinstance(arrivals, Reassembly) else ~arrivals.valid
        return nothing & ~self.requests.valid

    def _arrive(self, flits: Flits, node: IntArray, taken: BoolArray, grants: BoolArray) -> None:
        """Sort what arrives; take away what is handed over, and granted."""
        word, layout, single = flits.data, self.layout, self.layout.single
        heads = np.ones_like(flits.head) if single else flits.head
        kind, source = layout.head.cut("kind", word), layout.head.cut("source", word)
        request, acked, granted = (heads & (kind == one) for one in (REQUEST, ACK, GRANT))
        slot, length = layout.head.cut("slot", word), layout.head.cut("length", word)
        sequence = layout.head.cut("sequence", word) if layout.sequence else np.zeros_like(word)
        self.acked = node[acked], source[acked], length[acked]
        self.granted = node[granted], slot[granted], sequence[granted]
        body = heads & (kind > REQUEST) if single else ~heads
        last = layout.mark.cut("last", word) if single else flits.tail.astype(np.int64)
        if not single:
            sequence = np.where(heads, sequence, self.sequence[node])
            source = np.where(heads, source, self.from_[node])
            eager = np.where(heads, kind == EAGER, self.from_eager[node])
            self.from_[node], self.from_eager[node] = source, eager
            self.sequence[node] = sequence + body
        else:
            eager = kind == EAGER
            word = np.where(body, word >> layout.mark.width, word)
        if isinstance(self.arrivals, BlockQueues):
            self.requests.step(
                grants, node[request], source[request], slot[request], length[request]
            )
            beats = word, last, eager.astype(np.int64), source, flits.tag
            self.arrivals.step(taken, node[body], *(column[body] for column in beats))
            return
        window = eager | request
        stream = np.where(window, source, self.flow.peers)
        sequence %= 2 * np.where(window, self.flow.rows, self.flow.space)
        word = np.where(request, slot << REQUEST_LENGTH | length, word)
        columns = stream, sequence, word, last, request.astype(np.int64), flits.tag
        comes = body | request
        self.arrivals.step(taken, grants, node[comes], *(column[comes] for column in columns))
