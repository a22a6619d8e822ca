"""The deflection router of one node; the twin of fingerpost.golden.deflection.router."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from fingerpost.golden.counters import ERRORS, LOST
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.switches import RANKS, compared, ejection_port, in_cycles
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.deflection.switches import Slots, pass_rank
from fingerpost.hdl.lib.component import Component
from fingerpost.hdl.lib.header import struct
from fingerpost.hdl.lib.logic import count, lowest
from fingerpost.hdl.link.flit_link import SingleFlitSignature
from fingerpost.hdl.terminal.single_flit import EjectSignature, InjectSignature

PAYLOAD = "destination", "data"
"""The fields of a flit that have no reset: no decision depends on them without a flit."""

WAITING = {"tick": In(1), "hold": In(1), "pending": Out(1)}
"""The ports of routers that bound the wait for injection."""


class DeflectionRouter(Component):
    """The router of one node, without its table; stages are those of `golden.deflection.router`.

    Every flit that arrives leaves four cycles later (with `hop_cycles` 3, three), or is ejected.
    The outputs to links are registers.

    Parameters
    ----------
    network : DeflectionNetwork
    node_type : NodeType
        The ports in use. The others exist, but have no logic.

    Members
    -------
    epoch : ``In(1)``                                  The epoch of the next cycle.
    tick : ``In(1)``                                   In the next cycle a terminal that waits is
                                                       pending; with `wait_limit`.
    hold : ``In(1)``                                   In the next cycle only it injects; likewise.
    pending : ``Out(1)``                               Asserted while the terminal is; likewise.
    inputs : ``In(SingleFlitSignature)``, by port      Links from the neighbours.
    outputs : ``Out(SingleFlitSignature)``, by port    Links to the neighbours.
    inject, eject : ``In/Out``                         The terminal.
    address : ``Out(slots * destination_width)``       To the table: the destination by slot, in
                                                       the cycle in which it arrives.
    clear : ``Out(slots)``                             A cycle later: there is no flit.
    entry : ``In(slots * entry_width)``                Two cycles later: the productive slots, and
                                                       the distance above; 0 where `clear` was.
    errors : ``Out(8)``                                Flits for a destination that does not exist,
                                                       two cycles later; saturates at 255.
    link_up : ``In(degree)``                           By port, whether the link is up in the next
                                                       cycle, both ways; with `link_up`.
    lost : ``Out(8)``                                  Flits lost on links that are not up;
                                                       likewise.
    """

    def __init__(self, network: DeflectionNetwork, node_type: NodeType) -> None:
        self.network, self.node_type = network, node_type
        self.degree, self.flit_width = network.topology.degree, network.flit_width
        self.slots = len(node_type.outputs)
        self.pairing = network.pairings[node_type]
        self.ejections = network.ejections
        header, width = network.destination_width, network.flit_width
        self.table_entry = network.entry(self.slots)
        link = SingleFlitSignature(network.link, width)
        self.flit = link.flit
        self.carried = data.StructLayout(
            {"valid": 1, "epoch": 1, "distance": network.distance_width}
        )
        self.payload = data.StructLayout({"destination": header, "data": width})
        super().__init__(
            epoch=In(1),
            inputs=In(link).array(self.degree),
            outputs=Out(link).array(self.degree),
            inject=In(InjectSignature(header, width)),
            eject=Out(EjectSignature(self.ejections, width)),
            address=Out(max(1, self.slots * header)),
            clear=Out(max(1, self.slots)),
            entry=In(max(1, self.slots * self.table_entry.width)),
            errors=Out(ERRORS.width),
            **({} if network.wait_limit is None else WAITING),
            **({"link_up": In(self.degree), "lost": Out(LOST.width)} if network.link_up else {}),
        )

    def elaborate(self, platform: object) -> Module:
        """Put one stage behind the other."""
        m = Module()
        current = Signal()
        m.d.sync += current.eq(self.epoch)
        up = self._up(m)
        arrived = self._arrive(m, current, up)
        slots = self._rank(m, arrived)
        slots.down = [self._later(m, ~bit, 2) for bit in up]
        passages = self.pairing.passages
        cycles, rank, last = self.network.hop_cycles - 2, 0, len(RANKS[self.slots])
        for cycle, ranks in enumerate(in_cycles(self.slots, cycles)):
            if cycle:
                slots = slots.registered(m, f"switched{cycle}")
            for _ in ranks:
                rank += 1
                if rank == last:
                    slots.key = self._keys(slots)
                through = passages[rank - 1] if passages else None
                slots = pass_rank(m, slots, rank - 1, through)
        if not last:
            slots.key = self._keys(slots)
        for slot, port in enumerate(self.pairing.outputs):
            flit, output = data.View(self.carried, slots.flit[slot]), self.outputs[port]
            payload = data.View(self.payload, slots.payload[slot])
            leaves = {
                "key": slots.key[slot][slot],
                "epoch": flit.epoch,
                "destination": payload.destination,
                "data": payload.data,
            }
            m.d.sync += output.valid.eq(flit.valid)
            for name, field in leaves.items():
                kept = _register(m, field, f"leaving{slot}", name)
                m.d.comb += getattr(output.flit, name).eq(kept)
        return m

    def _keys(self, slots: Slots) -> list[dict[int, Value]]:
        """Return the key of the flit in each slot, by the output slot at which it may leave."""
        most = (1 << self.network.distance_width) - 1
        found = []
        for flit, wanted in zip(slots.flit, slots.wanted, strict=True):
            distance = data.View(self.carried, flit).distance
            deflected: Value = Mux(distance == most, most, distance + 1)
            if self.network.topology.directed:  # the way back may be long
                deflected = Const(most, self.network.distance_width)
            width = self.network.distance_width
            found.append(
                {out: Mux(bit, distance - 1, deflected)[:width] for out, bit in wanted.items()}
            )
        return found

    def _up(self, m: Module) -> list[Value]:
        """Return whether the link of each slot is up, if it may fail; count what is lost on it."""
        if not self.network.link_up:
            return []
        up = Signal(self.degree, init=-1)
        m.d.sync += up.eq(self.link_up)
        lost = sum(
            (self.outputs[port].valid & ~up[port] for port in self.pairing.outputs), Const(0)
        )
        count(m, self.lost, lost)
        return [up[port] for port in self.pairing.inputs]

    def _later(self, m: Module, value: Value, cycles: int) -> Value:
        """Return a value so many cycles later."""
        for _ in range(cycles):
            register = Signal(len(value), name="down")
            m.d.sync += register.eq(value)
            value = register
        return value

    def _arrive(self, m: Module, current: Signal, up: list[Value]) -> list[Any]:
        """Eject flits that are at home, and inject others; return the registers behind it."""
        most = (1 << self.network.distance_width) - 1
        sources = [self.inputs[port] for port in self.pairing.inputs]
        old = [source.flit.epoch ^ current for source in sources]
        present = [source.valid for source in sources]
        if up:
            present = [valid & bit for valid, bit in zip(present, up, strict=True)]
        stays = self._eject(m, sources, present, old)
        places = [slot for slot in range(self.slots) if self._enters(slot)]
        free, known = Cat(~stays[slot] & (up[slot] if up else 1) for slot in places), Const(1)
        enters = dict(zip(places, lowest(free), strict=True))
        if not self.network.all_known:
            known = self.inject.destination < len(self.network.topology.terminals)
        refused, lets_in = Signal(), self._lets_in(m) if places else Const(0)
        if places:
            m.d.comb += self.inject.ready.eq(free.any() & lets_in)
            m.d.sync += refused.eq(self.inject.valid & self.inject.ready & ~known)
            count(m, self.errors, refused)
        arrived = []
        layout = data.StructLayout(
            {"valid": 1, "old": 1, "key": self.network.distance_width, "epoch": 1,
             "destination": self.network.destination_width, "data": self.flit_width}
        )  # fmt: skip
        for slot, source in enumerate(sources):
            flit, next_ = source.flit, _record(layout, f"arriving{slot}")
            register = _record(layout, f"arrived{slot}")
            m.d.comb += [
                next_.valid.eq(stays[slot]),
                next_.old.eq(old[slot]),
                next_.key.eq(flit.key),
                next_.epoch.eq(flit.epoch),
                next_.destination.eq(flit.destination),
                next_.data.eq(flit.data),
            ]
            if slot in enters:
                with m.If(~stays[slot]):
                    m.d.comb += [
                        next_.valid.eq(enters[slot] & self.inject.valid & lets_in & known),
                        next_.old.eq(0),
                        next_.key.eq(most),
                        next_.epoch.eq(current),
                        next_.destination.eq(self.inject.destination),
                        next_.data.eq(self.inject.data),
                    ]
            for name in layout.members:
                kept = _register(m, getattr(next_, name), f"arrived{slot}", name)
                m.d.comb += getattr(register, name).eq(kept)
            arrived.append(register)
            self._look_up(m, slot, source, next_, register)
        return arrived

    def _lets_in(self, m: Module) -> Value:
        """Return whether the terminal may inject, if there is a place; note whether it waits."""
        if self.network.wait_limit is None:
            return Const(1)
        ticked, held, lets_in = Signal(), Signal(), Signal()
        waiting = self.inject.valid & ~self.inject.ready
        m.d.comb += lets_in.eq(self.pending | ~held)
        m.d.sync += [
            ticked.eq(self.tick),
            held.eq(self.hold),
            self.pending.eq(waiting & (self.pending | (ticked & ~held))),
        ]
        return lets_in

    def _enters(self, slot: int) -> bool:
        """Return whether flits are injected into a slot."""
        return self.node_type.terminals > 0 and self.network.enters(slot)

    def _look_up(self, m: Module, slot: int, source: Any, next_: Any, register: Any) -> None:
        """Ask the table for the destination of the flit that goes into a slot.

        A flit that is at home has no productive port and distance 0, whatever the table says. So
        the address of a block RAM, which is far away, need not wait to know whether it stays.
        """
        width = self.network.destination_width
        destination, clear = next_.destination, ~register.valid
        if self.network.table == "ram" and self._enters(slot):
            passes = source.valid & (source.flit.key != 0)
            offered = self.inject.destination
            destination = Mux(passes, source.flit.destination, offered)
            clear |= register.key == 0
        m.d.comb += [
            self.address[slot * width : (slot + 1) * width].eq(destination),
            self.clear[slot].eq(clear),
        ]

    def _eject(
        self, m: Module, sources: list[Any], present: list[Value], old: list[Value]
    ) -> list[Signal]:
        """Eject a flit at each port; return which flits stay."""
        stays = [Signal(name=f"stays{slot}") for slot in range(self.slots)]
        m.d.comb += [stay.eq(valid) for stay, valid in zip(stays, present, strict=True)]
        if not self.node_type.terminals:
            return stays
        taking, width = Signal(self.ejections), self.flit_width
        m.d.sync += taking.eq(self.eject.ready)
        for port in range(self.ejections):
            slots = [
                slot
                for slot in range(self.slots)
                if ejection_port(slot, self.slots, self.ejections) == port
            ]
            if not slots:
                continue
            home = Cat(present[slot] & (sources[slot].flit.key == 0) for slot in slots) & taking[
                port
            ].replicate(len(slots))
            aged = home & Cat(old[slot] for slot in slots)
            first = Mux(aged.any(), aged, home)
            out = Signal(len(slots), name=f"out{port}")
            m.d.comb += out.eq(lowest(first))
            m.d.sync += self.eject.valid[port].eq(home.any())
            chosen: Value = sources[slots[-1]].flit.data
            for place, slot in reversed(list(enumerate(slots[:-1]))):
                chosen = Mux(out[place], sources[slot].flit.data, chosen)
            with m.If(home.any()):
                m.d.sync += self.eject.data[port * width : (port + 1) * width].eq(chosen)
            m.d.comb += [
                stays[slot].eq(present[slot] & ~out[place]) for place, slot in enumerate(slots)
            ]
        return stays

    def _rank(self, m: Module, arrived: list[Any]) -> Slots:
        """Order the flits by priority; return the registers behind it, with the table's answers."""
        first: dict[tuple[int, int], Value] = {}
        for a, b in sorted(compared(self.slots)[0]):
            first[a, b] = Signal(name=f"first{a}_{b}")
            one, other = (Cat(arrived[slot].key, ~arrived[slot].old) for slot in (a, b))
            m.d.sync += first[a, b].eq(one <= other)
        flits, payloads, wanted, prefers = [], [], [], []
        for slot, each in enumerate(arrived):
            entry = data.View(
                struct(self.table_entry), self.entry.word_select(slot, self.table_entry.width)
            )
            ranked, payload = (
                _record(layout, f"ranked{slot}_{what}")
                for layout, what in ((self.carried, "flit"), (self.payload, "payload"))
            )
            for record, names in ((ranked, ("valid", "epoch")), (payload, PAYLOAD)):
                for name in names:
                    kept = _register(m, getattr(each, name), f"ranked{slot}", name)
                    m.d.comb += getattr(record, name).eq(kept)
            m.d.comb += ranked.distance.eq(entry.distance)
            flits.append(ranked.as_value())
            payloads.append(payload.as_value())
            wanted.append({out: entry.productive[out] for out in range(self.slots)})
            if "prefers" in self.table_entry:
                prefers.append((entry.prefers[0], entry.prefers[1]))
        return Slots(flits, payloads, wanted, first, prefers=prefers)


def _record(layout: data.StructLayout, name: str) -> Any:
    """Return a signal with the fields of a layout."""
    return Signal(layout, name=name)


def _register(m: Module, value: Value, owner: str, name: str) -> Signal:
    """Return a field of a flit behind a register."""
    register = Signal(len(value), name=f"{owner}_{name}", reset_less=name in PAYLOAD)
    m.d.sync += register.eq(value)
    return register
