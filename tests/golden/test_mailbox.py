"""Mailboxes: what can be, and that their model keeps every packet and no more."""

from random import Random
from typing import Any

import pytest

from fingerpost.golden.link import link
from fingerpost.golden.model import Traffic
from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.network.network import build, routed
from fingerpost.golden.terminal import terminal
from fingerpost.golden.terminal.flow_layout import FlowLayout
from fingerpost.golden.terminal.mailbox_layout import RECEIVED, SEND
from fingerpost.golden.terminal.mailbox_receiver import MailboxReceiver
from fingerpost.golden.terminal.mailbox_registers import Access, Beat, MailboxRegisters
from fingerpost.golden.terminal.mailbox_sender import MailboxSender
from tests.golden.deflection.examples import deflection
from tests.networks import load

GRID: dict[str, Any] = {
    "name": "four",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "table"},
    "terminal": {"kind": "mailbox", "packet_limit": 6},
}


def test_numbers_of_endpoints_fit_into_a_register() -> None:
    many = routed(load("borel-15657").description).routing
    four, eight = (terminal({"kind": "mailbox", "endpoints": n}) for n in (4, 8))
    with pytest.raises(ValueError, match="for a head flit"):  # their numbers fit
        four.flit_width(32, many, link(None))
    message = "^Mailbox needs at most 65535 nodes or endpoints, not 125256$"
    with pytest.raises(ValueError, match=message):
        eight.flit_width(32, many, link(None))


def test_a_beat_of_the_network_is_not_of_the_limits() -> None:
    """The limits of a file count words; those of flow control count the first beat, too."""
    own = {"flow_control": "end-to-end", "eager": 2, "packet_limit": 6, "receive": 8}
    shared = build(GRID | {"terminal": GRID["terminal"] | own | {"endpoints": 2}})
    flow = shared.terminal.flow(shared)  # type: ignore[attr-defined]
    assert (flow.eager, flow.packet_limit, flow.receive) == (3, 7, 9)
    wide = own | {"kind": "axi-stream", "endpoints": 2, "eager": 16, "packet_limit": 16}
    most = build(GRID | {"terminal": wide | {"receive": 16}})
    flow = most.terminal.flow(most)  # type: ignore[attr-defined]
    assert flow.window == 34 < 1 << FlowLayout.controlled(most, flow).length
    shared.terminal.model(Traffic(shared, load=0.1, cycles=100, lengths=(7, 7)))
    message = "^Mailbox needs a packet_limit of at least 7 words for such packets, not 6$"
    with pytest.raises(ValueError, match=message):
        shared.terminal.model(Traffic(shared, load=0.1, cycles=100, lengths=(8, 8)))


def test_needs_of_deflection_routers() -> None:
    plain = deflection("uneven").description
    for router, own, message in (
        ({}, {}, "^Mailbox at deflection routers needs flow_control: end-to-end, not none"),
        ({"flit_width": 64}, {"flow_control": "end-to-end"}, "^Mailbox needs a flit_width of 32"),
    ):
        changed = {"router": plain["router"] | router, "terminal": GRID["terminal"] | own}
        with pytest.raises(ValueError, match=message):
            build_deflection({**plain, **changed})


def test_refuses_traffic_that_no_register_takes() -> None:
    network = build(GRID)
    message = "^Mailbox needs a packet_limit of at least 7 words for such packets, not 6$"
    with pytest.raises(ValueError, match=message):
        network.terminal.model(Traffic(network, load=0.1, cycles=100, lengths=(7, 7)))
    network.terminal.model(Traffic(network, load=0.1, cycles=100, lengths=(6, 6)))


@pytest.mark.parametrize("seed", range(4))
def test_sends_each_complete_packet_once_and_no_other(seed: int) -> None:
    rng, rows, limit = Random(seed), 8, 5
    sender = MailboxSender(rows, limit=limit, known=range(3))
    due: list[tuple[int, list[int]]] = []
    sent: list[tuple[int, list[int]]] = []
    begun: tuple[int, list[int]] = 0, []
    coming: list[int] = []
    aborts = full = 0
    for cycle in range(3000):
        head = word = None
        abort = rng.random() < 0.02
        if not abort and sender.open and rng.random() < 0.5:
            word = rng.getrandbits(32)
        elif not abort and not sender.open:
            length, to = rng.randint(1, limit), rng.randrange(3)
            head = int(SEND.join(destination=to, length=length))
            wrong = sender.misuses(head, None)
            # A row for each word and one for each packet, from its beginning to its sending.
            used = sum(len(words) + 1 for _, words in due[len(sent) :])
            if wrong == {"full"}:
                full, head = full + 1, None
                assert length + 1 > rows - used, cycle
            else:
                assert wrong == set()
                begun = to, []
        ready = rng.random() < 0.3
        assert not (sender.valid and len(sent) == len(due)), (
            "a packet is sent before it is complete"
        )
        if sender.valid and ready:
            coming.append(sender.data)
            if sender.last:
                sent.append((sender.destination, coming))
                coming = []
        aborts += abort and sender.open != 0
        if word is not None:
            begun[1].append(word)
            if sender.open == 1:
                due.append(begun)
        sender.step(head, word, abort=abort, ready=ready)
    for _ in range(100):
        if sender.valid:
            coming.append(sender.data)
            if sender.last:
                sent.append((sender.destination, coming))
                coming = []
        sender.step(None, None, abort=sender.open != 0, ready=True)
    assert sent == due
    assert len(due) > 100
    assert min(aborts, full) > 5
    assert sender.free == rows


