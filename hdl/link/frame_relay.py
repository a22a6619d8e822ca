"""What takes frames from one link to the next; the twin of golden.link.frame.FrameRelay."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.hdl.link.frame import FrameReader, FrameWriter, token_layout

__all__ = ["FrameRelay", "FrameStore", "RouteStage"]


class RouteStage(wiring.Component):
    """Hold ROUTE until all of it is there, then send what has become of it.

    Parameters
    ----------
    route_bytes : int

    Members
    -------
    i : ``In(stream.Signature(token_layout))``    Frames.
    o : ``Out(stream.Signature(token_layout))``   Frames; all but ROUTE passes in the same clock.
    route_in : ``Out(8 * route_bytes)``           ROUTE, while `o.valid` is up for its first byte.
    route_out : ``In(8 * route_bytes)``           What to send instead, in the same clock.
    """

    i: Any
    o: Any
    route_in: Signal
    route_out: Signal

    def __init__(self, route_bytes: int) -> None:
        self.route_bytes = route_bytes
        super().__init__(
            {
                "i": In(stream.Signature(token_layout())),
                "o": Out(stream.Signature(token_layout())),
                "route_in": Out(8 * route_bytes),
                "route_out": In(8 * route_bytes),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Shift ROUTE in, then out."""
        m = Module()
        held = Signal(8 * self.route_bytes)
        count = Signal(range(self.route_bytes), init=self.route_bytes - 1)
        m.d.comb += self.route_in.eq(held)

        def shift(value: Any, state: str) -> None:
            m.d.sync += [held.eq(value), count.eq(count - 1)]
            with m.If(count == 0):
                m.d.sync += count.eq(self.route_bytes - 1)
                m.next = state

        with m.FSM():
            with m.State("in"):
                m.d.comb += self.i.ready.eq(1)
                with m.If(self.i.valid):
                    shift(Cat(held[8:], self.i.payload.data), "out")
            with m.State("out"):
                whole = Mux(count == self.route_bytes - 1, self.route_out, held)
                m.d.comb += [self.o.valid.eq(1), self.o.payload.data.eq(whole[:8])]
                with m.If(self.o.ready):
                    shift(whole >> 8, "pass")
            with m.State("pass"):
                m.d.comb += [
                    self.o.payload.eq(self.i.payload),
                    self.o.valid.eq(self.i.valid),
                    self.i.ready.eq(self.o.ready),
                ]
                with m.If(self.i.valid & self.o.ready & self.i.payload.last):
                    m.next = "in"
        return m


class FrameStore(wiring.Component):
    """Hold a frame until all of it is there; forget it if it is bad.

    The next frame comes in while one goes out: the memory is a ring with room for the longest
    frame at any time that nothing goes out.

    Parameters
    ----------
    depth : int
        Places, a power of two; a frame takes R + 2 + LEN.

    Members
    -------
    i : ``In(stream.Signature(token_layout))``    Frames.
    o : ``Out(stream.Signature(token_layout))``   Good frames.

    Raises
    ------
    ValueError
        If `depth` is no power of two from 2 on.
    """

    i: Any
    o: Any

    def __init__(self, depth: int = 512) -> None:
        if depth < 2 or depth & (depth - 1):
            raise ValueError(f"FrameStore needs a depth that is a power of two, not {depth!r}")
        self.depth = depth
        super().__init__(
            {
                "i": In(stream.Signature(token_layout())),
                "o": Out(stream.Signature(token_layout())),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Write ahead of what may be read."""
        m = Module()
        memory: Any = Memory(shape=9, depth=self.depth, init=[])
        m.submodules.memory = memory
        write, read = memory.write_port(), memory.read_port()
        head, tail, whole = (Signal(range(self.depth)) for _ in range(3))
        takes, gives = Signal(), Signal()
        after = (head + 1)[: len(head)]
        # What is read in this clock was written before: a frame has more than one token.
        m.d.comb += [
            self.i.ready.eq(after != tail),
            takes.eq(self.i.valid & self.i.ready),
            write.addr.eq(head),
            write.data.eq(Cat(self.i.payload.data, self.i.payload.last)),
            write.en.eq(takes),
            self.o.valid.eq(tail != whole),
            gives.eq(self.o.valid & self.o.ready),
            read.addr.eq(tail + gives),
            read.en.eq(1),
            Cat(self.o.payload.data, self.o.payload.last).eq(read.data),
        ]
        m.d.sync += tail.eq(tail + gives)
        with m.If(takes):
            m.d.sync += head.eq(after)
            with m.If(self.i.payload.last):
                with m.If(self.i.payload.bad):
                    m.d.sync += head.eq(whole)
                with m.Else():
                    m.d.sync += whole.eq(after)
        return m


class FrameRelay(wiring.Component):
    """Bytes in, bytes out: a reader, what may become of ROUTE, and a writer.

    A byte goes on as soon as it is there, but for the CRC: whether to send poison is not known
    before both bytes of the old one are there, so the new one is a byte later.

    Parameters
    ----------
    route_bytes : int
    store : bool
        Send a frame when all of it is there, and only if it is good.
    rewrite : bool
        Whether there are `route_in` and `route_out`. Without them ROUTE goes on as it came.

    Members
    -------
    i : ``In(stream.Signature(8))``        Bytes from one link.
    o : ``Out(stream.Signature(8))``       Bytes to the other.
    i_reset, o_reset : ``In(1)``           There was a break on the one or the other.
    lost : ``Out(1)``                      As of the reader.
    route_in : ``Out(8 * route_bytes)``    ROUTE as it came, in the clock in which it is replaced.
    route_out : ``In(8 * route_bytes)``    What to send instead, a function of `route_in`.
    """

    i: Any
    o: Any
    i_reset: Signal
    o_reset: Signal
    lost: Signal

    def __init__(self, route_bytes: int, *, store: bool = False, rewrite: bool = False) -> None:
        self.route_bytes, self.store, self.rewrite = route_bytes, store, rewrite
        self.reader = FrameReader(route_bytes)
        routes = {"route_in": Out(8 * route_bytes), "route_out": In(8 * route_bytes)}
        super().__init__(
            {
                "i": In(stream.Signature(8)),
                "o": Out(stream.Signature(8)),
                "i_reset": In(1),
                "o_reset": In(1),
                "lost": Out(1),
                **(routes if rewrite else {}),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join the stages."""
        m = Module()
        m.submodules.reader = reader = self.reader
        m.submodules.writer = writer = FrameWriter()
        connect(m, flipped(self.i), reader.i)
        connect(m, writer.o, flipped(self.o))
        m.d.comb += [
            reader.reset.eq(self.i_reset),
            writer.reset.eq(self.o_reset),
            self.lost.eq(reader.lost),
        ]
        stages: list[Any] = [reader]
        if self.rewrite:
            ports: Any = self
            m.submodules.stage = stage = RouteStage(self.route_bytes)
            m.d.comb += [ports.route_in.eq(stage.route_in), stage.route_out.eq(ports.route_out)]
            stages.append(stage)
        if self.store:
            m.submodules.store = store = FrameStore()
            stages.append(store)
        for here, there in zip(stages, [*stages[1:], writer], strict=True):
            connect(m, here.o, there.i)
        return m
