"""The registers of a mailbox, and the reads and writes of its memory."""

from functools import reduce
from operator import or_
from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data

from fingerpost.formal.buses import SLAVE_ERROR, manage, when
from fingerpost.formal.contract import Contract, about, at_most_one, at_most_times, past, stays
from fingerpost.golden.terminal.mailbox import ENABLE, MISUSES, RECEIVED, ROOM, SEND
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.registers import WORD
from fingerpost.hdl.terminal.mailbox_dma import MailboxDma
from fingerpost.hdl.terminal.mailbox_map import mailbox_of
from fingerpost.hdl.terminal.mailbox_registers import MailboxRegisters

MOST = 3
"""At which the count stops here: so that the stop is reached."""

SENDER = "length", "destination", "full", "open", "free"
RECEIVER = "valid", "received", "left", "front", "bad"


class _Open(Component):
    """A component whose outputs may do anything: it stands for one with a contract of its own."""

    def __init__(
        self, contract: Contract, genuine: Any, name: str, outputs: tuple[str, ...]
    ) -> None:
        super().__init__(dict(genuine.signature.members))
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


DESCRIPTORS, MEMORY, LIMIT = 2, 16, 2
RING = 2 * DESCRIPTORS  # words


def mailbox_dma(*, classes: int) -> Contract:
    """Return what descriptors promise, for any memory, any software, senders and receivers.

    An access stays until memory accepts it. For each descriptor there are: reads of its words, the
    words of the packet in order, and a write of its second word; no other access. All words are in
    the memory that the descriptor names, which ends where memory does. A wrong descriptor moves
    none of them. Each word read is pushed in the next cycle, a packet is begun before; each word
    that is written is the front of the receiver, which is taken with it. A ring is served only
    while it has descriptors, and no other ring twice while it waits. No access is missing for more
    than two cycles.
    """
    contract, m, dut = about(
        MailboxDma(classes=classes, limit=LIMIT, descriptors=DESCRIPTORS, memory_words=MEMORY)
    )
    memory, rings = dut.memory, 2 * classes
    contract.free(dut, "value", "set_ring", "set_tail", "free", "open")
    contract.free(dut, "refused", "received", "front")
    ready, rdata = contract.free(memory, "ready", "rdata")
    for name in ("request", "write", "address", "wdata"):
        contract.see(name, getattr(memory, name))
    contract.assume(~((dut.set_ring & dut.wrong_ring) | (dut.set_tail & dut.wrong_tail)).any())
    contract.assume(at_most_one(Cat(dut.set_ring, dut.set_tail)))

    # Senders refuse a length that cannot be.
    length = dut.word[SEND["length"].offset : SEND.width]
    contract.assume(dut.refused.all() | ((length != 0) & (length <= LIMIT)))

    # Receivers: a packet stays until it is taken, word by word.
    for c in range(classes):
        left, comes = Signal(range(LIMIT + 1), name=f"left{c}"), contract.anything(f"comes{c}", 2)
        contract.assume(comes <= LIMIT)
        m.d.sync += left.eq(Mux(left == 0, comes, left - dut.take[c]))
        m.d.comb += [
            dut.left.word_select(c, dut.left_width).eq(left),
            dut.valid[c].eq(left != 0),
        ]
        contract.claim(f"take{c}", ~dut.take[c] | (left != 0))
        received, front = (port.word_select(c, 32) for port in (dut.received, dut.front))
        for word, changes in ((received, left == 0), (front, dut.take[c])):
            contract.assume(~past(m, (left != 0) & ~changes) | (word == past(m, word)))

    # Rings, as software has begun them.
    bases, heads, tails, enabled = [], [], [], Signal(rings, name="on")
    busy = contract.see("busy", dut.busy)
    ends = Signal()
    for i in range(rings):
        base = Signal(len(memory.address), name=f"spec_base{i}")
        head, tail = (Signal(2, name=f"spec_{name}{i}") for name in ("head", "tail"))
        begins = dut.set_ring[i] & dut.value[0]
        with m.If(dut.set_ring[i]):
            m.d.sync += enabled[i].eq(dut.value[0])
        with m.If(begins):
            m.d.sync += [base.eq(dut.value[2:]), head.eq(0), tail.eq(0)]
        with m.If(dut.set_tail[i]):
            m.d.sync += tail.eq(dut.value)
        with m.If(busy[i] & ends):
            m.d.sync += head.eq(head + 1)
        bases.append(base)
        heads.append(head)
        tails.append(tail)
        contract.claim(f"head{i}", dut.head.word_select(i, 2) == head)
        contract.claim(f"tail{i}", dut.tail.word_select(i, 2) == tail)
    contract.claim("enabled", dut.enabled == enabled)
    has = enabled | busy
    contract.claim("serves", dut.serves == has | past(m, has))
    value, size = dut.value, 4 * RING
    for i in range(rings):
        opened = dut.open[i // 2] if i % 2 == 0 else Const(0)
        place = (value[:32] >= 4 * MEMORY) | (value[: size.bit_length() - 1] != 1)
        bad = value[0] & (enabled[i] | busy[i] | opened | place)
        contract.claim(f"wrong_ring{i}", dut.wrong_ring[i] == bad)
        given, asked = Signal(2, name=f"given{i}"), Signal(2, name=f"asked{i}")
        m.d.comb += [given.eq(tails[i] - heads[i]), asked.eq(value[:2] - heads[i])]
        bad = ~enabled[i] | (asked < given) | (asked > DESCRIPTORS)
        contract.claim(f"wrong_tail{i}", dut.wrong_tail[i] == bad)

    # The access.
    accepted = contract.see("accepted", memory.request & ready)
    access = Cat(memory.write, memory.address, memory.write.replicate(32) & memory.wdata)
    contract.claim("stays", stays(m, memory.request, ready, access))
    contract.claim("idle", ~memory.request | busy.any())

    # The descriptor that is served.
    job = Signal(range(rings))
    m.d.comb += job.eq(reduce(or_, (Mux(busy[i], i, 0) for i in range(rings))))
    receives, its_class = job[0], job[1:]
    ring = Signal.like(memory.address)
    m.d.comb += ring.eq(Array(bases)[job] + 2 * Array(heads)[job][0])
    count = Signal(range(LIMIT + 4))  # accesses so far
    address, header = Signal(32), Signal(32)
    last_read = Signal(3)  # one-hot: what was read in the cycle before
    m.d.sync += last_read.eq(
        Mux(accepted & ~memory.write, Cat(count == 0, count == 1, count > 1), 0)
    )
    with m.If(last_read[0]):
        m.d.sync += address.eq(rdata)
    with m.If(last_read[1]):
        m.d.sync += header.eq(rdata)
    m.d.sync += count.eq(Mux(ends, 0, count + accepted))
    packet: Any = data.View(struct(SEND), header[: SEND.width])
    told: Any = data.View(struct(RECEIVED), dut.received.word_select(its_class, 32))
    unread = dut.left.word_select(its_class, dut.left_width)
    at_start, refused, source, damaged = Signal(12), Signal(), Signal(16), Signal()
    checked = Signal()  # what held when the descriptor was there
    first = ~checked & (count == 2) & ~last_read[1]
    with m.If(first):
        m.d.sync += [
            at_start.eq(unread),
            refused.eq(dut.refused.bit_select(its_class, 1)),
            source.eq(told.source),
            damaged.eq(told.error),
            checked.eq(1),
        ]
    with m.If(ends):
        m.d.sync += checked.eq(0)
    words = Mux(receives, at_start, packet.length)
    outside = address[:2].any() | (address[2:] + words > MEMORY)
    wrong = contract.see("wrong", outside | Mux(receives, packet.length < words, refused))
    number = count - 2
    final = checked & memory.request & Mux(wrong, count == 2, number == words)
    m.d.comb += ends.eq(final & ready)
    reads_ring = memory.request & (count < 2)
    contract.claim("fetch", ~reads_ring | (~memory.write & (memory.address == ring + count)))
    contract.claim("checks", ~(memory.request & (count > 1)) | checked)
    moving = checked & memory.request & ~final
    contract.claim("right", ~moving | (~wrong & (number < words)))
    where = address[2 : 2 + len(memory.address)] + number
    contract.claim("place", ~moving | (memory.address == where[: len(memory.address)]))
    contract.claim("way", ~moving | (memory.write == receives))
    front = dut.front.word_select(its_class, 32)
    contract.claim("front", ~(moving & receives) | (memory.wdata == front))
    contract.claim("finish", ~final | (memory.write & (memory.address == ring + 1)))
    status: Any = data.View(struct(RECEIVED), memory.wdata)
    contract.claim("done", ~final | status.valid)
    contract.claim("error", ~final | (status.error == (wrong | (receives & damaged))))
    contract.claim("length", ~final | (status.length == Mux(receives & wrong, 0, words)))
    node = Mux(receives, Mux(wrong, 0, source), packet.destination)
    contract.claim("node", ~final | (status.source == node))

    # Senders and receivers.
    for i in range(classes):
        here = busy.any() & (its_class == i)
        pushes = last_read[2] & ~receives
        # The last word is pushed while the descriptor is finished, so the job is the same.
        contract.claim(f"push{i}", dut.push[i] == (pushes & here))
        begins = first & here & ~receives & ~_wrong_now(dut, address, packet.length, its_class)
        contract.claim(f"begin{i}", dut.begin[i] == begins)
        taken = moving & accepted & receives & here
        contract.claim(f"taken{i}", dut.take[i] == taken)
        contract.claim(f"finished{i}", dut.finished[i] == (ends & here))
    contract.claim("word", ~last_read[2] | receives | (dut.word == rdata))
    contract.claim("head", ~dut.begin.any() | (dut.word == header))

    # Turns.
    was_busy = past(m, busy)
    able = Cat(dut.valid[i // 2] if i % 2 else dut.free[i // 2] for i in range(rings))
    due = Cat(
        enabled[i] & (heads[i] != tails[i]) & able[i] & ~busy[i] & ~was_busy[i]
        for i in range(rings)
    )
    starts = busy & ~was_busy
    contract.claim("due", ~(starts & ~past(m, due)).any())
    for i in range(rings):
        for j in range(rings):
            if i != j:
                turns = at_most_times(m, 1, due[i], starts[j])
                contract.claim(f"turn{i}_{j}", turns)
    silent = Signal(2)
    m.d.sync += silent.eq(Mux(busy.any() & ~memory.request, Cat(1, silent[0]), 0))
    contract.claim("soon", ~(silent.all() & busy.any() & ~memory.request))
    return contract


def _wrong_now(dut: MailboxDma, address: Value, length: Value, its_class: Value) -> Value:
    """Return whether the descriptor of a packet to send is wrong in this cycle."""
    outside = address[:2].any() | (address[2:] + length > MEMORY)
    return outside | dut.refused.bit_select(its_class, 1)
