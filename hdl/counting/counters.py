"""The counters of a network: what the taps have counted is added up in a memory."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out, connect, flipped

from fingerpost.hdl.bus.registers import AxiLitePort, AxiLiteSignature
from fingerpost.hdl.counting.registers import RegisterMap
from fingerpost.hdl.lib.memory import NO_RW_CHECK
from fingerpost.hdl.lib.registers import WORD


class Counters(wiring.Component):
    """Fetch the counts of all nodes round after round, add them up, and show a snapshot.

    A round begins with a tick, at which the taps hand over what they have counted. Their counts
    come along the chain in the order of the registers, one a cycle, and each is added to its sum,
    in a memory. A snapshot is a second memory, to which the sums of a round are written
    too: all of the cycle of one tick. To clear is to begin the next round from 0, so that what
    is in no snapshot is in none of the counts after it, and nothing is counted twice.

    Parameters
    ----------
    map : RegisterMap

    Members
    -------
    bus : ``In(AxiLiteSignature)``    The port of software.
    tick : ``Out(1)``                 To all taps.
    chain : ``In(width)``             From the first of them.
    """

    bus: Any
    tick: Signal
    chain: Signal

    def __init__(self, map: RegisterMap) -> None:
        self.map, self.round = map, map.round
        super().__init__(
            {
                "bus": In(AxiLiteSignature(map.address_width)),
                "tick": Out(1),
                "chain": In(map.width),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Go round, add up, and answer."""
        m = Module()
        m.submodules.port = port = AxiLitePort(self.map.address_width)
        connect(m, flipped(self.bus), port.bus)
        snapping, fresh, busy = self._commands(m, port)
        shown = self._rounds(m, snapping, fresh, port.address)
        self._registers(m, port, shown, busy)
        return m

    def _commands(self, m: Module, port: AxiLitePort) -> tuple[Signal, Signal, Value]:
        """Take what is written; return: a snapshot is taken, sums begin at 0, something is due."""
        control = self.map.named("control")
        writes = Signal()
        m.d.comb += [
            port.refuse.eq(port.written != control.address // WORD),
            writes.eq(port.write & ~port.refuse & port.strobe[0]),
        ]
        # The first round after a reset begins from 0, and is a snapshot.
        snapshot, clear = Signal(init=1), Signal()
        asked = {part.name: port.value[part.offset] & writes for part in control.fields}
        m.d.sync += [
            snapshot.eq(Mux(self.tick, 0, snapshot) | asked["snapshot"]),
            clear.eq(Mux(self.tick, 0, clear) | asked["clear"]),
        ]
        snapping, clearing, fresh = Signal(), Signal(init=1), Signal()
        with m.If(self.tick):
            m.d.sync += [snapping.eq(snapshot), clearing.eq(clear), fresh.eq(clearing)]
        return snapping, fresh, snapshot | clear | snapping

    def _rounds(self, m: Module, snapping: Signal, fresh: Signal, address: Signal) -> Value:
        """Add up; return what the snapshot has at an address."""
        counters = self.map.counters
        step, begun = Signal(range(self.round)), Signal()
        m.d.sync += [step.eq(Mux(step == self.round - 1, 0, step + 1)), begun.eq(1)]
        m.d.comb += self.tick.eq((step == 0) & begun)
        # The counter of cycles comes first, while the taps get ready.
        place, first, moves = Signal(range(self.round)), Signal(), Signal()
        m.d.sync += [place.eq(step), first.eq(self.tick)]
        with m.If(self.tick):
            m.d.sync += moves.eq(1)
        with m.Elif(step == counters):
            m.d.sync += moves.eq(0)

        # Sums are read two cycles before they are written, and software waits while busy is set.
        live: Memory = Memory(shape=32, depth=counters, init=[], attrs=NO_RW_CHECK)
        shown: Memory = Memory(shape=32, depth=counters, init=[], attrs=NO_RW_CHECK)
        m.submodules.live, m.submodules.shown = live, shown
        before, after = live.read_port(), live.write_port()
        copy, look = shown.write_port(), shown.read_port()
        count, added = Signal(len(self.chain)), Signal(32)
        places = [Signal.like(place, name=f"place{cycle}") for cycle in (1, 2)]
        valid = [Signal(name=f"valid{cycle}") for cycle in (1, 2)]
        m.d.comb += [
            before.addr.eq(place),
            after.addr.eq(places[1]),
            copy.addr.eq(places[1]),
            after.data.eq(added),
            copy.data.eq(added),
            after.en.eq(valid[1]),
            copy.en.eq(valid[1] & snapping),
            look.addr.eq(address),
        ]
        m.d.sync += [
            count.eq(Mux(first, self.round, self.chain)),
            Cat(places).eq(Cat(place, places[0])),
            Cat(valid).eq(Cat(moves, valid[0])),
            added.eq(Mux(fresh, 0, before.data) + count),
        ]
        with m.If(step == self.round - 1):
            m.d.sync += snapping.eq(0)
        return look.data

    def _registers(self, m: Module, port: AxiLitePort, shown: Value, busy: Value) -> None:
        """Give what is read."""
        words: dict[int, Value | int] = {self.map.named("status").address: busy}
        words |= dict(self.map.constants()) | {self.map.named("control").address: 0}
        first = self.map.base // WORD
        with m.If(port.address >= first):
            m.d.comb += [
                port.data.eq(shown),
                port.bad.eq(port.address >= first + self.map.counters),
            ]
            with m.If(port.bad):
                m.d.comb += port.data.eq(0)
        with m.Else():
            with m.Switch(port.address):
                for address, word in words.items():
                    with m.Case(address // WORD):
                        m.d.comb += port.data.eq(word)
                with m.Default():
                    m.d.comb += port.bad.eq(1)
