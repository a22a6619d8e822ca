"""Frames of bytes over links that know no end of a message; the twin of golden.link.frame."""

from typing import Any

from amaranth import Module, Mux, ResetInserter, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.crc.catalog import CRC16_IBM_3740
from amaranth.lib.wiring import In, Out

__all__ = ["FrameReader", "FrameWriter", "token_layout"]


def token_layout() -> data.StructLayout:
    """Return the layout of what a reader gives: a byte of ROUTE, LEN or PAYLOAD, or the end.

    With `last` the frame is over, and `bad` if it did not come as it was sent; `data` then means
    nothing.
    """
    return data.StructLayout({"data": 8, "last": 1, "bad": 1})


class FrameReader(wiring.Component):
    """Bytes to frames: cut off the CRC and tell whether it fits.

    A frame that was begun is always R + 1 + LEN bytes and an end, come what may: what is behind a
    reader never has to find out where frames start.

    Parameters
    ----------
    route_bytes : int
        The length R of ROUTE, 1 or more.

    Members
    -------
    i : ``In(stream.Signature(8))``               Bytes.
    o : ``Out(stream.Signature(token_layout))``   Frames. Bytes pass in the same clock.
    reset : ``In(1)``    The next byte is the first of a frame, and one that was begun is filled
                         with zeros. No byte moves in this clock. For `OsLink.link_break`.
    lost : ``Out(1)``    For one clock: a frame had neither its CRC nor the complement. Perhaps
                         LEN was wrong, and what seems to be the next frame starts somewhere else.
                         For `OsLink.tx_break`.

    Raises
    ------
    ValueError
        If ROUTE has no byte.
    """

    i: Any
    o: Any
    reset: Signal
    lost: Signal

    def __init__(self, route_bytes: int) -> None:
        if route_bytes < 1:
            raise ValueError(f"Frame needs a ROUTE of at least 1 byte, not {route_bytes!r}")
        self.route_bytes = route_bytes
        super().__init__(
            {
                "i": In(stream.Signature(8)),
                "o": Out(stream.Signature(token_layout())),
                "reset": In(1),
                "lost": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count the bytes of a frame."""
        m = Module()
        left = Signal(range(max(256, self.route_bytes + 1)), init=self.route_bytes)
        cut, due, poison = Signal(), Signal(init=1), Signal(init=1)
        over, takes, present, filled = Signal(), Signal(), Signal(), Signal(8)
        m.submodules.crc = crc = ResetInserter(over)(CRC16_IBM_3740().create())
        wanted = Signal(8)
        # The CRC of a frame that was cut does not matter.
        m.d.comb += [
            crc.data.eq(self.i.payload),
            present.eq((self.i.valid | cut) & ~self.reset),
            filled.eq(Mux(cut, 0, self.i.payload)),
            self.o.payload.data.eq(filled),
        ]

        def passes() -> None:
            m.d.comb += [
                self.o.valid.eq(present),
                self.i.ready.eq(self.o.ready & ~cut & ~self.reset),
                takes.eq(present & self.o.ready),
                crc.valid.eq(takes),
            ]

        def compares() -> None:
            m.d.comb += [self.i.ready.eq(~cut & ~self.reset), takes.eq(present)]
            with m.If(takes):
                m.d.sync += [
                    due.eq(due & (self.i.payload == wanted) & ~cut),
                    poison.eq(poison & (self.i.payload == ~wanted)),
                ]

        with m.FSM() as fsm:
            with m.State("head"):
                passes()
                with m.If(takes):
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 0):
                        m.d.sync += left.eq(filled)
                        m.next = "payload"
                        with m.If(filled == 0):
                            m.next = "low"
            with m.State("payload"):
                passes()
                with m.If(takes):
                    m.d.sync += left.eq(left - 1)
                    with m.If(left == 1):
                        m.next = "low"
            with m.State("low"):
                m.d.comb += wanted.eq(crc.crc[:8])
                compares()
                with m.If(takes):
                    m.next = "high"
            with m.State("high"):
                m.d.comb += wanted.eq(crc.crc[8:])
                compares()
                with m.If(takes):
                    m.next = "end"
            with m.State("end"):
                m.d.comb += [
                    self.o.valid.eq(1),
                    self.o.payload.last.eq(1),
                    self.o.payload.bad.eq(~due),
                    over.eq(self.o.ready),
                    self.lost.eq(over & ~due & ~poison & ~cut),
                ]
                with m.If(over):
                    m.d.sync += [due.eq(1), poison.eq(1), cut.eq(0), left.eq(self.route_bytes)]
                    m.next = "head"

        # A frame whose first bytes were sent must be completed.
        begun = ~(fsm.ongoing("head") & (left == self.route_bytes)) & ~fsm.ongoing("end")
        with m.If(self.reset & begun):
            m.d.sync += cut.eq(1)
        return m


class FrameWriter(wiring.Component):
    """Frames to bytes, with a new CRC, or its complement: poison, if the frame is bad.

    Members
    -------
    i : ``In(stream.Signature(token_layout))``   Frames, as a reader gives them.
    o : ``Out(stream.Signature(8))``             Bytes. They pass in the same clock.
    reset : ``In(1)``    Send nothing more of a frame that was begun. Nothing moves in this clock.
                         For `OsLink.link_break`.
    """

    i: Any
    o: Any
    reset: Signal

    def __init__(self) -> None:
        super().__init__(
            {
                "i": In(stream.Signature(token_layout())),
                "o": Out(stream.Signature(8)),
                "reset": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Send two bytes for the end of a frame."""
        m = Module()
        begun, drops, high, over, sends = Signal(), Signal(), Signal(), Signal(), Signal()
        m.submodules.crc = crc = ResetInserter(over)(CRC16_IBM_3740().create())
        token = self.i.payload
        m.d.comb += [
            crc.data.eq(token.data),
            crc.valid.eq(self.i.valid & self.i.ready & ~token.last),
            over.eq(self.i.valid & self.i.ready & token.last),
            self.o.valid.eq(self.i.valid & ~drops & ~self.reset),
            sends.eq(self.o.valid & self.o.ready),
            self.i.ready.eq((drops | (self.o.ready & (~token.last | high))) & ~self.reset),
            self.o.payload.eq(token.data),
        ]
        with m.If(token.last):
            m.d.comb += self.o.payload.eq(crc.crc.word_select(high, 8) ^ token.bad.replicate(8))
            with m.If(sends):
                m.d.sync += high.eq(~high)
        with m.If(crc.valid):
            m.d.sync += begun.eq(1)
        with m.If(over):
            m.d.sync += [begun.eq(0), drops.eq(0)]
        with m.If(self.reset & begun):
            m.d.sync += [drops.eq(1), high.eq(0)]
        return m
