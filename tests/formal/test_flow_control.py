import pytest

import fingerpost.hdl.lib.block_queue
import fingerpost.hdl.terminal.flow_receiver
import fingerpost.hdl.terminal.flow_sender
import fingerpost.hdl.terminal.pace
import fingerpost.hdl.terminal.packet_store
import fingerpost.hdl.terminal.reassembly
import fingerpost.hdl.terminal.windows
from fingerpost.formal.block_queue import block_queue
from fingerpost.formal.contract import Contract
from fingerpost.formal.flow_receiver import flow_receiver
from fingerpost.formal.flow_sender import flow_sender
from fingerpost.formal.pace import pace
from fingerpost.formal.packet_store import packet_store
from fingerpost.formal.reassembly import reassembly
from fingerpost.formal.windows import windows
from tests.formal.planted import breaks, faults, plant

SHORT = {"front", "dest", "never_more", "in_order", "in_turn", "rate"}
"""Claims of which `make test` breaks one; `make regress` breaks all."""


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("front", "Mux(fetched, oldest, self.entry)", "Mux(waiting, oldest, self.entry)"),
        ("front", "direct.eq(load & ~fetched & ~waiting)", "direct.eq(load & ~waiting)"),
        ("front", "write.eq(self.push & ~direct)", "write.eq(self.push)"),
        ("valid", "load.eq(self.pop | ~self.valid)", "load.eq(~self.valid)"),
        ("at_once", "direct.eq(load & ~fetched", "direct.eq(~self.valid & ~fetched"),
        ("soon", "waiting & (load | ~fetched)", "waiting & ~load"),
    ),
)
def test_finds_faults_of_the_queue(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.lib.block_queue, "BlockQueue", old, new)
    breaks(block_queue(depth=3), claim)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("in_last.eq(read_ptr[-1])", "in_last.eq(write_ptr[-1])"),
        ("write_ptr[-1] == last if split else 1", "1"),
    ],
)
def test_finds_faults_of_a_queue_in_two_memories(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.lib.block_queue, "BlockQueue", old, new)
    breaks(block_queue(depth=7, block_rows=4), "front")


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
        ("cleared", "clear == flow.clearing - 1", "clear == flow.clearing - 2"),
        ("never_more", "self.issued | ~self.cleared", "self.acked | ~self.cleared"),
        ("room", "transparent_for=(write_allowed,)", "transparent_for=()"),
        ("room", "late_units, flow.window", "late_units, late_units"),
        ("sequence", "self.sequence.eq(sent.data)", "self.sequence.eq(~sent.data)"),
    ),
)
def test_finds_faults_of_the_windows(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.windows, "Windows", old, new)
    breaks(windows(peers=3, eager=1), claim)


def refuted(contract: Contract, claim: str) -> None:
    """Assert that a claim, alone, is found to be broken in few cycles."""
    breaks(contract, claim, depth=20)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("room", "sent.eq(busy & credits[0] &", "sent.eq(busy &"),
        ("one_at_a_time", "loads.eq(~busy | ends)", "loads.eq(1)"),
        ("tail", "next_index == sent_length", "index == sent_length"),
        ("contiguous", "busy & credits[0] &", "busy & credits[0] & ~(in_body & chosen) &"),
        ("lengths", "short.eq(packet.length <= flow.eager)", "short.eq(1)"),
        ("named", "head.source.eq(self.source)", "head.source.eq(peer)"),
        ("answer", "goes.eq(chosen &", "goes.eq((chosen | answers) &"),
        ("as_answered", "slot.eq(Mux(reply.grant, reply.number, 0))", "slot.eq(packet_read.addr)"),
        ("window", "windows.room >= flow.eager", "windows.room >= 0"),
        (
            "as_stored",
            "slot.eq(packet_read.addr), length.eq(packet.length)",
            "slot.eq(packet_read.addr), length.eq(1)",
        ),
        ("in_order", "has_room.eq(fits & ~(eager & follows))", "has_room.eq(fits)"),
        ("asked_once", "m.If(issues | rejected)", "m.If((issues & eager) | rejected)"),
        ("granted", "gets_room.en.eq(self.granted | passed)", "gets_room.en.eq(issues)"),
        ("complete", "(~asks | (known &", "(~asks | ("),
        ("not_overwritten", "windows.cleared & ~used.bit_select(store.slot, 1)", "windows.cleared"),
        ("as_it_is", "store.read.eq(moves)", "store.read.eq(inject.credit[0])"),
    ),
)
def test_finds_faults_of_the_sender(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.flow_sender, "FlowSender", old, new)
    refuted(flow_sender(eager=1, credits=1), claim)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        {"numbered"},
        ("numbered", "Mux(asks, windows.sequence, seq", "Mux(asks, ~windows.sequence, seq"),
        (
            "as_granted",
            "Mux(self.granted, self.granted_base, windows.sequence)",
            "windows.sequence",
        ),
        ("base", "sequence.eq(reply.base)", "sequence.eq(0)"),
    ),
)
def test_finds_faults_of_sequence_numbers(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.flow_sender, "FlowSender", old, new)
    refuted(flow_sender(eager=1, credits=1, ordered=False), claim)


