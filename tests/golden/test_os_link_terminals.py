"""OS-Link terminals byte by byte: what becomes of a message, good or not."""

import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import engine
from fingerpost.golden.engine.os_link import OsLinkRun
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.jit.plain import view
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.terminal.message import (
    MESSAGE_RECEIVER,
    MESSAGE_SENDER,
    is_ready,
    is_stranger,
    offered_byte,
    send,
    step_message_receiver,
    step_message_sender,
)
from fingerpost.golden.traffic import Traffic
from tests.networks import built

LINE = built({"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2)]}).description
TIMEOUT = 10
DOCS = Path(__file__).parents[2] / "docs"
PROGRAMS = (DOCS / "design/os-link-terminals.md").read_text(encoding="utf-8")
Packet = tuple[bytes, bool]
"""What the beats of a packet hold, and whether it has an error mark."""


class Sender:
    """One sender, a program that sends to it, and what stands behind it."""

    def __init__(self, *, width: int = 4, longest: int = 65_535, timeout: int = TIMEOUT) -> None:
        self.unit = view(np.zeros(1, MESSAGE_SENDER))[0]
        fields = SimpleNamespace(bytes=width)  # of flits; 300 nodes have numbers of nine bits
        self.config: Any = SimpleNamespace(
            number=9, fields=fields, longest=longest, timeout=timeout
        )
        self.packets: list[
            tuple[int, bool, Packet]
        ] = []  # destination, unknown destination, content
        self.begun = b""

    def step(self, byte: int | None = None, *, ready: bool = True) -> bool:
        """Go through a clock; return whether the byte was taken."""
        unit = self.unit
        taken = byte is not None and is_ready(unit)
        if unit.full and ready:
            kept = max(unit.filled, 1)
            assert unit.last or kept == self.config.fields.bytes
            self.begun += unit.data.to_bytes(8, "little")[:kept]
            if unit.last:
                unknown = is_stranger(unit, self.config)
                self.packets.append((unit.dest, unknown, (self.begun, unit.bad)))
                self.begun = b""
        step_message_sender(unit, byte or 0, byte is not None, ready, -1, self.config)
        return taken

    def send(self, *numbers: int) -> None:
        for byte in numbers:
            while not self.step(byte):
                pass

    def wait(self, clocks: int) -> None:
        for _ in range(clocks):
            self.step()


@pytest.mark.parametrize("width", [2, 3, 4, 7])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 9, 300])
def test_a_message_becomes_a_packet(width: int, length: int) -> None:
    sender = Sender(width=width)
    data = bytes(i % 251 for i in range(length))
    sender.send(44, 1, length & 0xFF, length >> 8, *data)
    sender.send(7, 0, 0, 0)
    sender.wait(3)
    content = bytes([length & 0xFF, length >> 8]) + data
    assert sender.packets == [(300, False, (content, False)), (7, False, (b"\0\0", False))]


def test_what_is_for_unknown() -> None:
    """300 nodes have nine bits; the tenth is no number's, whatever the table says of the rest."""
    sender = Sender(longest=2)
    sender.send(0, 2, 1, 0, 5)
    sender.send(3, 0, 3, 0, 1, 2, 3)
    sender.send(3, 0, 2, 0, 1, 2)
    sender.wait(3)
    assert [unknown for _, unknown, _ in sender.packets] == [True, True, False]


@pytest.mark.parametrize("said", range(1, 9))
def test_a_message_is_given_up(said: int) -> None:
    """What had begun is closed with a byte 0 and a mark; what comes then is a new message."""
    message = [1, 0, 9, 0, 21, 22, 23, 24, 25]
    sender = Sender()
    sender.send(*message[:said])
    sender.wait(TIMEOUT)
    assert sender.unit.expired == 0
    sender.wait(1)
    assert sender.unit.expired == 1
    sender.wait(3)
    sender.send(2, 0, 1, 0, 77)
    sender.wait(3)
    good = 2, False, (bytes([1, 0, 77]), False)
    begun = 1, False, (bytes([9, 0, 21, 22, 0]), True)
    assert sender.packets == ([begun, good] if said >= 6 else [good])


def test_silence_between_messages_is_none_and_without_a_time_out_never() -> None:
    sender = Sender()
    sender.wait(3 * TIMEOUT)
    sender.send(1, 0, 0, 0)
    sender.wait(3 * TIMEOUT)
    assert sender.unit.expired == 0
    sender = Sender(timeout=0)
    sender.send(1)
    sender.wait(100)
    sender.send(0, 0, 0)
    sender.wait(3)
    assert sender.packets == [(1, False, (b"\0\0", False))]


class Receiver:
    """One receiver, packets of a source before it, and a program that it sends to."""

    def __init__(self, *packets: Packet, width: int = 4, timeout: int = TIMEOUT) -> None:
        self.unit = view(np.zeros(1, MESSAGE_RECEIVER))[0]
        self.config: Any = SimpleNamespace(timeout=timeout)
        self.beats: list[tuple[bytes, bool, bool]] = []
        for content, bad in packets:
            for at in range(0, len(content), width):
                last = at + width >= len(content)
                self.beats.append((content[at : at + width], last, bad and last))
        self.said = b""

    def step(self, *, ready: bool = True, source: int = 0x0102) -> None:
        valid = bool(self.beats)
        content, last, bad = self.beats[0] if valid else (b"\0", False, False)
        data, last_byte = int.from_bytes(content, "little"), len(content) - 1
        beat = SimpleNamespace(data=data, last=last, last_byte=last_byte, error=bad, tag=0)
        byte, offers = offered_byte(self.unit, valid, beat, source)
        taken = step_message_receiver(self.unit, valid, beat, source, ready, self.config)
        if offers and ready:
            self.said += bytes([byte])
        if valid and taken:
            self.beats.pop(0)

    def run(self, clocks: int = 60, *, ready: bool = True) -> bytes:
        for _ in range(clocks):
            self.step(ready=ready)
        return self.said


