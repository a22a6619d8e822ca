"""A mailbox's registers: what is asked for is done once, and misuse is refused and counted."""

from functools import reduce
from operator import or_
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring

from fingerpost.formal.buses import SLAVE_ERROR, manage, when
from fingerpost.formal.contract import Contract
from fingerpost.golden.terminal.mailbox_layout import ENABLE, MISUSES, ROOM
from fingerpost.hdl.lib.registers import WORD
from fingerpost.hdl.terminal.mailbox_map import mailbox_of
from fingerpost.hdl.terminal.mailbox_registers import MailboxRegisters

__all__ = ["mailbox_registers"]

MOST = 3
"""At which the count stops here: so that the stop is reached."""

SENDER = "length", "destination", "full", "open", "free"
RECEIVER = "valid", "received", "left", "front", "bad"


class _Open(wiring.Component):
    """A component whose outputs may do anything: it stands for one with a contract of its own."""

    def __init__(
        self, contract: Contract, genuine: Any, name: str, outputs: tuple[str, ...]
    ) -> None:
        super().__init__(genuine.signature)
        for output in outputs:
            port: Any = getattr(self, output)
            value = contract.anything(f"{name}_{output}", len(port))
            contract.m.d.comb += port.eq(value)

    def elaborate(self, platform: object) -> Module:
        """Leave all to the contract."""
        return Module()


