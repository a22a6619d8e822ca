"""The receiver of a stream link: flits of good frames, in order, in places of their channels."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.header import bits
from fingerpost.golden.link.frames import CRC_POLYNOMIAL, CRC_WIDTH, Frames
from fingerpost.hdl.lib.block_ram import BlockRam
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.crc import crc_step
from fingerpost.hdl.lib.header import LinkSignature, struct
from fingerpost.hdl.lib.logic import delayed, thermometer


class WordSignature(wiring.Signature):
    """Words that come in: a stream that never waits.

    Members
    -------
    valid : ``Out(1)``
    payload : ``Out(width)``
    """

    def __init__(self, width: int) -> None:
        super().__init__({"valid": Out(1), "payload": Out(width)})


class FrameReceiver(Component):
    """Take flits out of good frames, and give them to the router while it has room.

    The flits of a frame are written behind those that were accepted, and are accepted with its
    end, if the CRC is right and `sequence` says that none is missing or doubled. Otherwise the next
    frame overwrites them.

    Parameters
    ----------
    frames : Frames
    width : int
        Bits of a word.
    depth : int
        Flits of a channel for which the router's input has room.

    Members
    -------
    rx : ``In(WordSignature(width))``        Words.
    far : ``Out(LinkSignature)``             Flits to the router; credits from its input.
    accepted : ``Out(sequence_bits)``        Total of flits accepted.
    freed : ``Out(place_bits)``, by channel  Totals of those that have left.
    good : ``Out(1)``                        A frame with a right CRC has ended.
    bad : ``Out(1)``                         A frame with a wrong CRC has ended.
    end : ``Out(frames.end)``                Its end.
    stop : ``In(1)``                         Accept nothing.
    """

    def __init__(self, frames: Frames, *, width: int, depth: int) -> None:
        self.frames, self.width, self.depth = frames, width, depth
        super().__init__(
            {
                "rx": In(WordSignature(width)),
                "far": Out(LinkSignature(channels=frames.channels, flit_width=frames.flit_width)),
                "accepted": Out(frames.sequence_bits),
                "freed": Out(frames.place_bits).array(frames.channels),
                "good": Out(1),
                "bad": Out(1),
                "end": Out(struct(frames.end)),
                "stop": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Judge frames, keep flits, and pass them on."""
        m = Module()
        frames, rx = self.frames, self.rx
        is_flit, is_end = Signal(), Signal()
        end: Any = Signal(struct(frames.end))
        accept, refuse, following = Signal(), Signal(), Signal(frames.sequence_bits)
        m.d.comb += [
            is_flit.eq(rx.valid & ~rx.payload[0]),
            is_end.eq(rx.valid & rx.payload[0]),
            end.eq(rx.payload[: frames.end.width]),
        ]
        in_sequence, spoiled, opened, has_flits = (
            Signal(name=name) for name in ("in_sequence", "spoiled", "opened", "has_flits")
        )
        m.d.sync += [
            self.end.eq(end),
            in_sequence.eq(following == end.sequence),
            has_flits.eq(opened),
        ]
        with m.If(rx.valid):
            m.d.sync += opened.eq(is_flit)
        self._judge(m, is_end)
        m.d.comb += [
            accept.eq(self.good & in_sequence & ~spoiled & ~self.stop),
            refuse.eq((self.good | self.bad) & ~accept),
        ]
        # A flit that comes as a frame is refused stands behind flits of that frame, which are not
        # taken back then: its own frame is refused, too. Without flits there are none to take back.
        with m.If(self.good | self.bad):
            m.d.sync += spoiled.eq(refuse & is_flit & has_flits)
        with m.If(is_flit):
            m.d.sync += following.eq(following + 1)
        with m.Elif(refuse):
            m.d.sync += following.eq(self.accepted)
        with m.If(accept):
            m.d.sync += self.accepted.eq(following)
        self._pass(m, *self._keep(m, is_flit, accept, refuse))
        return m

    def _judge(self, m: Module, is_end: Value) -> None:
        """Tell whether the frame that has ended is good."""
        frames, payload = self.frames, self.rx.payload
        crc, ended = Signal(CRC_WIDTH), Signal()
        wrong = Signal(CRC_WIDTH // 2)
        flit, end = payload[: frames.flit.width], payload[: frames.end.width]
        body = Signal(frames.body)
        m.d.comb += body.eq(Mux(payload[0], end, flit))
        following = crc_step(m, crc, body, CRC_POLYNOMIAL)
        differs = following ^ payload[-CRC_WIDTH:]
        with m.If(self.rx.valid):
            m.d.sync += crc.eq(following)
        with m.If(is_end):
            m.d.sync += crc.eq(0)
        m.d.sync += [
            ended.eq(is_end),
            wrong.eq(Cat(differs[i : i + 2].any() for i in range(0, CRC_WIDTH, 2))),
        ]
        m.d.comb += [self.good.eq(ended & ~wrong.any()), self.bad.eq(ended & wrong.any())]

    def _keep(
        self, m: Module, is_flit: Value, accept: Value, refuse: Value
    ) -> tuple[BlockRam, list[Signal], list[Signal]]:
        """Write flits of frames; return the memory.

        With it the totals accepted of each channel, and those that flits must not go beyond.
        """
        frames = self.frames
        shape = frames.flit.width - 1 - ("channel" in frames.flit) * bits(frames.channels)
        m.submodules.places = places = BlockRam(shape, rows=frames.channels << frames.place_bits)
        flit: Any = Signal(struct(frames.flit))
        m.d.comb += [
            flit.eq(self.rx.payload[: frames.flit.width]),
            places.entry.eq(flit.as_value()[-shape:]),
        ]
        accepted, limits = list[Signal](), list[Signal]()
        for channel in range(frames.channels):
            all_of_it = Signal(frames.place_bits, name=f"accepted{channel}")
            begun = Signal(frames.place_bits, name=f"begun{channel}")
            limit = Signal(frames.place_bits, init=frames.places, name=f"limit{channel}")
            here = is_flit & (flit.channel == channel if frames.channels > 1 else 1)
            # Without room, only flits that came before come again; one place is always free, that
            # at `limit`, one behind `freed`.
            with m.If(here):
                m.d.comb += [
                    places.write.eq(1),
                    places.write_row.eq(Cat(begun, Const(channel, bits(frames.channels)))),
                ]
                with m.If(begun != limit):
                    m.d.sync += begun.eq(begun + 1)
            with m.Elif(refuse):
                m.d.sync += begun.eq(all_of_it)
            with m.If(accept):
                m.d.sync += all_of_it.eq(begun)
            accepted.append(all_of_it)
            limits.append(limit)
        return places, accepted, limits

    def _pass(
        self, m: Module, places: BlockRam, accepted: list[Signal], limits: list[Signal]
    ) -> None:
        """Give the router a flit of the channels that have one, and room for it, in turns."""
        frames, far = self.frames, self.far
        ready, pick = Signal(frames.channels), Signal(frames.channels)
        row = Signal.like(places.row)
        for channel in range(frames.channels):
            freed = self.freed[channel]
            credits = thermometer(
                m,
                f"credits{channel}",
                self.depth,
                init=self.depth,
                up=far.credit[channel],
                down=pick[channel],
            )
            m.d.comb += ready[channel].eq((accepted[channel] != freed) & credits[0])
            with m.If(pick[channel]):
                m.d.sync += [
                    row.eq(Cat(freed, Const(channel, bits(frames.channels)))),
                    freed.eq(freed + 1),
                    limits[channel].eq(freed),
                ]
        _in_turns(m, ready, pick)
        m.d.sync += far.valid.eq(delayed(m, "picked", pick, 2))
        m.d.comb += [places.read.eq(1), places.row.eq(row), far.flit.eq(places.data)]


def _in_turns(m: Module, ready: Signal, pick: Signal) -> None:
    """Pick the first that is ready behind the one that was picked last."""
    channels = len(ready)
    last = Signal(channels, init=1 << channels - 1)
    with m.If(pick.any()):
        m.d.sync += last.eq(pick)
    for channel in range(channels):
        for before in range(channels):
            passed = [ready[other % channels] for other in range(before + 1, before + channels)]
            passed = passed[: (channel - before - 1) % channels]
            with m.If(last[before] & ready[channel] & ~Cat(passed).any()):
                m.d.comb += pick[channel].eq(1)
