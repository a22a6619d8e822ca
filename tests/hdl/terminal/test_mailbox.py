"""The registers of a mailbox beside their model: every output in every cycle, whatever comes."""

from random import Random
from typing import Any

import pytest
from amaranth.sim import Simulator

from fingerpost.golden.terminal import mailbox_registers as golden
from fingerpost.golden.terminal.mailbox_layout import MISUSES, SEND
from fingerpost.golden.terminal.mailbox_registers import Access, Beat
from fingerpost.hdl.terminal.mailbox_map import mailbox_of
from fingerpost.hdl.terminal.mailbox_registers import MailboxRegisters
from tests.quick import only

LIMIT, NUMBER, KNOWN = 3, 3, (0, 1, 2, 5)
MEMORY, DESCRIPTORS = 64, 4
RING_BYTES = 8 * DESCRIPTORS
RINGS = "send_descriptors", "receive_descriptors", "finished"
SIZES = {"send_words": 8, "receive_words": 8, "packet_limit": LIMIT, "known": KNOWN}


class Manager:
    """Accesses, one after the other, most of which mean something."""

    def __init__(
        self, rng: Random, model: golden.MailboxRegisters, places: list[tuple[Any, int, int]]
    ) -> None:
        self.rng, self.model = rng, model
        self.at = {(register.name, c): place for register, c, place in places}
        self.memory, self.writes = [0] * MEMORY, 0

    def address(self, c: int, *names: str) -> int:
        if self.rng.random() < 0.05:
            return self.rng.randrange(0, 0xC0, 4) if not self.model.dma else self.at["finished", 0]
        name = self.rng.choice(names)
        return self.at[name, c if (name, c) in self.at else 0]

    def ring(self, dma: Any) -> tuple[int, int, int]:
        """Begin or end a ring, or give descriptors to it, most of them right."""
        rng, ring = self.rng, self.rng.randrange(4)
        name, c = ("send", "receive")[ring % 2], ring // 2
        if not dma.enabled[ring] or rng.random() < 0.02:
            right = [ring * RING_BYTES + 1] * 6 + [0] * (1 + 2 * dma.enabled[ring])
            value = rng.choice([*right, 5, 4 * MEMORY + 1, ring * RING_BYTES + 9])
            return self.at[f"{name}_ring", c], value, 15
        tail = dma.tail[ring] + rng.choice([0, 1, 1, 1, 2, 3, 6])
        for given in range(dma.tail[ring], tail):
            if (given - dma.head[ring]) % (2 * DESCRIPTORS) >= DESCRIPTORS:
                break
            address = rng.choice([rng.randrange(32, 60)] * 9 + [62, 63, MEMORY]) * 4
            address += rng.choice([0] * 12 + [2, 1 << 20])
            length = rng.choice([1, 2, 3, 3, 3, 3, 0, 4] if ring % 2 == 0 else [1, 3, 3, 3])
            head = SEND.join(destination=rng.choice([*KNOWN * 4, 3]), length=length)
            place = ring * RING_BYTES // 4 + 2 * (given % DESCRIPTORS)
            self.memory[place : place + 2] = [address, int(head) | rng.choice([0] * 9 + [1 << 29])]
        return self.at[f"{name}_descriptors", c], tail, 15

    def write(self) -> tuple[int, int, int]:
        c = self.rng.randrange(2)
        if self.model.dma:
            self.writes += 1
            enabled = self.model.dma.enabled
            if self.writes // 80 % 3 == 2:  # without rings
                if any(enabled):
                    ring = enabled.index(True)
                    name = ("send", "receive")[ring % 2]
                    return self.at[f"{name}_ring", ring // 2], 0, 15
            elif self.rng.random() < 0.6:
                return self.ring(self.model.dma)
        usual = "send_data" if self.model.senders[c].open else "send"
        names = [usual] * 12 + [
            "send",
            "send_data",
            "enable",
            "threshold",
            "errors",
            "control",
            "control",
        ]
        address = self.address(c, *names)
        length = self.rng.choice([1, 1, 2, 2, 3, 3, 3, 3, 0, 4])
        head = SEND.join(destination=self.rng.choice([*KNOWN * 4, 3, 8]), length=length)
        small = self.rng.randrange(8) if address % 0x40 in {0x18, 0x1C} else None
        value = self.rng.choice([int(head)] * 7 + [self.rng.getrandbits(32)])
        if address == self.at["errors", 0]:
            small = 0xFF
        strobe = 15 if self.rng.random() < 0.95 else self.rng.randrange(16)
        return address, value if small is None else small, strobe

    def read(self) -> int:
        return self.address(
            self.rng.randrange(2), *["receive_data"] * 6, "receive", "room", "left", "errors",
            "misuses", "pending", "bad", "threshold", "enable", "id", "node",
            *RINGS * bool(self.model.dma),
        )  # fmt: skip


class AxiLite:
    """The wires of a manager of AXI4-Lite; reads and writes do not wait for each other."""

    one_at_a_time = False

    def __init__(self, ctx: Any, bus: Any) -> None:
        self.ctx, self.bus = ctx, bus
        ctx.set(bus.bready, 1)
        ctx.set(bus.rready, 1)

    def drive(self, read: int | None, write: tuple[int, int, int] | None) -> None:
        """Offer an access in the first cycle of it."""
        ctx, bus = self.ctx, self.bus
        ctx.set(bus.arvalid, read is not None)
        ctx.set(bus.awvalid, write is not None)
        ctx.set(bus.wvalid, write is not None)
        if read is not None:
            ctx.set(bus.araddr, read)
        if write is not None:
            for port, value in zip((bus.awaddr, bus.wdata, bus.wstrb), write, strict=True):
                ctx.set(port, value)

    def read_answer(self) -> tuple[int, bool]:
        """Return what was read, and whether that is refused."""
        ctx, bus = self.ctx, self.bus
        assert ctx.get(bus.rvalid)
        return ctx.get(bus.rdata), ctx.get(bus.rresp) == 2

    def write_answer(self) -> bool:
        """Return whether a write is refused."""
        assert self.ctx.get(self.bus.bvalid)
        return bool(self.ctx.get(self.bus.bresp) == 2)


class Wishbone:
    """The wires of a manager of Wishbone, which keeps an access until it is answered."""

    one_at_a_time = True

    def __init__(self, ctx: Any, bus: Any) -> None:
        self.ctx, self.bus, self.ends = ctx, bus, False

    def drive(self, read: int | None, write: tuple[int, int, int] | None) -> None:
        """Begin an access, or end the one that was answered."""
        ctx, bus = self.ctx, self.bus
        if self.ends:
            ctx.set(bus.cyc, 0)
            ctx.set(bus.stb, 0)
            self.ends = False
        if read is not None or write is not None:
            address, value, strobe = (read, 0, 15) if write is None else write
            for port, it in ((bus.adr, address), (bus.dat_w, value), (bus.sel, strobe)):
                ctx.set(port, it)
            ctx.set(bus.we, write is not None)
            ctx.set(bus.cyc, 1)
            ctx.set(bus.stb, 1)

    def read_answer(self) -> tuple[int, bool]:
        """Return what was read, and whether that is refused."""
        return self.ctx.get(self.bus.dat_r), self.write_answer()

    def write_answer(self) -> bool:
        """Return whether an access is refused."""
        self.ends = True
        refused = self.ctx.get(self.bus.err)
        assert self.ctx.get(self.bus.ack) != refused
        return bool(refused)


MANAGERS: dict[str, Any] = {"axi-lite": AxiLite, "wishbone": Wishbone}


def lock_step(seed: int, cycles: int, bus: str, *, dma: bool = False) -> dict[str, int]:
    """Run both; return how often things were seen."""
    rng = Random(seed)
    more = {"descriptors": DESCRIPTORS, "memory_words": MEMORY} if dma else {}
    map = mailbox_of(nodes=6, classes=2, limit=LIMIT, hash=0x12345678, **more)
    dut = MailboxRegisters(map, number=NUMBER, bus=bus, **SIZES)  # type: ignore[arg-type]
    model = golden.MailboxRegisters(classes=2, **SIZES, **more)  # type: ignore[arg-type]
    places = list(map.places())
    manager, named = Manager(rng, model, places), {p // 4: (r, c) for r, c, p in places}
    constant = {place // 4: value for place, value in map.constants()}
    names = [*MISUSES, "sent", "taken", "irq", "long"]
    seen: dict[str, int] = dict.fromkeys([name for name in names if dma or name != "ring"], 0)
    if dma:
        seen |= {f"{what} {way}": 0 for what in ("moved", "wrong") for way in ("in", "out")}

    async def bench(ctx: Any) -> None:
        wires, tx, rx = MANAGERS[bus](ctx, dut.bus), dut.tx, dut.rx
        ctx.set(dut.node, 5)
        reading: tuple[int, int] | None = None  # its address, and the cycle of that
        written: tuple[int, int, int] | None = None
        answer, response = None, None
        arriving: list[tuple[int, int]] = [(0, 0)] * 2  # words still to come, and source
        beats = [Beat()] * 2
        rdata = 0
        for cycle in range(cycles):
            busy = (cycle // 200) % 3  # senders and receivers are slow in turns
            # Reads: address, LOOK, TAKE, OFFER.
            # Where an access waits for another, fewer reads, so that writes have their turn.
            share = 1 if not wires.one_at_a_time else 0.2 if busy == 2 else 0.6
            free = not wires.one_at_a_time or (reading is None and written is None)
            if free and reading is None and rng.random() < (0.9 if busy != 1 else 0.1) * share:
                reading = manager.read(), cycle
            phase = cycle - reading[1] if reading else -1
            # Writes: address and data, then the cycle in which it is done, then its answer.
            write = None
            free = not wires.one_at_a_time or (reading is None and written is None)
            if free and written is None and rng.random() < 0.5:
                written, stage = manager.write(), 0
            elif written is not None:
                stage += 1
            wires.drive(
                reading[0] if reading and phase == 0 else None,
                written if written is not None and stage == 0 else None,
            )
            if written is not None and stage == 1:
                register, c = named.get(written[0] // 4, (None, 0))
                can = register is not None and any(
                    f.access in {"give", "keep", "pulse", "clear"} for f in register.fields
                )
                if can:
                    assert register
                    write = Access(register.name, c, written[1], written[2] == 15)
                response = write is None or model.refuses(write)
                for name in model.wrong(write) if write else ():
                    seen[name] += 1
            # Streams.
            ready = [rng.random() < (0.7 if busy != 2 else 0.02) for _ in range(2)]
            for c in range(2):
                if not beats[c].valid and rng.random() < (0.6 if busy else 0.05):
                    left, source = arriving[c]
                    if not left:
                        left, source = rng.choice([1, 2, 3, 3, 5]), rng.choice(KNOWN)
                    error = left == 1 and rng.random() < 0.2
                    beats[c] = Beat(True, rng.getrandbits(32), left == 1, source, error)
                    arriving[c] = left - 1, source
            ctx.set(tx.tready, sum(bit << c for c, bit in enumerate(ready)))
            ctx.set(rx.tvalid, sum(b.valid << c for c, b in enumerate(beats)))
            ctx.set(rx.tdata, sum(b.data << 32 * c for c, b in enumerate(beats)))
            ctx.set(rx.tlast, sum(b.last << c for c, b in enumerate(beats)))
            ctx.set(rx.tuser, sum((b.source << 1 | b.error) << 4 * c for c, b in enumerate(beats)))
            take = None
            if reading and phase == 2:
                address = reading[0] // 4
                if address not in named:
                    answer = 0, True
                else:
                    register, c = named[address]
                    value, bad = model.read(register.name, c)
                    value = {"node": 5}.get(register.name, constant.get(address, value))
                    answer = value, bad
                    take = Access(register.name, c)
                    seen["taken"] += register.name == "receive_data" and not bad
                    seen["empty"] += bad
            memory = False, 0
            if model.dma:
                memory = rng.random() < (0.8 if busy else 0.3), rdata
                ctx.set(dut.memory.ready, memory[0])
                ctx.set(dut.memory.rdata, rdata)
                request = model.dma.request
                assert ctx.get(dut.memory.request) == (request is not None), cycle
                rdata = rng.getrandbits(32)
                if request:
                    port = dut.memory
                    assert ctx.get(port.address) == request.address, cycle
                    assert ctx.get(port.write) == request.write, cycle
                    if request.write:
                        assert ctx.get(port.wdata) == request.data, (cycle, model.dma.state)
                if request and memory[0]:
                    if request.write:
                        manager.memory[request.address] = request.data
                    rdata = manager.memory[request.address]
                    if model.dma.state == "finish":
                        failed = not request.data >> 16 & 0xFFF or request.data >> 30 & 1
                        what = "wrong" if failed else "moved"
                        seen[f"{what} {'in' if model.dma.job % 2 else 'out'}"] += 1
            # What is seen in this cycle.
            assert ctx.get(dut.irq) == model.irq, cycle
            seen["irq"] += model.irq
            for c, sender in enumerate(model.senders):
                assert ctx.get(tx.tvalid) >> c & 1 == sender.valid, cycle
                if sender.valid:
                    beat = ctx.get(tx.tdata) >> 32 * c & 0xFFFFFFFF, ctx.get(tx.tlast) >> c & 1
                    assert beat == (sender.data, sender.last), cycle
                    assert ctx.get(dut.tdest) >> NUMBER * c & 7 == sender.destination
                    seen["sent"] += ready[c]
            ready_in = [receiver.ready for receiver in model.receivers]
            assert ctx.get(rx.tready) == sum(bit << c for c, bit in enumerate(ready_in)), cycle
            if phase == 3:
                assert wires.read_answer() == answer, (cycle, reading)
                reading = None
            if written is not None and stage == 2:
                assert wires.write_answer() == response, (cycle, written)
                written = None
            seen["long"] += sum(r.middle and r.count == LIMIT for r in model.receivers)
            model.step(write, take, ready, beats, memory)
            await ctx.tick()
            for c in range(2):
                if beats[c].valid and ready_in[c]:
                    beats[c] = Beat()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


@pytest.mark.parametrize(
    ("bus", "seed", "dma"),
    only(
        [("axi-lite", 0, False)],
        [("axi-lite", 0, False), ("axi-lite", 1, True), ("wishbone", 0, False)],
    ),
)
def test_lock_step(bus: str, seed: int, dma: bool) -> None:
    seen = lock_step(seed, 3600 if not dma else 6000, bus, dma=dma)
    assert min(seen.values()) > 2, seen
