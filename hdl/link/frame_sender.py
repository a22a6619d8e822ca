"""The sender of a stream link: flits in frames, kept until they are acknowledged."""

from typing import Any

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from fingerpost.golden.link.frames import CRC_POLYNOMIAL, CRC_WIDTH, Frames
from fingerpost.hdl.lib.block_ram import BlockRam
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.crc import crc_step
from fingerpost.hdl.lib.header import LinkSignature, struct
from fingerpost.hdl.lib.logic import encode, thermometer


class FrameSender(Component):
    """Send flits in frames, and again those that are not acknowledged in time.

    Flits wait in a block RAM from the router on, which has two registers behind it; a third one is
    that of the word. Words without a flit are ends of frames.

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
    tx : ``Out(stream.Signature(width))``   Words; valid from the first cycle after reset on. The
                                            CRC in an end comes from logic behind registers.
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
        last = Signal(total, init=-1)
        written, read, sent, acknowledged = (
            Signal(total, name=name) for name in ("written", "read", "sent", "acknowledged")
        )
        flits = Signal(range(frames.flits + 1))
        some, again, fetch, move = (
            Signal(name=name) for name in ("some", "again", "fetch", "move")
        )
        fetched, is_flit, closed, pushed = (
            Signal(name=name) for name in ("fetched", "is_flit", "closed", "pushed")
        )
        m.d.comb += [
            move.eq(~tx.valid | tx.ready),
            fetch.eq(some & (flits != frames.flits) & ~again & ~closed & ~self.stop),
            pushed.eq(self.near.valid.any()),
        ]
        # Whether there is one at `read`, from comparisons that do not wait for it: `last` is one
        # behind `written`.
        m.d.sync += some.eq(pushed | ((read != written) & ~again))
        with m.If(pushed):
            m.d.sync += [last.eq(written), written.eq(written + 1)]
        with m.If(move):
            m.d.sync += [
                fetched.eq(fetch),
                is_flit.eq(fetched),
                sent.eq(read),
                closed.eq(fetched & ~fetch),
                flits.eq(Mux(fetch, flits + 1, 0)),
            ]
            with m.If(fetch):
                m.d.sync += [read.eq(read + 1), some.eq(pushed | (read != last))]
            with m.Elif(again):
                m.d.sync += [read.eq(acknowledged), again.eq(0)]
        self._repeat(m, acknowledged, read != acknowledged, again)
        flit = self._memory(m, written, pushed, read, move)
        self._send(m, move, is_flit, Cat(0, flit), sent)
        return m

    def _grant(self, m: Module) -> None:
        """Give the router a credit for a flit that it has sent, if there is a place for another."""
        frames, near, end = self.frames, self.near, self.end
        for channel in range(frames.channels):
            # One more than granted, for a place stays free.
            first = (self.depth + 1) % (frames.places + 1)
            granted = Signal(frames.place_bits, init=first, name=f"granted{channel}")
            freed = Signal(frames.place_bits, name=f"freed{channel}")
            grant = Signal(name=f"grant{channel}")
            owed = thermometer(m, f"owed{channel}", self.depth, up=near.valid[channel], down=grant)
            m.d.comb += grant.eq(owed[0] & (granted != freed))
            m.d.sync += [granted.eq(granted + grant), near.credit[channel].eq(grant)]
            here = end.channel == channel if frames.channels > 1 else 1
            with m.If(self.good & here):
                m.d.sync += freed.eq(end.freed)

    def _memory(self, m: Module, written: Value, pushed: Value, read: Value, move: Value) -> Value:
        """Write what the router sends; return what was at `read` two moves before."""
        frames, near = self.frames, self.near
        names = [name for name in frames.flit if name != "end"]
        values = {
            "channel": encode(near.valid),
            "head": near.flit.head,
            "tail": near.flit.tail,
            "data": near.flit.data,
        }
        m.submodules.replay = replay = BlockRam(frames.flit.width - 1, rows=frames.replay)
        m.d.comb += [
            replay.write.eq(pushed),
            replay.write_row.eq(written),
            replay.entry.eq(Cat(values[name] for name in names)),
            replay.read.eq(move),
            replay.row.eq(read),
        ]
        data: Value = replay.data
        return data

    def _repeat(self, m: Module, acknowledged: Signal, waits: Value, again: Signal) -> None:
        """Ask for the flits from the first one that is not acknowledged, if none is in time."""
        late, more = Signal(), Signal()
        m.d.comb += more.eq(self.good & (self.end.acknowledged != acknowledged))
        with m.If(self.good):
            m.d.sync += acknowledged.eq(self.end.acknowledged)
        with m.If(self.tick):
            m.d.sync += late.eq(waits)
            with m.If(late & waits):
                m.d.sync += again.eq(1)
        with m.If(more):
            m.d.sync += late.eq(0)

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
        word, crc = Signal(frames.body), Signal(CRC_WIDTH, reset_less=True)
        following, is_end = crc_step(m, crc, word, CRC_POLYNOMIAL), word[0]
        m.d.comb += [tx.payload.eq(word), tx.payload[-CRC_WIDTH:].eq(following)]
        with m.If(~is_end):  # what is above the flit means nothing
            m.d.comb += tx.payload[: frames.flit.width].eq(word)
        with m.If(move):
            m.d.sync += [
                tx.valid.eq(1),
                word.eq(Mux(is_flit, flit, end.as_value())),
                crc.eq(Mux(is_end, 0, following)),
            ]
            with m.If(~is_flit):
                last = frames.channels - 1
                m.d.sync += turn.eq(Mux(turn == last, 0, turn + 1))
