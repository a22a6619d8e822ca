"""An output port: credits, channels held by packets, arbitration, and the registered link."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from golden.lanes import Lanes
from hdl.arbiter import Arbiter
from hdl.flit import LinkSignature, flit_layout
from hdl.handover import Handover
from hdl.logic import bar, select

__all__ = ["OutputPort", "front_layout"]


def front_layout(channels: int) -> data.StructLayout:
    """Return what an output sees of an input: a bit for each channel, of its front.

    Whether its packet wants this output; whether there is a front; whether it is a head, and a
    tail; whether it is nominated.
    """
    names = ("wants", "waits", "head", "last", "nominee")
    return data.StructLayout(dict.fromkeys(names, channels))


class _Source(NamedTuple):
    """A queue whose packets may want a channel: its input and channel there, and when."""

    input: int
    channel: int
    wants: Value


class OutputPort(wiring.Component):
    """Choose one of the nominees that want this output, and let it cross to the link.

    A channel is held by one packet at a time (`Handover`), so what has it and a credit keeps both
    until it goes. What is taken crosses in the next cycle, and is on the link in the one after.

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
    courtesy : int
        Whether heads from the terminal let others pass.
    flit_width : int

    Members
    -------
    fronts : ``In(front_layout)``, by input       The fronts of its channels.
    turns : ``In(inputs)``                        Whether packets from there are raised.
    lane : ``In(lanes)``                          The channel of the terminal's packet, one-hot.
    insists : ``In(1)``                           The head of the terminal has let enough pass.
    able : ``Out(channels)``, by input            Whose fronts could go here: a credit is there,
                                                  and the channel is theirs or free.
    grant : ``Out(inputs)``                       One-hot, or 0: the input that is taken.
    crossing : ``In(flit_layout)``, by input      What was nominated in the cycle before.
    through : ``Out(1)``                          The tail of a packet of a neighbour crosses.
    link : ``Out(LinkSignature)``                 The link; all its outputs are registers.
    """

    fronts: list[Any]
    turns: Signal
    lane: Signal
    insists: Signal
    able: list[Signal]
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
        courtesy: int,
        flit_width: int,
    ) -> None:
        self.channels, self.terminal, self.lanes, self.eject = channels, terminal, lanes, eject
        self.depth, self.guest = depth, terminal and courtesy > 0
        self.outgoing = 1 if eject else lanes.channels
        super().__init__(
            {
                **{f"front{i}": In(front_layout(width)) for i, width in enumerate(channels)},
                **{f"able{i}": Out(width) for i, width in enumerate(channels)},
                "turns": In(len(channels)),
                "lane": In(int(lanes.count[0])),
                "insists": In(1),
                "grant": Out(len(channels)),
                "crossing": In(flit_layout(flit_width)).array(len(channels)),
                "through": Out(1),
                "link": Out(LinkSignature(channels=self.outgoing, flit_width=flit_width)),
            }
        )
        self.fronts = [getattr(self, f"front{i}") for i in range(len(channels))]
        self.able = [getattr(self, f"able{i}") for i in range(len(channels))]

    def elaborate(self, platform: object) -> Module:
        """Arbitration, the state of each channel, and one column of the crossbar."""
        m = Module()
        inputs = range(len(self.channels))
        m.submodules.arbiter = arbiter = Arbiter(len(inputs), guest=self.guest)
        m.d.comb += [
            arbiter.request.eq(Cat((f.nominee & f.wants).any() for f in self.fronts)),
            self.grant.eq(arbiter.grant),
        ]
        if self.guest:
            head = self.fronts[-1].head[0]
            m.d.comb += [
                arbiter.before.eq(head & self.insists),
                arbiter.after.eq(head & ~self.insists),
            ]

        via, departs = Signal(len(inputs)), Signal(self.outgoing)
        able: list[list[Value]] = [[Value.cast(0)] for i in inputs for _ in range(self.channels[i])]
        first = [sum(self.channels[:i]) for i in inputs]
        for c in range(self.outgoing):
            sources = list(self._sources(c))
            sent, some = Signal(name=f"sent{c}"), Signal(init=1, name=f"some{c}")
            # Only whether there is a credit must be known at once. How many there are is counted
            # when the flit crosses, one cycle late: then one less has some left if two have.
            back = self.link.credit[c]
            credits = bar(m, f"credits{c}", self.depth, init=self.depth, up=back, down=departs[c])
            several, many = (credits[i] if i < self.depth else 0 for i in (1, 2))
            more = Mux(departs[c], many, several)
            m.d.sync += [departs[c].eq(sent), some.eq(Mux(sent, more, some) | back)]
            if sources:
                holders = self._hold(m, c, sources, sent)
                for source, holds in zip(sources, holders, strict=True):
                    able[first[source.input] + source.channel].append(source.wants & some & holds)
        for i in inputs:
            rows = able[first[i] : first[i] + self.channels[i]]
            m.d.comb += self.able[i].eq(Cat(Cat(row).any() for row in rows))

        m.d.sync += [
            via.eq(self.grant),
            self.link.flit.eq(select(via, self.crossing)),
            self.link.valid.eq(departs),
        ]
        others = len(inputs) - self.terminal
        tails = Cat(self.crossing[i].tail for i in range(others))
        m.d.comb += self.through.eq((via[:others] & tails).any())
        return m

    def _sources(self, c: int) -> Iterator[_Source]:
        """Find the queues whose packets may go on channel c, and when one does."""
        raised = self.lanes.raised.tolist()
        for i, channels in enumerate(self.channels):
            wants, turn = self.fronts[i].wants, self.turns[i]
            if self.terminal and i == len(self.channels) - 1:
                if self.eject:
                    yield _Source(i, 0, wants[0])
                elif c < len(self.lane):
                    yield _Source(i, 0, wants[0] & self.lane[c])
                continue
            for v in range(channels):
                if self.eject or c == v == raised[v]:
                    yield _Source(i, v, wants[v])
                elif c == v:
                    yield _Source(i, v, wants[v] & ~turn)
                elif c == raised[v]:
                    yield _Source(i, v, wants[v] & turn)

    def _hold(self, m: Module, c: int, sources: list[_Source], sent: Signal) -> list[Value]:
        """Hand channel c over; return which sources may send on it, as far as others go."""
        terminal = self.terminal and sources[-1].input == len(self.channels) - 1
        handover = Handover(
            tuple(source.input for source in sources),
            inputs=len(self.channels),
            only=self.outgoing == 1,
            guest=self.guest and terminal,
        )
        m.submodules[f"handover{c}"] = handover
        for k, (i, v, wants) in enumerate(sources):
            front = self.fronts[i]
            m.d.comb += [
                handover.waits[k].eq(wants & front.waits[v] & front.head[v]),
                handover.last[k].eq(front.last[v]),
                handover.nominated[k].eq(front.nominee[v] & wants),
            ]
        m.d.comb += [
            handover.grant.eq(self.grant),
            handover.insists.eq(self.insists),
            sent.eq(handover.sent),
        ]
        return [handover.free | handover.holder[k] for k in range(len(sources))]
