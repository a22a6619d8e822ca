"""The sender of a stream link: flits in frames, kept until they are acknowledged."""

from typing import Any

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from fingerpost.golden.link.frames import CRC_POLYNOMIAL, CRC_WIDTH, Frames
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.crc import crc_step
from fingerpost.hdl.lib.header import LinkSignature, struct
from fingerpost.hdl.lib.logic import encode
from fingerpost.hdl.lib.memory import NO_RW_CHECK


class FrameSender(Component):
    """Send flits in frames, and again those that are not acknowledged in time.

    Flits wait in a memory from the router on. A word takes three registers: the one that the memory
    is read into, that of the word itself, and between them that of the flit. Words without a flit
    are ends of frames.

    Parameters
    ----------
    frames : Frames
    width : int
        Bits of a word.
    depth : int
        Flits of a channel for which the router has credits at first.

    Members
    -------
    near : ``In(LinkSignature)``            Flits of the router; credits for its output.
    tx : ``Out(stream.Signature(width))``   Words; valid from the first cycle after reset on.
    accepted : ``In(sequence_bits)``        Total of flits accepted from the other end.
    freed : ``In(place_bits)``, by channel  Totals of those that have left this end.
    fresh : ``In(1)``                       No good frame has come in since reset.
    good : ``In(1)``                        The other end has sent the frame end beside it.
    end : ``In(frames.end)``
    tick : ``In(1)``                        A time-out has passed since the last tick.
    stop : ``In(1)``                        Send ends of frames only.
    """

    def __init__(self, frames: Frames, *, width: int, depth: int) -> None:
        self.frames, self.width, self.depth = frames, width, depth
        super().__init__(
            {
                "near": In(LinkSignature(channels=frames.channels, flit_width=frames.flit_width)),
                "tx": Out(stream.Signature(width)),
                "accepted": In(frames.sequence_bits),
                "freed": In(frames.place_bits).array(frames.channels),
                "fresh": In(1),
                "good": In(1),
                "end": In(struct(frames.end)),
                "tick": In(1),
                "stop": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Keep, fetch, and send."""
        m = Module()
        self._grant(m)
        frames, tx, total = self.frames, self.tx, self.frames.sequence_bits
        written, read, following, next_read, acknowledged = (
            Signal(total, name=name)
            for name in ("written", "read", "following", "next_read", "acknowledged")
        )
        flits = Signal(range(frames.flits + 1))
        some, again, fetch, move, is_flit, closed = (
            Signal(name=name) for name in ("some", "again", "fetch", "move", "is_flit", "closed")
        )
        kept = self._memory(m, written, next_read)
        m.d.comb += [
            move.eq(~tx.valid | tx.ready),
            fetch.eq(some & (flits != frames.flits) & ~again & ~closed & ~self.stop),
            following.eq(read + 1),
            next_read.eq(read),
        ]
        # Whether there is one at `next_read`, from comparisons that do not wait for it.
        m.d.sync += some.eq(read != written)
        with m.If(move):
            m.d.sync += [
                is_flit.eq(fetch),
                closed.eq(is_flit & ~fetch),
                flits.eq(Mux(fetch, flits + 1, 0)),
            ]
            with m.If(fetch):
                m.d.comb += next_read.eq(following)
                m.d.sync += some.eq(following != written)
            with m.Elif(again):
                m.d.comb += next_read.eq(acknowledged)
                m.d.sync += [some.eq(acknowledged != written), again.eq(0)]
        m.d.sync += read.eq(next_read)
        self._repeat(m, acknowledged, read != acknowledged, again)

        flit = Signal(frames.flit.width - 1)
        with m.If(move):
            m.d.sync += flit.eq(kept)
        self._send(m, move, is_flit, Cat(0, flit), read)
        return m

    def _grant(self, m: Module) -> None:
        """Give the router a credit for a flit that it has sent, if there is a place for another."""
        frames, near, end = self.frames, self.near, self.end
        for channel in range(frames.channels):
            owed = Signal(range(self.depth + 1), name=f"owed{channel}")
            # One more than granted, for a place stays free.
            first = (self.depth + 1) % (frames.places + 1)
            granted = Signal(frames.place_bits, init=first, name=f"granted{channel}")
            freed = Signal(frames.place_bits, name=f"freed{channel}")
            grant = Signal(name=f"grant{channel}")
            m.d.comb += grant.eq((owed != 0) & (granted != freed))
            m.d.sync += [
                owed.eq(owed + near.valid[channel] - grant),
                granted.eq(granted + grant),
                near.credit[channel].eq(grant),
            ]
            here = end.channel == channel if frames.channels > 1 else 1
            with m.If(self.good & here):
                m.d.sync += freed.eq(end.freed)

    def _memory(self, m: Module, written: Signal, next_read: Signal) -> Value:
        """Write what the router sends; return what was at `next_read` an edge before."""
        frames, near = self.frames, self.near
        names = [name for name in frames.flit if name != "end"]
        values = {
            "channel": encode(near.valid),
            "head": near.flit.head,
            "tail": near.flit.tail,
            "data": near.flit.data,
        }
        memory: Memory = Memory(
            shape=frames.flit.width - 1, depth=frames.replay, init=[], attrs=NO_RW_CHECK
        )
        m.submodules.replay = memory
        write: Any = memory.write_port()
        fetched: Any = memory.read_port()
        m.d.comb += [
            write.addr.eq(written),
            write.data.eq(Cat(values[name] for name in names)),
            write.en.eq(near.valid.any()),
            fetched.addr.eq(next_read),
        ]
        m.d.sync += written.eq(written + write.en)
        return fetched.data

    def _repeat(self, m: Module, acknowledged: Signal, waits: Value, again: Signal) -> None:
        """Ask for the flits from the first one that is not acknowledged, if none is in time."""
        waiting, progress, more = Signal(), Signal(), Signal()
        m.d.comb += more.eq(self.good & (self.end.acknowledged != acknowledged))
        with m.If(self.good):
            m.d.sync += acknowledged.eq(self.end.acknowledged)
        with m.If(self.tick):
            m.d.sync += [waiting.eq(waits), progress.eq(0)]
            with m.If(waiting & waits & ~progress):
                m.d.sync += again.eq(1)
        with m.If(more):
            m.d.sync += progress.eq(1)

    def _send(self, m: Module, move: Value, is_flit: Value, flit: Value, sequence: Value) -> None:
        """Send a flit, or the end of a frame with its CRC."""
        frames, tx = self.frames, self.tx
        turn = Signal(range(max(2, frames.channels)))
        values = {
            "end": 1,
            "sequence": sequence,
            "acknowledged": self.accepted,
            "channel": turn,
            "freed": Array(self.freed)[turn] if frames.channels > 1 else self.freed[0],
            "fresh": self.fresh,
        }
        end: Any = Signal(struct(frames.end))
        m.d.comb += [end[name].eq(values[name]) for name in frames.end]
        body, crc = Signal(frames.body), Signal(CRC_WIDTH)
        m.d.comb += body.eq(Mux(is_flit, flit, end.as_value()))
        following = crc_step(m, crc, body, CRC_POLYNOMIAL)
        with m.If(move):
            m.d.sync += [tx.valid.eq(1), tx.payload.eq(body), crc.eq(following)]
            with m.If(~is_flit):
                last = frames.channels - 1
                m.d.sync += [
                    crc.eq(0),
                    tx.payload[-CRC_WIDTH:].eq(following),
                    turn.eq(Mux(turn == last, 0, turn + 1)),
                ]
