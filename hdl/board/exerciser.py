"""Sources and sinks at all terminals of a network, and what they count."""

from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.hdl.board.reporter import COUNTS, Reporter
from fingerpost.hdl.board.sink import Sink
from fingerpost.hdl.board.source import Source

SEED = 0x9E37
"""An odd number: its multiples are all different, and none but that of 0 is 0."""


class Exerciser(wiring.Component):
    """Send for half of an interval, let the network drain for a quarter, then tell what has come.

    Parameters
    ----------
    nodes : int
        Of the network.
    terminals : sequence of int
        The numbers of those that have one.
    only : int, optional
        The one node that is here, with a terminal or without, if they are not all. Vectors have a
        part for each node that is here.
    bytes : int
        Of tdata; two or more.
    divisor : int
        Cycles of a bit on the UART.
    interval : int
        Cycles from line to line, as a power of 2.

    Members
    -------
    tvalid, tdata, tkeep, tlast, tdest : ``Out``    What all terminals send, packed.
    tready : ``In``
    m_tvalid, m_tdata, m_tkeep, m_tlast, m_tuser : ``In``    What they get.
    m_tready : ``Out``
    trouble : ``In(1)``                             An error counter of the network is not 0.
    tx : ``Out(1)``                                 The UART.
    leds : ``Out(8)``                               See `fingerpost.hdl.board.files.LEDS`.
    """

    tvalid: Signal
    tready: Signal
    tdata: Signal
    tkeep: Signal
    tlast: Signal
    tdest: Signal
    m_tvalid: Signal
    m_tready: Signal
    m_tdata: Signal
    m_tkeep: Signal
    m_tlast: Signal
    m_tuser: Signal
    trouble: Signal
    tx: Signal
    leds: Signal

    def __init__(
        self,
        *,
        nodes: int,
        terminals: Sequence[int],
        bytes: int,
        divisor: int,
        interval: int,
        only: int | None = None,
    ) -> None:
        self.terminals, self.bytes, self.only = terminals, bytes, only
        self.divisor, self.interval, self.number = divisor, interval, bits(nodes)
        self.here = nodes = nodes if only is None else 1
        super().__init__(
            {
                "tvalid": Out(nodes),
                "tready": In(nodes),
                "tdata": Out(nodes * 8 * bytes),
                "tkeep": Out(nodes * bytes),
                "tlast": Out(nodes),
                "tdest": Out(nodes * self.number),
                "m_tvalid": In(nodes),
                "m_tready": Out(nodes),
                "m_tdata": In(nodes * 8 * bytes),
                "m_tkeep": In(nodes * bytes),
                "m_tlast": In(nodes),
                "m_tuser": In(nodes * (self.number + 1)),
                "trouble": In(1),
                "tx": Out(1),
                "leds": Out(8),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Put one of each at every terminal, add up, and report."""
        m = Module()
        clock, enable = Signal(self.interval), Signal()
        m.d.sync += [clock.eq(clock + 1), enable.eq(~clock[-1])]
        events: dict[str, list[Value]] = {name: [] for name in COUNTS}
        for v in self.terminals if self.only is None else {*self.terminals} & {self.only}:
            source = self._source(m, v, enable)
            sink = self._sink(m, v, source.chance)
            for name, event in zip(COUNTS, (source.sent, sink.received, sink.wrong), strict=True):
                events[name].append(event)
        counts = {name: Signal(32, name=name) for name in COUNTS}
        for name, count in counts.items():
            some = Signal(range(len(self.terminals) + 1), name=f"some_{name}")
            m.d.sync += [some.eq(sum(events[name])), count.eq(count + some)]

        title = "" if self.only is None else f"node {self.only} "
        m.submodules.reporter = reporter = Reporter(self.divisor, title=title)
        sent, received, wrong = counts.values()
        all_came, ever_wrong = Signal(), Signal()
        m.d.comb += [
            reporter.counts.eq(Cat(counts.values())),
            reporter.start.eq(clock == 3 << self.interval - 2),
            self.tx.eq(reporter.tx),
            self.leds.eq(Cat(clock[-1], all_came, ever_wrong, received[16:21])),
        ]
        m.d.sync += ever_wrong.eq(self.trouble | (wrong != 0))
        with m.If(reporter.start):
            if self.only is None:
                m.d.sync += all_came.eq((sent == received) & (sent != 0))
            else:  # what it has sent comes elsewhere
                before = Signal.like(received)
                m.d.sync += [all_came.eq(received != before), before.eq(received)]
        return m

    def _source(self, m: Module, v: int, enable: Value) -> Source:
        source = Source(self.bytes, terminals=self.terminals, number=self.number)
        m.submodules[f"source{v}"] = source
        stream: Any = source.stream
        m.d.comb += [
            source.me.eq(v),
            source.seed.eq(SEED * (v + 1)),
            source.enable.eq(enable),
            stream.tready.eq(self._part(self.tready, v)),
            self._part(self.tvalid, v).eq(stream.tvalid),
            self._part(self.tlast, v).eq(stream.tlast),
            self._part(self.tdata, v).eq(stream.tdata),
            self._part(self.tdest, v).eq(source.dest),
            self._part(self.tkeep, v).eq(stream.tkeep),
        ]
        return source

    def _sink(self, m: Module, v: int, chance: Value) -> Sink:
        m.submodules[f"sink{v}"] = sink = Sink(self.bytes, number=self.number)
        stream: Any = sink.stream
        m.d.comb += [
            sink.me.eq(v),
            sink.willing.eq(chance[3] | chance[7]),
            self._part(self.m_tready, v).eq(stream.tready),
            stream.tvalid.eq(self._part(self.m_tvalid, v)),
            stream.tlast.eq(self._part(self.m_tlast, v)),
            stream.tdata.eq(self._part(self.m_tdata, v)),
            stream.tuser.eq(self._part(self.m_tuser, v)),
            stream.tkeep.eq(self._part(self.m_tkeep, v)),
        ]
        return sink

    def _part(self, vector: Value, v: int) -> Value:
        width, v = len(vector) // self.here, v if self.only is None else 0
        return vector[v * width : (v + 1) * width]