@pytest.mark.regress
@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("nothing_waits_1", "transparent_for=(ends,)", "transparent_for=()"),
        ("of_whom", "grants.r_en.eq(then)", "grants.r_en.eq(over)"),
        ("come_0", "comes.eq(late & (lookup", "comes.eq((lookup"),
        ("as_asked_0", "now.body[layout.length :]", "now.body[layout.length - 1 :]"),
        ("as_it_came_2", "first + sequence[:space]", "sequence[:space]"),
        ("turn_0", "parks.eq(show & present & now", "parks.eq(show & now"),
        ("once_0", "requests.pop.eq(self.grant)", "requests.pop.eq(self.grant & ~parks)"),
        ("held_back_0", "present & ~now.request)", "present)"),
        ("granted", "front_eager.eq(~granted)", "front_eager.eq(granted)"),
        ("one_at_a_time", "over.eq(self.pop & now.last)", "over.eq(self.pop)"),
        ("stays", "valid.eq(show & present &", "valid.eq(show & present & ~self.push &"),
    ],
)
def test_finds_faults_of_reassembly(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.reassembly, "Reassembly", old, new)
    eager = 2 if claim == "one_at_a_time" else 1
    breaks(reassembly(eager=eager), claim, depth=28)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("credit", "m.d.sync += eject.credit", "m.d.comb += eject.credit"),
        ("stays", "(offered | (", "((offered & 0) | ("),
        ("stable", "stream.tdata.eq(body.data)", "stream.tdata.eq(body.data ^ eject.valid)"),
        (
            "data",
            "eject.flit.data[offset : offset + layout.body.width]",
            "eject.flit.data[1 : layout.body.width + 1]",
        ),
        ("last", "stream.tlast.eq(front.last)", "stream.tlast.eq(front.last & ~front.eager)"),
        ("user", "Cat(front.last & body.error,", "Cat(front.last,"),
        ("told", "head.kind == ACK", "head.kind == GRANT"),
        ("told_grant", "is_head & (head.kind == GRANT)", "eject.valid & (head.kind == GRANT)"),
        ("asked", "wanted.pop.eq(grants)", "wanted.pop.eq(0)"),
        ("granted_soon", "answers.w_en.eq(acks | grants)", "answers.w_en.eq(acks)"),
        ("in_turn", "acked_units, wanted.slot)", "acked_units, head.slot)"),
        ("space", "~left[-1] & ", ""),
        ("fits", "~left[-1] & ", ""),
        ("paid_1", "Mux(late, acked_units, wanted", "Mux(late, acked_units + 1, wanted"),
        ("nothing_withheld_0", "answers.w_en.eq(acks | grants)", "answers.w_en.eq(grants)"),
    ),
)
def test_finds_faults_of_the_receiver(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.flow_receiver, "FlowReceiver", old, new)
    refuted(flow_receiver(eager=1, receive=2), claim)


@pytest.mark.regress
def test_finds_answers_without_room(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "~left[-1] & room", "~left[-1]"
    plant(monkeypatch, fingerpost.hdl.terminal.flow_receiver, "FlowReceiver", old, new)
    refuted(flow_receiver(eager=1, receive=4, answers=2), "granted_soon")


def test_finds_beats_that_never_came(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "load.eq(self.pop | ~self.valid)", "load.eq(~self.valid)"
    plant(monkeypatch, fingerpost.hdl.lib.block_queue, "BlockQueue", old, new)
    refuted(flow_receiver(eager=1, receive=2), "of_nothing")


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("rate", "(next_seventh != 0) & (next_seventh != 3)", "(next_seventh != 0)"),
        ("rate", "wait + invited - ", "wait + (invited != 0) - "),
        ("rate", "(invited == 0) & rested", "rested"),
        ("queue", " & (next_row != full)", ""),
        ("opens", "row + (row != full), 0)", "row + (row != full), row)"),
        ("opens", "- (passes & ", "- (passes & self.arrives & "),
    ),
)
def test_finds_faults_of_the_pace(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.pace, "Pace", old, new)
    breaks(pace(limit=1, eager=1), claim)