def mailbox_registers(*, classes: int) -> Contract:
    """Return what the registers promise, whatever a manager, senders and receivers do.

    Each whole write of a register that can be written is done once, to the right message class,
    or refused; it is refused just when something is wrong with it. A word is taken just when a
    read of receive_data is answered with it. What is wrong is told in errors until a 1 is written
    there, and counted once for each access. The interrupt is there just when there is a reason that
    is enabled. Every read is answered with what the map says, or refused.
    """
    contract = Contract()
    m = contract.m
    map = mailbox_of(nodes=3, classes=classes, limit=2, hash=0x12345678)
    dut = MailboxRegisters(
        map, send_words=4, receive_words=4, packet_limit=2, number=2, known=(0, 2), most=MOST
    )
    senders: list[Any] = [
        _Open(contract, each, f"sender{c}", SENDER) for c, each in enumerate(dut.senders)
    ]
    receivers: list[Any] = [
        _Open(contract, each, f"receiver{c}", RECEIVER) for c, each in enumerate(dut.receivers)
    ]
    dut.senders, dut.receivers = senders, receivers
    m.submodules.dut = dut
    bus = dut.bus
    manage(contract, bus)
    m.d.comb += dut.node.eq(contract.constant("node", len(dut.node)))
    at = {(register.name, c): place // WORD for register, c, place in map.places()}

    # What was written: `before` is of the cycle in which that is done, the one before the answer.
    always = Value.cast(1)
    place = when(m, bus.awvalid & bus.awready, bus.awaddr[2:])
    data = when(m, bus.wvalid & bus.wready, bus.wdata)
    strobes = when(m, bus.wvalid & bus.wready, bus.wstrb)
    answered = contract.see("answered", bus.bvalid & ~when(m, always, bus.bvalid))
    refused = contract.see("refused", bus.bresp == SLAVE_ERROR)

    def before(value: Value) -> Signal:
        return when(m, always, value)

    def to(name: str, c: int = 0) -> Value:
        return answered & (place == at[name, c]) & strobes.all()

    found: dict[str, list[Value]] = {name: [] for name in MISUSES}
    kept_reads: dict[tuple[str, int], Value] = {}
    for c, (sender, receiver) in enumerate(zip(senders, receivers, strict=True)):
        opened, there = before(sender.open != 0), before(receiver.valid)
        wrong = {name: before(getattr(sender, name)) for name in ("length", "destination", "full")}
        for name, event in wrong.items():
            found[name].append(to("send", c) & event)
        found["unfinished"].append(to("send", c) & opened)
        found["surplus"].append(to("send_data", c) & ~opened)
        found["empty"].append(to("control", c) & data[1] & ~there)
        found["aborted"].append(to("control", c) & data[0] & opened)
        for name, action, bit in (
            ("send", sender.begin, always),
            ("send_data", sender.push, always),
            ("control", sender.abort, data[0]),
            ("control", receiver.discard, data[1]),
        ):
            done = to(name, c) & ~refused & bit
            contract.claim(f"{action.name}{c}", before(action) == done)
        value = before(sender.value)
        contract.claim(f"value{c}", ~before(sender.begin | sender.push) | (value == data))
        threshold = Mux(to("threshold", c) & ~refused, data[:16], 0)
        kept = Signal(16, name=f"threshold{c}")
        asked = to("threshold", c) & ~refused
        m.d.sync += kept.eq(Mux(asked, threshold, kept))
        kept_reads["threshold", c] = Mux(asked, threshold, kept)
    able = reduce(or_, (place == at[each.name, c] for each, c, _ in map.places() if _written(each)))
    found["partial"] = [answered & able & ~strobes.all()]
    wrong_now = {name: reduce(or_, values, Value.cast(0)) for name, values in found.items()}
    refuses = reduce(or_, (value for name, value in wrong_now.items() if name != "aborted"))
    contract.claim("refused", ~answered | (refused == (refuses | ~able)))

    # What was read.
    named = when(m, bus.arvalid & bus.arready, bus.araddr[2:])
    told = contract.see("told", bus.rvalid & ~when(m, always, bus.rvalid))
    empty = Value.cast(0)
    for c, receiver in enumerate(receivers):
        reads = told & (named == at["receive_data", c])
        there = before(receiver.valid)
        contract.claim(f"take{c}", before(receiver.take) == (reads & there))
        empty = empty | (reads & ~there)

    # Errors, their count, the interrupt; writes are of the cycle before, reads too.
    errors, enable = Signal(len(MISUSES)), Signal(ENABLE.width)
    misuses = Signal(range(MOST + 1))
    events = Cat(value | (empty if name == "empty" else 0) for name, value in wrong_now.items())
    forgets = Mux(to("errors") & ~refused, data[: len(MISUSES)], 0)
    errors_now = contract.see("errors", (errors & ~forgets) | events)
    total = misuses + (refuses | wrong_now["aborted"]) + empty
    misuses_now = contract.see("misuses", Mux(total > MOST, MOST, total)[:2])
    enable_now = contract.see("enable", Mux(to("enable") & ~refused, data[: ENABLE.width], enable))
    m.d.sync += [errors.eq(errors_now), misuses.eq(misuses_now), enable.eq(enable_now)]
    room = Cat(sender.free > kept_reads["threshold", c] for c, sender in enumerate(senders))
    pending = Signal(ENABLE.width)
    m.d.comb += [
        pending[:classes].eq(Cat(receiver.valid for receiver in receivers)),
        pending[ENABLE["room"].offset :][:classes].eq(room),
        pending[ENABLE["errors"].offset].eq(errors_now.any()),
    ]
    contract.claim("interrupt", dut.irq == (pending & enable_now).any())

    # Answers: values are those of the cycle before.
    values: dict[tuple[str, int], Value] = {
        ("node", 0): dut.node,
        ("errors", 0): before(errors_now),
        ("misuses", 0): before(misuses_now),
        ("enable", 0): before(enable_now),
        ("pending", 0): before(pending),
    }
    for c, (sender, receiver) in enumerate(zip(senders, receivers, strict=True)):
        there = before(receiver.valid)
        values |= {
            ("receive", c): Mux(there, before(receiver.received), 0),
            ("receive_data", c): Mux(there, before(receiver.front), 0),
            ("room", c): before(sender.free) | before(sender.open) << ROOM["open"].offset,
            ("left", c): before(receiver.left),
            ("threshold", c): before(kept_reads["threshold", c]),
            ("bad", c): before(receiver.bad),
        }
    constants = dict(map.constants())
    answers: dict[str, list[Value]] = {}
    for register, c, address in map.places():
        constant = Value.cast(constants.get(address, 0))
        told_word = values.get((register.name, c), constant)
        of_class = register in map.block.registers
        name = "constant" if address in constants else f"of_class{c}" if of_class else "answer"
        here = told & (named == address // WORD)
        answers.setdefault(name, []).append(~here | (bus.rdata == told_word))
    for name, each in answers.items():
        contract.claim(name, Cat(each).all())
    places = Cat(named == address // WORD for *_, address in map.places())
    contract.claim("bad", ~told | ((bus.rresp == SLAVE_ERROR) == (~places.any() | empty)))
    return contract


def _written(register: Any) -> bool:
    return any(part.access not in {"read", "take"} for part in register.fields)
