import pytest

import fingerpost.hdl.terminal.message_receiver
import fingerpost.hdl.terminal.message_sender
from fingerpost.formal.message_receiver import message_receiver
from fingerpost.formal.message_sender import message_sender
from tests.formal.planted import breaks, faults, plant

SHORT = {"named", "zeros"}
"""Claims of which `make test` breaks one; `make regress` breaks all."""


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("stays", "(out.tvalid & ~leaves)", "(out.tvalid & self.bytes.valid & ~leaves)"),
        ("stable", "ready.eq(~out.tvalid & ~closing)", "ready.eq(~closing)"),
        ("counted", "count(m, self.expired, expires)", "count(m, self.expired, closes)"),
        ("counted", "quiet == self.timeout", "quiet == self.timeout - 1"),
        ("counted", "(place != 0) & ~self.bytes.valid", "(place > 1) & ~self.bytes.valid"),
        ("complete", "(place == DATA) & (left == 1)", "(place == DATA) & (left == 0)"),
        ("complete", "((place == DATA - 1) & (length == 0)) | ", ""),
        ("complete", "begun.eq((begun | fills) & ~final & ~closes)", "begun.eq(begun | fills)"),
        ("as_it_is", "Mux(place == DATA - 1, byte", "Mux(place == DATA, byte"),
        ("as_it_is", "leaves | (expires & ~out.tvalid)", "leaves"),
        ("as_it_is", "~out.tkeep[lane] & before", "~out.tkeep[lane]"),
        ("last", "out.tlast.eq(final | closes)", "out.tlast.eq(closes)"),
        ("last", "out.tuser.eq(closes)", "out.tuser.eq(final)"),
        ("closed", "with m.If(closes):", "with m.If(0):"),
        ("closed", "m.d.sync += place.eq(0)", "m.d.sync += place.eq(place)"),
        ("named", "dest[:8].eq(byte)", "dest[:8].eq(byte >> 1)"),
        ("nobody", "length > self.longest", "left > self.longest"),
        ("nobody", "dest[8:].eq(byte)", "dest[8:].eq(dest[:8])"),
        ("nobody", "dest[number:].any() | too_long", "dest[number:].any()"),
        ("ready", "closes.eq(closing & ~out.tvalid)", "closes.eq(closing & self.bytes.valid)"),
    ),
)  # fmt: skip
def test_finds_faults_of_the_sender(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.message_sender, "MessageSender", old, new)
    breaks(message_sender(longest=2, timeout=2), claim)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("thrown_at_once", "consumes | sweeps | drops", "consumes | sweeps | dead"),
        ("nothing_of_it", "beat.tvalid & ~drops", "beat.tvalid & ~dead"),
        ("counted", "gone & drops & beat.tlast", "gone & dead & beat.tlast"),
        ("stays", "late = quiet == self.timeout", "late = quiet == self.timeout - 1"),
        ("stable", "out.payload.eq(bad)", "out.payload.eq(bad ^ out.ready)"),
        ("not_stuck", "(over | ends | cut) & ~new", "(over | ends) & ~new"),
        ("source", "source[:8])", "source[8:])"),
        ("high", "Mux(over, 0, source[8:])", "source[:8]"),
        ("in_order", "lane.eq(lane << 1)", "lane.eq(lane)"),
        ("in_order", "with m.If(consumes | cut | sweeps):", "with m.If(consumes | sweeps):"),
        ("zeros", "Mux(over, 0, select(", "Mux(bad, 0, select("),
        ("whole", "(lane & ~(beat.tkeep >> 1)).any()", "lane[0]"),
        ("once", "(lane & ~(beat.tkeep >> 1)).any()", "lane[1]"),
        ("status", "(ends & beat.tuser[0]) | cut", "cut"),
        ("status", "(sweeps & beat.tvalid) | (inside", "(inside"),
        ("status", " | (inside & over & taken)", ""),
        ("not_stuck", "out.valid.eq(over | (~sweeps", "out.valid.eq((over & dead) | (~sweeps"),
    ),
)  # fmt: skip
def test_finds_faults_of_the_receiver(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.message_receiver, "MessageReceiver", old, new)
    breaks(message_receiver(timeout=2), claim)
