"""Beats put in order; the twin of fingerpost.golden.terminal.reassembly."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.terminal.flow_layout import SLOTS, FlowControl, FlowLayout
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.memory import NO_RW_CHECK, BlockQueue, read_new


class Reassembly(Component):
    """Keep each beat in the place of its sequence number; show packets in order by source.

    The beats of eager packets and the requests of a source are numbered in the order in which its
    terminal sends them, those of granted packets in the order of grants: each source, and what was
    granted, is a *stream* with places of its own. Whatever sends keeps within its window and
    within what was granted, so a place is free when it is written. The highest bit of a sequence
    number is its round; a place keeps that of the beat that is to be written into it next.

    A stream is in the queue of ready ones, or shown, or none of its beats is the next. A beat that
    is the next when it arrives brings its stream into the queue. Behind the last beat of a packet
    the place of the next beat is looked at, and if that is there, the stream enters the queue, too.
    A request is handed on when its turn comes; its source is shown again when the packet, which is
    then granted, has been.

    ::

        cycle   0 1 2 3 4 5 6
        push    1 1 0 0 0 0 0    two beats of one packet
        valid   0 0 0 1 1 0 0    in cycle 5 the next place is looked at

    Parameters
    ----------
    layout : FlowLayout
    flow : FlowControl

    Members
    -------
    clear, cleared : ``In``              Place to be cleared after a reset; all are.
    push : ``In(1)``                     A beat or a request arrives.
    granted, source, sequence : ``In``   Its stream, and its number there.
    request : ``In(1)``                  It is a request, and `body` its slot above its length.
    body, last : ``In``                  The beat; it is the last of its packet.
    valid, pop : ``Out(1), In(1)``       There is a beat; it is handed over.
    front_body, front_last, front_eager, front_source : ``Out``    That beat.
    rests : ``Out(1)``                   No packet is shown, or will be next.
    wanted_valid, wanted : ``Out``       The oldest request whose turn has come.
    grant : ``In(1)``                    It is granted.
    may_grant : ``Out(1)``               There is room to remember it.
    base : ``Out``                       Sequence number of its first beat.
    """

    def __init__(self, layout: FlowLayout, flow: FlowControl) -> None:
        self.layout, self.flow = layout, flow
        self.stream = data.StructLayout({"source": layout.number, "granted": 1})
        self.width = max(layout.body.width, bits(SLOTS) + layout.length)
        super().__init__(
            clear=In(bits(flow.clearing)),
            cleared=In(1),
            push=In(1),
            granted=In(1),
            source=In(layout.number),
            sequence=In(flow.sequence),
            request=In(1),
            body=In(self.width),
            last=In(1),
            valid=Out(1),
            pop=In(1),
            front_body=Out(layout.body.width),
            front_last=Out(1),
            front_eager=Out(1),
            front_source=Out(layout.number),
            rests=Out(1),
            wanted_valid=Out(1),
            wanted=Out(
                data.StructLayout(
                    {
                        "peer": layout.number,
                        "length": layout.length,
                        "slot": bits(SLOTS),
                        "follows": flow.sequence,
                    }
                )
            ),
            grant=In(1),
            may_grant=Out(1),
            base=Out(flow.sequence),
        )

    def elaborate(self, platform: object) -> Module:
        """Write places; show a stream, then look at its next place."""
        m = Module()
        flow, layout = self.flow, self.layout
        place = data.StructLayout({"body": self.width, "last": 1, "request": 1, "next_round": 1})
        turn = data.StructLayout({"stream": self.stream, "sequence": flow.sequence})
        follower = data.StructLayout({"source": layout.number, "sequence": flow.sequence})
        places: Memory = Memory(shape=place, depth=flow.places, init=[], attrs=NO_RW_CHECK)
        heads: Memory = Memory(
            shape=flow.sequence, depth=flow.peers + 1, init=[], attrs=NO_RW_CHECK
        )
        m.submodules.places, m.submodules.heads = places, heads
        m.submodules.ready = ready = BlockQueue(turn, depth=flow.peers + 1)
        m.submodules.requests = requests = BlockQueue(self.wanted.shape(), depth=flow.peers)
        m.submodules.grants = grants = SyncFIFO(width=follower.size, depth=flow.grants)

        # What arrives: is it the next beat of its stream?
        arrives: Any = Signal(turn)
        write, read = places.write_port(), places.read_port()
        ends = heads.write_port()
        lookup, head = read_new(m, heads, ends)
        late = Signal()
        late_turn: Any = Signal(turn)
        comes = Signal()
        m.d.comb += [
            arrives.stream.source.eq(self.source),
            arrives.stream.granted.eq(self.granted),
            arrives.sequence.eq(self._within(self.granted, self.sequence)),
            write.addr.eq(Mux(self.cleared, self._place(arrives), self.clear)),
            write.data.body.eq(self.body),
            write.data.last.eq(self.last),
            write.data.request.eq(self.request),
            write.data.next_round.eq(~self._round(self.granted, self.sequence) & self.cleared),
            write.en.eq(self.push | ~self.cleared),
            lookup.eq(Mux(self.granted, flow.peers, self.source)),
            comes.eq(late & (head == late_turn.sequence)),
        ]
        m.d.sync += [late.eq(self.push), late_turn.eq(arrives)]

        # What is shown, or looked at.
        shown: Any = Signal(turn)
        now, fresh, show, check = read.data, Signal(), Signal(), Signal()
        present, parks, held, then, starts, over = (
            Signal(name=name) for name in ("present", "parks", "held", "then", "starts", "over")
        )
        granted = shown.stream.granted
        after = self._within(granted, shown.sequence + 1)
        follows: Any = data.View(follower, grants.r_data)
        next_turn: Any = Signal(turn)
        m.d.comb += [
            present.eq(fresh & (now.next_round != self._round(granted, shown.sequence))),
            parks.eq(show & present & now.request),
            self.valid.eq(show & present & ~now.request),
            over.eq(self.pop & now.last),
            held.eq(check & present & comes),
            then.eq(check & ~held & granted),
            starts.eq(ready.valid & ((~show & ~check) | parks | (check & ~held & ~granted))),
            self.front_body.eq(now.body),
            self.front_last.eq(now.last),
            self.front_eager.eq(~granted),
            self.front_source.eq(Mux(granted, follows.source, shown.stream.source)),
            self.rests.eq(~show & ~check & ~ready.valid),
        ]
        with m.If(check & granted):
            m.d.comb += [
                next_turn.stream.source.eq(follows.source),
                next_turn.sequence.eq(follows.sequence),
            ]
        with m.Elif(~show | (present & now.request)):
            m.d.comb += next_turn.eq(ready.front)
        with m.Else():
            m.d.comb += [
                next_turn.stream.eq(shown.stream),
                next_turn.sequence.eq(Mux(present, after, shown.sequence)),
            ]
        moves = then | starts | self.pop
        with m.If(moves):
            m.d.sync += shown.eq(next_turn)
        stream = Mux(check, follows.source, Mux(granted, flow.peers, shown.stream.source))
        m.d.comb += [
            read.addr.eq(self._place(next_turn)),
            read.en.eq(moves | (show & ~present) | ~self.cleared),
            ends.addr.eq(Mux(self.cleared, stream, self.clear)),
            ends.data.eq(Mux(self.cleared, Mux(check, follows.sequence, after), 0)),
            ends.en.eq(over | then | ~self.cleared),
        ]
        # What was read from a place in the cycle in which it was written is not used.
        was_read, was_fresh = Signal(), Signal()
        written, looked_at = self._place(late_turn), self._place(shown)
        m.d.sync += [
            *(was_read.eq(read.en), was_fresh.eq(fresh)),
            check.eq(over | then | held),
            show.eq(starts | (show & ~parks & ~over)),
        ]
        m.d.comb += fresh.eq(Mux(was_read, ~(late & (written == looked_at)), was_fresh))

        # Streams that are ready; requests; what is granted.
        m.d.comb += [
            ready.push.eq(comes | (check & present)),
            ready.entry.eq(Mux(comes, late_turn, shown)),
            ready.pop.eq(starts),
            requests.push.eq(parks),
            requests.entry.peer.eq(shown.stream.source),
            requests.entry.length.eq(now.body[: layout.length]),
            requests.entry.slot.eq(now.body[layout.length :]),
            requests.entry.follows.eq(after),
            requests.pop.eq(self.grant),
            self.wanted_valid.eq(requests.valid),
            self.wanted.eq(requests.front),
            self.may_grant.eq(grants.w_rdy),
            grants.w_data.eq(Cat(requests.front.peer, requests.front.follows)),
            grants.w_en.eq(self.grant),
            grants.r_en.eq(then),
        ]
        with m.If(self.grant):
            m.d.sync += self.base.eq(self._within(1, self.base + requests.front.length))
        return m

    def _within(self, granted: Value | int, sequence: Value) -> Value:
        """Return a sequence number modulo twice the places of its stream."""
        window, space = (bits(2 * rows) for rows in (self.flow.rows, self.flow.space))
        return Mux(granted, sequence[:space], sequence[:window])

    def _round(self, granted: Value, sequence: Value) -> Value:
        """Return the round of a sequence number."""
        window, space = (bits(rows) for rows in (self.flow.rows, self.flow.space))
        return Mux(granted, sequence[space], sequence[window])

    def _place(self, turn: Any) -> Value:
        """Return the place of a beat."""
        window, space = (bits(rows) for rows in (self.flow.rows, self.flow.space))
        first = Const(self.flow.granted_place >> space, bits(self.flow.places) - space)
        granted = Cat(turn.sequence[:space], first)
        return Mux(turn.stream.granted, granted, Cat(turn.sequence[:window], turn.stream.source))