FROM = bytes([2, 1])


@pytest.mark.parametrize("width", [2, 3, 4, 7])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 9])
def test_a_packet_becomes_a_message(width: int, length: int) -> None:
    content = bytes([length, 0, *range(50, 50 + length)])
    receiver = Receiver((content, False), (content, True), width=width)
    assert receiver.run() == FROM + content + b"\0" + FROM + content + b"\1"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (bytes([5, 0, 7, 8, 0]), bytes([5, 0, 7, 8, 0, 0, 0])),  # too short: zeros for the rest
        (bytes([1, 0, 7, 8, 9]), bytes([1, 0, 7])),  # too long: without the rest
        (bytes([0, 0, 7]), bytes([0, 0])),
        (bytes([2]), bytes([2, 0, 0, 0])),  # not even a length
    ],
)
def test_a_message_is_as_long_as_it_says(content: bytes, said: bytes) -> None:
    good = bytes([1, 0, 9])
    receiver = Receiver((content, False), (good, False))
    assert receiver.run() == FROM + said + b"\1" + FROM + good + b"\0"


def test_a_terminal_that_takes_nothing_holds_unknown_up() -> None:
    """Of three messages it has begun the first; a fourth comes when it takes bytes again."""
    three = [(bytes([6, 0, i, i, i, i, i, i]), False) for i in (1, 2, 3)]
    receiver = Receiver(*three)
    receiver.run(5)
    assert receiver.said == FROM + bytes([6, 0, 1])
    receiver.run(TIMEOUT, ready=False)
    assert (receiver.unit.lost, len(receiver.beats)) == (0, 6)
    receiver.run(10, ready=False)
    assert (receiver.unit.lost, receiver.beats) == (3, [])
    receiver.run(20)
    assert receiver.said == FROM + bytes([6, 0, 1, 0, 0, 0, 0, 0]) + b"\1"
    receiver.said, receiver.beats = b"", Receiver(three[0]).beats
    assert receiver.run() == FROM + three[0][0] + b"\0"
    assert receiver.unit.lost == 3


def test_a_cut_message_is_dropped_to_its_end() -> None:
    """The rest of its packet comes when the terminal has long taken bytes again."""
    receiver = Receiver((bytes(12), False))
    rest, receiver.beats = receiver.beats[1:], receiver.beats[:1]
    receiver.beats[0] = bytes([10, 0, 1, 2]), False, False
    receiver.run(3)
    receiver.run(TIMEOUT + 2, ready=False)
    cut = FROM + bytes([10]) + bytes(10 + 1) + b"\1"
    assert receiver.run() == cut
    receiver.beats = [*rest, *Receiver((bytes([1, 0, 5]), False)).beats]
    assert receiver.run() == cut + FROM + bytes([1, 0, 5]) + b"\0"
    assert receiver.unit.lost == 1


def network(**terminal: Any) -> Network:
    return build({**LINE, "terminal": {"kind": "os-link", "clocks_per_bit": 4, **terminal}})


@pytest.mark.regress
def test_messages_through_a_network() -> None:
    net = network(timeout=64, longest=20)
    traffic = Traffic(net, 0.05, 2500, seed=25, lengths=(1, 4), malformed=0.5)
    model = engine(net, [traffic], stall=0.3)
    given = model.arrays.packets.copy()
    run = model.runs[0]
    assert isinstance(model, Wormhole)
    assert isinstance(run, OsLinkRun)
    model.run(2500)
    run.stop()
    while not run.empty and run.now < 25_000:
        model.run(20)
    assert run.faults == []
    assert run.empty
    assert run.errors.sum() == 0
    terminals = model.arrays.terminals
    assert (terminals.sender["credits"] == net.terminal_depth).all()
    assert run.expected.sum() >= 3
    assert (run.delivered[run.expected] > 0).all()
    begun = np.arange(len(run.expected)) < terminals.program["end"][0][traffic.source]
    assert terminals.sender["refused"].sum() == (begun & ~given["expected"]).sum() > 0
    assert terminals.messages["expired"].sum() == (begun & (given["stop_at"] > 0)).sum() > 0


def test_program_of_the_page_sends_what_the_page_says(tmp_path: Path) -> None:
    """With a function in the place of INMOS', which writes to standard output."""
    compiler = shutil.which("cc")
    assert compiler, "a C compiler is missing"
    program = re.findall(r"^```c\n(.*?)^```$", PROGRAMS, flags=re.M | re.S)[0]
    (tmp_path / "sends.c").write_text(
        "#include <stdio.h>\ntypedef FILE Channel;\n"
        "static void ChanOut(Channel *c, const void *p, unsigned n) { fwrite(p, 1, n, c); }\n"
        f"{program}\n"
        'int main(void) { net_send(stdout, 12, "hello", 5); net_send(stdout, 513, "", 0);'
        " return 0; }\n"
    )
    command = [compiler, "-Wall", "-Wextra", "-Werror", "-std=c99", "-o", "sends", "sends.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "sends"], capture_output=True, check=True).stdout
    told = bytes.fromhex(re.findall(r"go in as `([0-9a-f ]+)`", PROGRAMS)[0])
    assert said == told + bytes([1, 2, 0, 0]) == send(12, b"hello") + send(513, b"")
    came = bytes.fromhex(re.findall(r"come out as `([0-9a-f ]+)`", PROGRAMS)[0])
    assert came == bytes([3, 0]) + send(12, b"hello")[2:] + bytes([0])
