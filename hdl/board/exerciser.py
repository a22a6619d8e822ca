"""Sources and sinks at all terminals of a network, what they count, and its reports by UART."""

from collections.abc import Sequence
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.hdl.board.traffic import Sink, Source
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.memory import look_up


class UartSender(Component):
    """Send bytes, 8 bits, no parity, one stop bit.

    Parameters
    ----------
    divisor : int
        Cycles of a bit.

    Members
    -------
    data : ``In(8)``, valid : ``In(1)``    A byte; it stays until it is taken.
    ready : ``Out(1)``                     It is taken.
    tx : ``Out(1)``                        The wire; rests high.

    Raises
    ------
    ValueError
        If there is no such rate.
    """

    def __init__(self, divisor: int) -> None:
        if divisor < 2:
            raise ValueError(f"UART needs at least 2 cycles a bit, not {divisor}")
        self.divisor = divisor
        super().__init__(
            {"data": In(8), "valid": In(1), "ready": Out(1), "tx": Out(1, init=1)}  # type: ignore[call-arg]
        )

    def elaborate(self, platform: object) -> Module:
        """Shift."""
        m = Module()
        bits, left, clocks = Signal(9), Signal(range(11)), Signal(range(self.divisor))
        m.d.comb += self.ready.eq(left == 0)
        with m.If(self.ready):
            m.d.sync += clocks.eq(0)
            with m.If(self.valid):
                m.d.sync += [bits.eq(Cat(self.data, 1)), left.eq(10), self.tx.eq(0)]
        with m.Elif(clocks == self.divisor - 1):
            m.d.sync += [
                Cat(self.tx, bits).eq(Cat(bits, Const(1, 1))),
                left.eq(left - 1),
                clocks.eq(0),
            ]
        with m.Else():
            m.d.sync += clocks.eq(clocks + 1)
        return m


COUNTS = "sent", "received", "wrong"
"""What is counted."""

DIGITS = 8

LINE = " ".join(f"{name} {'#' * DIGITS}" for name in COUNTS) + "\r\n"
"""What is sent, behind the title; for each # a hexadecimal digit."""


class Reporter(Component):
    """Send a line with the counts, as they are when it begins.

    Parameters
    ----------
    divisor : int
        Cycles of a bit.
    title : str
        What each line begins with, if anything.

    Members
    -------
    counts : ``In(96)``    The counts, 32 bits each, the first lowest.
    start : ``In(1)``      Send a line.
    tx : ``Out(1)``        The wire.
    """

    def __init__(self, divisor: int, *, title: str = "") -> None:
        self.divisor, self.line = divisor, title + LINE
        width = 4 * DIGITS * len(COUNTS)
        super().__init__(counts=In(width), start=In(1), tx=Out(1))

    def elaborate(self, platform: object) -> Module:
        """Go through the characters; a digit is that which comes next."""
        m = Module()
        m.submodules.uart = uart = UartSender(self.divisor)
        digits, place, busy = Signal.like(self.counts), Signal(range(len(self.line))), Signal()
        letter = look_up(m, "line", place, self.line.encode())
        digit, shown = Signal(4), Signal(7)
        count = 4 * DIGITS
        words = [self.counts[start : start + count] for start in range(0, len(digits), count)]
        m.d.comb += [
            digit.eq(digits[-4:]),
            shown.eq(Mux(digit < 10, ord("0") + digit, ord("a") - 10 + digit)),
            uart.data.eq(Mux(letter == ord("#"), shown, letter)),
            uart.valid.eq(busy),
            self.tx.eq(uart.tx),
        ]
        with m.If(busy & uart.ready):
            with m.If(letter == ord("#")):
                m.d.sync += digits.eq(Cat(Const(0, 4), digits[:-4]))
            m.d.sync += [place.eq(place + 1), busy.eq(place != len(self.line) - 1)]
        with m.Elif(~busy & self.start):
            m.d.sync += [busy.eq(1), place.eq(0), digits.eq(Cat(reversed(words)))]
        return m


SEED = 0x9E37
"""An odd number: its multiples are all different, and none but that of 0 is 0."""


class Exerciser(Component):
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
            tvalid=Out(nodes),
            tready=In(nodes),
            tdata=Out(nodes * 8 * bytes),
            tkeep=Out(nodes * bytes),
            tlast=Out(nodes),
            tdest=Out(nodes * self.number),
            m_tvalid=In(nodes),
            m_tready=Out(nodes),
            m_tdata=In(nodes * 8 * bytes),
            m_tkeep=In(nodes * bytes),
            m_tlast=In(nodes),
            m_tuser=In(nodes * (self.number + 1)),
            trouble=In(1),
            tx=Out(1),
            leds=Out(8),
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
