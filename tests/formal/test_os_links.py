"""Two OS-Link ports joined: faults that one of them shows only beside the other."""

from types import ModuleType

import pytest

import fingerpost.hdl.link.os_link
import fingerpost.hdl.link.transmitter
from fingerpost.formal.os_links import os_links
from fingerpost.formal.prove import prove
from tests.formal.planted import breaks, plant

PORT = fingerpost.hdl.link.os_link, "OsLink"
TRANSMITTER = fingerpost.hdl.link.transmitter, "Transmitter"

DEPTH = 240


@pytest.mark.regress
@pytest.mark.parametrize(
    ("claim", "where", "old", "new"),
    [
        # A byte is too short for its stop bit.
        ("sound", TRANSMITTER, "left.eq(max(BYTE, slot))", "left.eq(max(9, slot))"),
        # An acknowledge comes without room for another byte.
        ("room", PORT, "owed & (fifo.level + inflight <= p.fifo - 1)", "owed"),
        # The next byte does not wait for it.
        ("once", PORT, "& ~outstanding & ~tx.send_break", "& ~tx.send_break"),
        # A byte is lost, and the next one stands for it.
        ("same", PORT, "fifo.w_en.eq(rx.byte)", "fifo.w_en.eq(rx.byte & (rx.data != 7))"),
        # A bit of it is.
        ("same", TRANSMITTER, "self.data << 2 | 0b11", "(self.data & 0x7F) << 2 | 0b11"),
        # It comes with its second bit, too.
        ("none_made", PORT, "fifo.w_en.eq(rx.byte)", "fifo.w_en.eq(rx.byte | rx.header)"),
    ],
)
def test_finds_faults(
    claim: str,
    where: tuple[ModuleType, str],
    old: str,
    new: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(monkeypatch, *where, old, new)
    breaks(os_links(both=False), claim, depth=DEPTH)


def test_a_bounded_verdict_says_for_how_long() -> None:
    verdict = prove(os_links(skew=8), depth=100)
    assert (verdict.proven, verdict.depth) == (True, 100)
    assert str(verdict) == "holds for 100 cycles"
