import pytest

import fingerpost.hdl.lib.block_queue
import fingerpost.hdl.terminal.packet_store
import fingerpost.hdl.terminal.windows
from fingerpost.formal.block_queue import block_queue
from fingerpost.formal.packet_store import packet_store
from fingerpost.formal.windows import windows
from tests.formal.planted import breaks, faults, plant

SHORT = {"front", "dest", "never_fewer"}
"""Claims of which `make test` breaks one; `make regress` breaks all."""


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("front", "read.addr.eq(next_read_ptr)", "read.addr.eq(read_ptr)"),
        ("front", "row == self.depth - 1, 0", "row == self.depth - 2, 0"),
        ("valid", "self.valid.eq(left != 0)", "self.valid.eq(self.level != 0)"),
        ("level", "left.eq(self.level - self.pop)", "left.eq(self.level)"),
    ),
)
def test_finds_faults_of_the_queue(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.lib.block_queue, "BlockQueue", old, new)
    breaks(block_queue(depth=3), claim)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("ready", "dropping | self.enable", "self.enable"),
        ("complete", "write.en & stream.tlast", "take & stream.tlast"),
        ("length", "self.packet.length.eq(filled + 1)", "self.packet.length.eq(filled)"),
        ("dest", "Mux(filled == 0, self.dest, dest)", "self.dest"),
        ("dropped", "take & (filled == limit)", "take & (filled == limit) & ~stream.tlast"),
        ("beat", "Cat(filled[:index], self.slot)", "Cat(filled[:index], self.slot[0] & 0)"),
        ("beat", "stream.tuser & stream.tlast", "stream.tuser"),
        ("length", "Mux(self.complete | self.dropped, 0", "Mux(self.complete, 0"),
    ),
)
def test_finds_faults_of_the_store(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.packet_store, "PacketStore", old, new)
    breaks(packet_store(limit=2), claim)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("cleared", "clear == flow.peers - 1", "clear == flow.peers - 2"),
        ("never_fewer", "(self.units != 0) | ~self.cleared", "(self.units == 1) | ~self.cleared"),
        ("units", "transparent_for=(write_acknowledged,)", "transparent_for=()"),
        ("units", "read.data + late_units, 0", "read.data + late_units, late_units"),
    ),
)
def test_finds_faults_of_the_windows(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.windows, "Windows", old, new)
    breaks(windows(peers=3, eager=1), claim)
