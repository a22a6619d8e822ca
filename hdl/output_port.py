"""An output port: credits, channels of packets, arbitration, and the registered link."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from golden.deadlock.lanes import Lanes
from hdl.arbiter import Arbiter
from hdl.flit import LinkSignature, flit_layout
from hdl.logic import select, thermometer
from hdl.rounds import Rounds

__all__ = ["OutputPort", "front_layout"]


def front_layout(channels: int) -> data.StructLayout:
    """Return what an output sees of an input: a bit for each channel, of its front.

    Whether its packet wants this output; whether there is a front; whether it is a head, and a
    tail; whether it is nominated.
    """
    names = ("wants", "waits", "head", "last", "nominee")
    return data.StructLayout(dict.fromkeys(names, channels))


class _Source(NamedTuple):
    """A queue whose packets may want a channel: its input and channel there, and when they do.

    `here` tells that those that come to this output go on this channel.
    """

    input: int
    channel: int
    here: Value


class OutputPort(wiring.Component):
    """Choose one of the nominees that want this output, and let it cross to the link.

    From its head to its tail a packet has its channel to itself. Of the heads that wait for a
    channel each goes once before any goes twice (`Rounds`); where no input has a choice of
    channels the arbiter alone sees to that. What is taken crosses in the next cycle, and is on the
    link in the one after.

    Parameters
    ----------
    channels : tuple of int
        Of each input that turns here, the virtual channels.
    terminal : bool
        Whether the last of these inputs is the terminal.
    lanes : Lanes
        The channels of links.
    eject : bool
        Whether the link goes to the terminal: then it has one channel, for all packets.
    depth : int
        Flits that the receiver holds for each channel.
    guests : sequence of int
        The inputs whose heads let others pass.
    flit_width : int

    Members
    -------
    fronts : ``In(front_layout)``, by input       The fronts of its channels.
    increments : ``In(inputs)``                   Whether packets from there are raised.
    lane : ``In(lanes)``                          The channel of the terminal's packet, one-hot.
    insists : ``In(channels)``, by guest          The head has let enough pass.
    able : ``Out(channels)``, by input            Whose fronts could go here: a credit is there,
                                                  and the channel is theirs, or it is free and
                                                  they have not had their turn.
    soon : ``Out(channels)``, by input            The same in the next cycle, if all nominees go;
                                                  not foreseen where there are several channels.
    grant : ``Out(inputs)``                       One-hot, or 0: the input that is taken.
    crossing : ``In(flit_layout)``, by input      What was nominated in the cycle before.
    through : ``Out(inputs)``                     If there are guests: from where the tail of a
                                                  packet crosses.
    link : ``Out(LinkSignature)``                 The link; all its outputs are registers.
    """

    fronts: list[Any]
    increments: Signal
    lane: Signal
    insists: list[Signal]
    able: list[Signal]
    soon: list[Signal]
    grant: Signal
    crossing: list[data.View]
    through: Signal
    link: Any

    def __init__(
        self,
        *,
        channels: tuple[int, ...],
        terminal: bool,
        lanes: Lanes,
        eject: bool,
        depth: int,
        guests: Sequence[int] = (),
        flit_width: int,
    ) -> None:
        self.channels, self.terminal, self.lanes, self.eject = channels, terminal, lanes, eject
        self.depth, self.guests = depth, tuple(guests)
        self.outgoing = 1 if eject else lanes.channels
        super().__init__(
            {
                **{f"front{i}": In(front_layout(width)) for i, width in enumerate(channels)},
                **{f"able{i}": Out(width) for i, width in enumerate(channels)},
                **{f"soon{i}": Out(width) for i, width in enumerate(channels)},
                "increments": In(len(channels)),
                "lane": In(int(lanes.count[0])),
                **{f"insists{i}": In(channels[i]) for i in guests},
                "grant": Out(len(channels)),
                "crossing": In(flit_layout(flit_width)).array(len(channels)),
                "through": Out(len(channels)),
                "link": Out(LinkSignature(channels=self.outgoing, flit_width=flit_width)),
            }
        )
        self.fronts = [getattr(self, f"front{i}") for i in range(len(channels))]
        self.insists = [getattr(self, f"insists{i}") for i in guests]
        self.able = [getattr(self, f"able{i}") for i in range(len(channels))]
        self.soon = [getattr(self, f"soon{i}") for i in range(len(channels))]

    def elaborate(self, platform: object) -> Module:
        """Arbitration, the state of each channel, and one column of the crossbar."""
        m = Module()
        inputs = range(len(self.channels))
        m.submodules.arbiter = arbiter = Arbiter(len(inputs), guests=self.guests)
        m.d.comb += [
            arbiter.request.eq(
                Cat((f.nominee & a).any() for f, a in zip(self.fronts, self.able, strict=True))
            ),
            arbiter.served.eq(arbiter.grant),
            self.grant.eq(arbiter.grant),
        ]
        for number, (i, insists) in enumerate(zip(self.guests, self.insists, strict=True)):
            head = self.fronts[i].nominee & self.fronts[i].head
            m.d.comb += [
                arbiter.before[number].eq((head & insists).any()),
                arbiter.after[number].eq((head & ~insists).any()),
            ]
        ends = Signal()  # what goes is a tail
        lasts = [(front.nominee & front.last).any() for front in self.fronts]
        m.d.comb += ends.eq((self.grant & Cat(lasts)).any())

        able, soon = (
            {(i, v): [Value.cast(0)] for i in inputs for v in range(self.channels[i])}
            for _ in range(2)
        )
        departs = Signal(self.outgoing)
        for c in range(self.outgoing):
            sources = list(self._sources(c))
            sent = Signal(name=f"sent{c}")
            some = self._credit(m, c, sent, departs[c])
            m.d.sync += departs[c].eq(sent)
            goes = Signal(len(sources), name=f"goes{c}")
            m.d.comb += [
                goes.eq(
                    Cat(self.grant[i] & self.fronts[i].nominee[v] & here for i, v, here in sources)
                ),
                sent.eq(arbiter.request.any() if self.outgoing == 1 else goes.any()),
            ]
            busy = Signal(name=f"busy{c}")  # a packet has the channel
            with m.If(sent):
                m.d.sync += busy.eq(~ends)
            had, begins = self._rounds(m, c, sources, sent & ~busy)
            # Where there are other channels they fill the cycle that passes between two packets.
            busy_soon = Signal(name=f"busy_soon{c}") if self.outgoing == 1 else busy
            last = []
            for k, (i, v, here) in enumerate(sources):
                front = self.fronts[i]
                body = front.waits[v] & ~front.head[v]
                last.append(body & front.last[v] & front.nominee[v] & front.wants[v])
                possible = front.waits[v] & front.wants[v] & here & some
                able[i, v].append(possible & (~front.head[v] | ~(busy | had[k])))
                soon[i, v].append(possible & (~front.head[v] | ~(busy_soon | had[k])))
            if self.outgoing == 1:
                m.d.comb += busy_soon.eq(Mux(busy, ~Cat(last).any(), begins))
        for i in inputs:
            for wires, terms in ((self.able[i], able), (self.soon[i], soon)):
                m.d.comb += wires.eq(Cat(Cat(terms[i, v]).any() for v in range(self.channels[i])))

        via = Signal(len(inputs))
        m.d.sync += [
            via.eq(self.grant),
            self.link.flit.eq(select(via, self.crossing)),
            self.link.valid.eq(departs),
        ]
        if self.guests:
            m.d.comb += self.through.eq(via & Cat(flit.tail for flit in self.crossing))
        return m

    def _sources(self, c: int) -> Iterator[_Source]:
        """Find the queues whose packets may want channel c."""
        raised = self.lanes.next_vc.tolist()
        always = Const(1)
        for i, channels in enumerate(self.channels):
            turn = self.increments[i]
            if self.terminal and i == len(self.channels) - 1:
                if self.eject:
                    yield _Source(i, 0, always)
                elif c < len(self.lane):
                    yield _Source(i, 0, self.lane[c])
                continue
            for v in range(channels):
                if self.eject or c == v == raised[v]:
                    yield _Source(i, v, always)
                elif c == v:
                    yield _Source(i, v, ~turn)
                elif c == raised[v]:
                    yield _Source(i, v, turn)

    def _credit(self, m: Module, c: int, sent: Signal, departs: Value) -> Signal:
        """Return whether channel c has a credit.

        Only that must be known at once. How many there are is counted when the flit crosses, one
        cycle late: then one less has some left if two have.
        """
        some, back = Signal(init=1, name=f"some{c}"), self.link.credit[c]
        credits = thermometer(m, f"credits{c}", self.depth, init=self.depth, up=back, down=departs)
        several, many = (credits[i] if i < self.depth else 0 for i in (1, 2))
        more = Mux(departs, many, several)
        m.d.sync += some.eq(Mux(sent, more, some) | back)
        return some

    def _rounds(
        self, m: Module, c: int, sources: list[_Source], begins: Value
    ) -> tuple[Value, Value]:
        """Return who has had its turn on channel c, and whether a nominee may begin a packet."""
        if not sources or max(self.channels) == 1:
            return Const(0, len(sources)), Const(0)
        guests = {k: i for k, (i, _, _) in enumerate(sources) if i in self.guests}
        m.submodules[f"rounds{c}"] = rounds = Rounds(len(sources), guests=tuple(guests))
        for k, (i, v, here) in enumerate(sources):
            front = self.fronts[i]
            m.d.comb += [
                rounds.waits[k].eq(front.waits[v] & front.head[v] & front.wants[v] & here),
                rounds.goes[k].eq(self.grant[i] & front.nominee[v] & front.head[v] & here),
            ]
        m.d.comb += rounds.begins.eq(begins)
        for number, (k, i) in enumerate(guests.items()):
            insists = self.insists[self.guests.index(i)]
            m.d.comb += rounds.insists[number].eq(insists[sources[k].channel])
        long = (self.fronts[i].nominee[v] & ~self.fronts[i].last[v] for i, v, _ in sources)
        return rounds.had, (rounds.due & Cat(long)).any()
