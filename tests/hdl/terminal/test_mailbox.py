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

LIMIT, NUMBER, KNOWN = 3, 3, (0, 1, 2, 5)
SIZES = {"send_words": 8, "receive_words": 8, "packet_limit": LIMIT, "known": KNOWN}


class Manager:
    """Accesses, one after the other, most of which mean something."""

    def __init__(
        self, rng: Random, model: golden.MailboxRegisters, places: list[tuple[Any, int, int]]
    ) -> None:
        self.rng, self.model = rng, model
        self.at = {(register.name, c): place for register, c, place in places}

    def address(self, c: int, *names: str) -> int:
        if self.rng.random() < 0.05:
            return self.rng.randrange(0, 0xC0, 4)
        name = self.rng.choice(names)
        return self.at[name, c if (name, c) in self.at else 0]

    def write(self) -> tuple[int, int, int]:
        c = self.rng.randrange(2)
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
        )  # fmt: skip


def lock_step(seed: int, cycles: int) -> dict[str, int]:
    """Run both; return how often things were seen."""
    rng = Random(seed)
    map = mailbox_of(nodes=6, classes=2, limit=LIMIT, hash=0x12345678)
    dut = MailboxRegisters(map, number=NUMBER, **SIZES)  # type: ignore[arg-type]
    model = golden.MailboxRegisters(classes=2, **SIZES)  # type: ignore[arg-type]
    places = list(map.places())
    manager, named = Manager(rng, model, places), {p // 4: (r, c) for r, c, p in places}
    constant = {place // 4: value for place, value in map.constants()}
    seen: dict[str, int] = dict.fromkeys([*MISUSES, "sent", "taken", "irq", "long"], 0)

    async def bench(ctx: Any) -> None:
        bus, tx, rx = dut.bus, dut.tx, dut.rx
        ctx.set(dut.node, 5)
        ctx.set(bus.bready, 1)
        ctx.set(bus.rready, 1)
        reading: tuple[int, int] | None = None  # its address, and the cycle of that
        written: tuple[int, int, int] | None = None
        answer, response = None, None
        arriving: list[tuple[int, int]] = [(0, 0)] * 2  # words still to come, and source
        beats = [Beat()] * 2
        for cycle in range(cycles):
            busy = (cycle // 200) % 3  # senders and receivers are slow in turns
            # Reads: address, LOOK, TAKE, OFFER.
            if reading is None and rng.random() < (0.9 if busy != 1 else 0.1):
                reading = manager.read(), cycle
                ctx.set(bus.araddr, reading[0])
            phase = cycle - reading[1] if reading else -1
            ctx.set(bus.arvalid, phase == 0)
            # Writes: address and data, then the cycle in which it is done, then its answer.
            write = None
            if written is None and rng.random() < 0.5:
                written = manager.write()
                ctx.set(bus.awaddr, written[0])
                ctx.set(bus.wdata, written[1])
                ctx.set(bus.wstrb, written[2])
                ctx.set(bus.awvalid, 1)
                ctx.set(bus.wvalid, 1)
                stage = 0
            elif written is not None:
                stage += 1
                ctx.set(bus.awvalid, 0)
                ctx.set(bus.wvalid, 0)
            if written is not None and stage == 1:
                register, c = named.get(written[0] // 4, (None, 0))
                can = register is not None and any(
                    f.access in {"give", "keep", "pulse", "clear"} for f in register.fields
                )
                if can:
                    assert register
                    write = Access(register.name, c, written[1], written[2] == 15)
                response = 2 if write is None or model.refuses(write) else 0
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
                    answer = 0, 2
                else:
                    register, c = named[address]
                    value, bad = model.read(register.name, c)
                    value = {"node": 5}.get(register.name, constant.get(address, value))
                    answer = value, 2 * bad
                    take = Access(register.name, c)
                    seen["taken"] += register.name == "receive_data" and not bad
                    seen["empty"] += bad
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
                assert ctx.get(bus.rvalid)
                assert (ctx.get(bus.rdata), ctx.get(bus.rresp)) == answer, (cycle, reading)
                reading = None
            if written is not None and stage == 2:
                assert ctx.get(bus.bvalid)
                assert ctx.get(bus.bresp) == response, (cycle, written)
                written = None
            seen["long"] += sum(r.middle and r.count == LIMIT for r in model.receivers)
            model.step(write, take, ready, beats)
            await ctx.tick()
            for c in range(2):
                if beats[c].valid and ready_in[c]:
                    beats[c] = Beat()

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return seen


@pytest.mark.parametrize("seed", range(2))
def test_lock_step(seed: int) -> None:
    seen = lock_step(seed, 3600)
    assert min(seen.values()) > 2, seen
