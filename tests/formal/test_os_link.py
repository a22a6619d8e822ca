from types import ModuleType

import pytest

import fingerpost.hdl.link.os_link
import fingerpost.hdl.link.transmitter
from fingerpost.formal.os_link import os_link
from tests.formal.planted import breaks, plant

PORT = fingerpost.hdl.link.os_link, "OsLink"
TRANSMITTER = fingerpost.hdl.link.transmitter, "Transmitter"


@pytest.mark.parametrize(
    ("claim", "where", "old", "new"),
    [
        ("window", PORT, "& ~outstanding & ~tx.send_break", "& ~tx.send_break"),
        ("wire", TRANSMITTER, "self.data << 2 | 0b11", "self.data << 2 | 0b01"),
        ("whole", TRANSMITTER, "left.eq(max(BYTE, slot))", "left.eq(1)"),
        *(
            pytest.param(*case, marks=pytest.mark.regress)
            for case in (
                (
                    "window",
                    PORT,
                    "outstanding & ~rx.acknowledge)) &",
                    "outstanding & ~rx.header)) &",
                ),
                ("done", PORT, "rx.acknowledge & outstanding", "rx.acknowledge"),
                ("wire", TRANSMITTER, "shift.eq(0b01)", "shift.eq(0b11)"),
                ("stays", PORT, "fifo.r_en.eq(self.rx.ready)", "fifo.r_en.eq(1)"),
            )
        ),
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
    breaks(os_link(), claim, depth=180)