@pytest.mark.parametrize("seed", range(4))
def test_shows_each_complete_packet_once_and_no_other(seed: int) -> None:
    rng, limit = Random(seed), 5
    receiver = MailboxReceiver(8, limit=limit)
    due: list[tuple[int, bool, list[int]]] = []
    shown, discarded = 0, 0
    arriving: list[int] = []
    reading: list[int] = []
    source, left = 0, 0
    for cycle in range(6000):
        if not left:
            source, left = rng.randrange(4), rng.randint(1, limit + 2)
        valid, last = rng.random() < 0.6, left == 1
        data, error = rng.getrandbits(32), rng.random() < 0.1
        assert receiver.ready or not arriving, "a packet is taken with a pause"
        take = receiver.valid and rng.random() < 0.4
        discard = receiver.valid and rng.random() < 0.01
        if receiver.valid:
            told = (
                RECEIVED.cut("source", receiver.received),
                RECEIVED.cut("error", receiver.received),
            )
            assert told == due[shown][:2], cycle
            assert RECEIVED.cut("length", receiver.received) == len(due[shown][2])
            assert receiver.left == len(due[shown][2]) - len(reading)
            if take:
                assert receiver.front == due[shown][2][len(reading)]
                reading.append(receiver.front)
            if discard or receiver.left == take:
                discarded += receiver.left != take
                shown, reading = shown + 1, []
        if valid and receiver.ready:
            arriving.append(data)
            left -= 1
            if last:
                bad = error or len(arriving) > limit
                due.append((source, bad, arriving[:limit]))
                arriving = []
        receiver.step(
            valid, data, last=last, source=source, error=error, take=take, discard=discard
        )
    assert shown > 200
    assert len(due) - shown < 8
    assert discarded > 10
    damaged = sum(bad for _, bad, _ in due)
    assert receiver.bad in {damaged - 1, damaged}  # it is counted when the packet is shown


def registers() -> MailboxRegisters:
    return MailboxRegisters(
        classes=1, send_words=4, receive_words=4, packet_limit=2, known=(0, 1, 2)
    )


@pytest.mark.parametrize(
    ("begun", "write", "error"),
    [
        (False, Access("send", value=1), "length"),
        (False, Access("send", value=1 | 3 << 16), "length"),
        (False, Access("send", value=1 | 1 << 16 | 1 << 28), "length"),
        (False, Access("send", value=3 | 1 << 16), "destination"),
        (True, Access("send", value=1 | 1 << 16), "unfinished"),
        (False, Access("send_data", value=1), "surplus"),
        (False, Access("control", value=2), "empty"),
        (True, Access("send_data", value=1, whole=False), "partial"),
    ],
)
def test_misuse_is_refused_and_counted_and_changes_nothing(
    begun: bool, write: Access, error: str
) -> None:
    box, other = registers(), registers()
    for each in (box, other):
        if begun:
            each.step(Access("send", value=1 | 2 << 16), None, [True], [Beat()])
    assert box.wrong(write) == {error}
    assert box.refuses(write)
    box.step(write, None, [True], [Beat()])
    other.step(None, None, [True], [Beat()])
    assert (other.errors, other.misuses, box.misuses) == (0, 0, 1)
    assert box.errors.bit_count() == 1
    assert vars(box.senders[0]) == vars(other.senders[0])
    assert vars(box.receivers[0]) == vars(other.receivers[0])


def test_a_read_of_nothing_is_refused_and_counted() -> None:
    box = registers()
    assert box.read("receive_data", 0) == (0, True)
    box.step(None, Access("receive_data"), [True], [Beat()])
    assert (box.misuses, box.errors.bit_count()) == (1, 1)
    box.step(Access("errors", value=box.errors), None, [True], [Beat()])
    assert (box.misuses, box.errors) == (1, 0)


def test_counts_of_misuse_stop() -> None:
    box = registers()
    box.misuses = (1 << 16) - 2
    for _ in range(3):
        box.step(Access("send_data"), Access("receive_data"), [True], [Beat()])
    assert box.misuses == (1 << 16) - 1
