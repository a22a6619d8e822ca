from types import ModuleType

import pytest

from fingerpost.formal.mailbox_receiver import mailbox_receiver
from fingerpost.formal.mailbox_registers import mailbox_registers
from fingerpost.formal.mailbox_sender import mailbox_sender
from fingerpost.hdl.terminal import mailbox_receiver as receiver
from fingerpost.hdl.terminal import mailbox_registers as registers
from fingerpost.hdl.terminal import mailbox_sender as sender
from tests.formal.planted import breaks, faults, plant

SENDER = faults(
    {"complete", "word"},
    ("complete", "completes.eq(self.push & (self.open == 1))", "completes.eq(self.begin)"),
    ("soon", "completes.eq(self.push & (self.open == 1))", "completes.eq(0)"),
    ("length", "(head.length > self.limit)", "(head.length > self.limit + 1)"),
    ("destination", "self.destination.eq(~mask", "self.destination.eq(0 & ~mask"),
    ("full", "(head.length >= free)", "(head.length > free)"),
    ("open", "self.open.eq(self.open - 1)", "self.open.eq(self.open)"),
    ("free", "+ Mux(removes, reserved, 0)", "+ Mux(removes, self.open, 0)"),
    ("word", "reserved - self.open, 0)", "reserved, 0)"),
    ("word", "write.data.eq(self.value)", "write.data.eq(self.value ^ write_ptr)"),
    ("last", "stream.tlast.eq(remaining == 1)", "stream.tlast.eq(remaining == 2)"),
    ("dest", "with m.If(loads):", "with m.If(self.begin):"),
    ("stays", "read_ptr + (taken | loads)", "read_ptr + (stream.tvalid | loads)"),
    (
        "no_pause",
        "stream.tvalid.eq(remaining != 0)",
        "stream.tvalid.eq((remaining != 0) & ~read_ptr[0])",
    ),
    ("kept", "stream.tkeep.eq(~0)", "stream.tkeep.eq(1)"),
)
RECEIVER = faults(
    {"told", "word"},
    ("no_pause", "(middle | (used", "((used"),
    ("ready", "self.rows - self.limit - 1", "self.rows - self.limit - 2"),
    ("room", "self.rows - self.limit - 1", "self.rows - self.limit"),
    ("soon", "closing.eq(taken & stream.tlast)", "closing.eq(taken & stream.tlast & fits)"),
    ("some", "packets + closed - loads", "packets + closed - self.take"),
    ("told", "closed.eq(closing)", "closed.eq(taken & stream.tlast)"),
    ("told", "stream.tuser[0] | ~fits", "stream.tuser[0]"),
    ("told", "head.source.eq(source)", "head.source.eq(stream.tuser[1:])"),
    ("left", "Mux(loads, front.length,", "Mux(loads, 1,"),
    ("word", "self.left, self.take))", "self.left - 1, self.take))"),
    ("word", "Mux(closing, head_ptr, write_ptr)", "Mux(closing, write_ptr, head_ptr)"),
    ("counts_down", "self.left - removed)", "self.left - self.valid)"),
    ("bad", "(error & (self.bad != TOTAL))", "(error | (self.bad == 1))"),
)
REGISTERS = faults(
    {"send_data0_push"},
    ("send_data0_push", "sender.push.eq(push & ~refuse)", "sender.push.eq(push)"),
    ("send0_begin", "sender.begin.eq(begin & ~refuse)", "sender.begin.eq(begin)"),
    ("take0", "take = since[1] & reading", "take = since[0] & reading"),
    ("refused", '"full": begin & sender.full', '"full": begin & 0'),
    ("refused", 'if name != "aborted"', 'if name != "empty"'),
    ("errors0", "(errors & ~forget) | told", "(errors | told) & ~forget"),
    ("misuses0", "more = writes_wrong + empty", "more = writes_wrong | empty"),
    ("interrupt", "(pending & enable).any()", "pending.any()"),
    ("enable0", 'asked("enable") & ~refuse', 'asked("enable")'),
    ("receive0", "Mux(receiver.valid, receiver.received, 0)", "receiver.received"),
    ("bad", "m.d.comb += port.bad.eq(1)", "m.d.comb += port.bad.eq(port.address[0])"),
)


def found(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, claim: str, old: str, new: str
) -> None:
    name = module.__name__.rpartition(".")[2]
    component = "".join(part.capitalize() for part in name.split("_"))
    plant(monkeypatch, module, component, old, new)
    contracts = {
        "mailbox_sender": lambda: mailbox_sender(rows=4, limit=2),
        "mailbox_receiver": lambda: mailbox_receiver(rows=4, limit=2),
        "mailbox_registers": lambda: mailbox_registers(classes=1),
    }
    breaks(contracts[name](), claim)


@pytest.mark.parametrize(("claim", "old", "new"), SENDER)
def test_finds_faults_of_senders(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(monkeypatch, sender, claim, old, new)


@pytest.mark.parametrize(("claim", "old", "new"), RECEIVER)
def test_finds_faults_of_receivers(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(monkeypatch, receiver, claim, old, new)


@pytest.mark.parametrize(("claim", "old", "new"), REGISTERS)
def test_finds_faults_of_registers(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(monkeypatch, registers, claim, old, new)
