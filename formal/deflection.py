# amaranth: UnusedElaboratable=no
"""Deflection routers: what becomes of flits, and their priorities, in a node among any others."""

from dataclasses import dataclass, field
from functools import reduce
from operator import add, and_, or_
from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value
from amaranth.lib.wiring import In

from fingerpost.formal.contract import Contract, past
from fingerpost.formal.netlist import Netlist
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.network.switches import first_sides
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.deflection.node import LOCAL
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.terminal import terminal_end

TOPOLOGIES: dict[str, dict[str, Any]] = {
    "ring": {"family": "grid", "sizes": [5], "wrap": True},
    "complete": {"family": "edge-list", "nodes": 4,
                 "links": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]},
    "torus": {"family": "grid", "sizes": [3, 3], "wrap": True},
    "kautz": {"family": "kautz", "degree": 2, "diameter": 2},
}  # fmt: skip
"""Networks with routers of 2, 3, 4 and 2 links; the last one is directed."""


def total(bits: list[Value]) -> Value:
    """Return how many bits are set."""
    return reduce(add, bits)


@dataclass
class Cohort:
    """A router in a contract, and the flits that arrive, enter, and leave together.

    Everything of flits that arrive is free, and so is the answer of the table, as long as it goes
    with the key: that is an upper bound of the distance, and 0 at the destination only. Links that
    may fail are up.
    """

    contract: Contract
    network: DeflectionNetwork
    node_type: NodeType
    """Of the router."""
    verilog: tuple[str, str] | None = None
    """The name of the generated module, and the text that has it; else the component itself."""
    router: DeflectionRouter = field(init=False)
    current: Signal = field(init=False)
    """The epoch of this cycle."""
    old: list[Value] = field(init=False)
    """Whether the flit of each input is of the older one."""
    entered: Value = field(init=False)
    """Whether a flit goes in whose destination exists."""
    some: Signal = field(init=False)
    answer: Any = field(init=False)
    """A destination, and what the table says of it: productive slots, the distance above."""

    def __post_init__(self) -> None:
        contract, network = self.contract, self.network
        contract.induction = network.hop_cycles + 1
        m = contract.m
        self.router = router = DeflectionRouter(network, self.node_type)
        if self.verilog:
            self._generated(*self.verilog)
        else:
            m.submodules.router = router
        self.current = Signal(name="current")
        m.d.sync += self.current.eq(router.epoch)
        for name in ("epoch", "tick", "hold"):
            if name in router.signature.members:
                m.d.comb += getattr(router, name).eq(contract.anything(name))
        if network.link_up:
            m.d.comb += router.link_up.eq(-1)
        m.d.comb += router.eject.ready.eq(contract.anything("taking", network.ejections))
        for port in self.node_type.inputs:  # nothing arrives at the others
            link = router.inputs[port]
            m.d.comb += [
                link.valid.eq(contract.anything(f"valid{port}")),
                Value.cast(link.flit).eq(
                    contract.anything(f"flit{port}", len(Value.cast(link.flit)))
                ),
            ]
        for name in ("valid", "destination", "data"):
            signal = getattr(router.inject, name)
            m.d.comb += signal.eq(contract.anything(f"inject_{name}", len(signal)))
        self.old = [link.flit.epoch ^ self.current for link in router.inputs]
        known = router.inject.destination < len(network.topology.terminals)
        self.entered = router.inject.valid & router.inject.ready & known
        if not self.node_type.terminals:
            self.entered = Const(0)
        self.table()

    def _generated(self, module: str, verilog: str) -> None:
        """Put generated Verilog behind the ports of `router`, which is not elaborated itself."""
        netlist = Netlist(self.contract, module, verilog, unset=True)
        inside = terminal_end(self.network).adds
        for path, member, port in self.router.signature.flatten(self.router):
            value = Value.cast(port)
            local = inside and path[0] in LOCAL
            name = ("router." if local else "") + ("_" if local else "__").join(map(str, path))
            if member.flow is not In:
                self.contract.m.d.comb += value.eq(netlist.wire(name, len(value)))
            elif local and path == ("eject", "ready") and self.network.terminal.takes_all:
                self.contract.assume(value.all())  # a constant
            elif local:
                netlist.drive(name, value)
            else:
                netlist.put(name, value)
        netlist.connect()

    def later(self, value: Value, cycles: int = 0) -> Value:
        """Return a value so many cycles later; if none are given, when its flits are on links."""
        return past(self.contract.m, value, cycles or self.network.hop_cycles)

    def table(self) -> None:
        """Let the table say anything that goes with the keys.

        It has one answer for one destination, `some`: it is `answer`. Only a flit that is at its
        destination, `own`, has distance 0 and key 0.
        """
        contract, router, m = self.contract, self.router, self.contract.m
        layout, header, slots = (
            router.table_entry, self.network.destination_width, router.slots
        )  # fmt: skip
        own, terminal = contract.constant("own", header), self.node_type.terminals
        self.some = contract.constant("some", header)
        self.answer: Any = contract.constant("answer", slots + layout["distance"].width)
        contract.assume(((self.some == own) & terminal) == (self.answer[slots:] == 0))
        contract.assume(self.answer[:slots].any() == (self.answer[slots:] != 0))
        sides, entries = first_sides(slots), []
        for slot, port in enumerate(router.pairing.inputs):
            link = router.inputs[port]
            free = contract.anything(f"answer{slot}", len(self.answer))
            productive, distance = free[:slots], free[slots:]
            fields = [productive, distance]
            if "prefers" in layout and sides is not None:
                first, second = (
                    Cat(productive[i] for i in side.nonzero()[0].tolist()).any() for side in sides
                )
                fields += [first & ~second, second & ~first]
            at_home = (link.flit.destination == own) & terminal
            contract.assume(~link.valid | ((link.flit.key == 0) == at_home))
            asked = self.later(router.address[slot * header : (slot + 1) * header], 2)
            arrives = self.later(link.valid & (link.flit.key != 0), 2)
            contract.assume(productive.any() == (distance != 0))
            contract.assume(((asked == own) & terminal) == (distance == 0))
            contract.assume((asked != self.some) | (free == self.answer))
            contract.assume(~arrives | (distance <= self.later(link.flit.key, 2)))
            entries.append(Mux(self.later(router.clear[slot], 1), 0, Cat(fields)))
        m.d.comb += router.entry.eq(Cat(entries))


def cohort(topology: str, **router: Any) -> Cohort:
    """Return a router of a small network in a contract, with parameters as in a network file."""
    given = {"kind": "deflection", "wait_limit": 4, "flit_width": 2, **router}
    network = build_deflection({"name": "x", "topology": TOPOLOGIES[topology], "router": given})
    return Cohort(Contract(), network, network.topology.node_types[0])


def deflection_flits(*, topology: str, **router: Any) -> Contract:
    """Return the contract `flits` of a small router.

    Parameters
    ----------
    topology : str
        One of `fingerpost.formal.deflection.TOPOLOGIES`.
    router
        As in a network file.
    """
    return flits(cohort(topology, **router))


def flits(cohort: Cohort) -> Contract:
    """Return the contract of a router among any flits, with a table that says anything.

    What holds for any data, and for any header, holds for each flit: as many with that data leave
    by links and to the terminal as arrive and enter, and as many with that header leave by links
    as arrive and are not at their destination, or enter.
    """
    contract, node = cohort.contract, cohort.router
    header, data = contract.constant("header", len(node.inject.destination) + 1), node.flit_width
    some = contract.constant("data", data)

    def has(flit: Any) -> Value:
        return (flit.destination == header[1:]) & (flit.epoch == header[0])

    arriving = [link.valid for link in node.inputs]
    leaving = total([link.valid for link in node.outputs])
    ejected = [node.eject.valid[i] for i in range(len(node.eject.valid))]
    late = cohort.later(total([*arriving, cohort.entered]))
    out = cohort.later(total(ejected), node.network.hop_cycles - 1)
    contract.claim("as_many_leave", leaving + out == late)

    late = cohort.later(
        total(
            [
                *(link.valid & (link.flit.data == some) for link in node.inputs),
                cohort.entered & (node.inject.data == some),
            ]
        )
    )
    out = cohort.later(
        total(
            [
                valid & (node.eject.data.word_select(i, data) == some)
                for i, valid in enumerate(ejected)
            ]
        ),
        node.network.hop_cycles - 1,
    )
    here = total([link.valid & (link.flit.data == some) for link in node.outputs])
    contract.claim("same_data", here + out == late)

    for link in node.inputs:  # those that may be ejected are left out
        contract.assume(~link.valid | (link.flit.key != 0) | ~has(link.flit))
    enters = cohort.entered & (node.inject.destination == header[1:])
    late = cohort.later(
        total(
            [
                *(link.valid & has(link.flit) for link in node.inputs),
                enters & (cohort.current == header[0]),
            ]
        )
    )
    here = total([link.valid & has(link.flit) for link in node.outputs])
    contract.claim("same_header", here == late)
    return contract


def deflection_priority(*, topology: str, **router: Any) -> Contract:
    """Return the contract `priority` of a small router.

    Parameters
    ----------
    topology : str
        One of `fingerpost.formal.deflection.TOPOLOGIES`.
    router
        As in a network file.
    """
    return priority(cohort(topology, **router))


def priority(cohort: Cohort) -> Contract:
    """Return the contract of a router whose table goes with the keys, and whose terminal accepts.

    Of the flits that arrive together those of the older epoch come first, and of them those of
    least key. If that key is 0 one is ejected; if not, one of them leaves with a lower key. A flit
    that is injected has the current epoch, and is injected only if no other terminal is to come
    first.
    """
    contract, node = cohort.contract, cohort.router
    width = node.network.distance_width
    contract.assume(node.eject.ready.all())
    taking = cohort.later(Const(1), 1)  # not in the first cycle

    # Data tells what is old, and what was injected.
    for link, old in zip(node.inputs, cohort.old, strict=True):
        contract.assume(~link.valid | (link.flit.data == old))
    contract.assume(node.inject.data == 0b10)

    any_old = Cat(link.valid & old for link, old in zip(node.inputs, cohort.old, strict=True)).any()
    first = [
        link.valid & (old | ~any_old) for link, old in zip(node.inputs, cohort.old, strict=True)
    ]
    least: Value = Const((1 << width) - 1, width)
    for link, is_first in zip(node.inputs, first, strict=True):
        least = Mux(is_first & (link.flit.key < least), link.flit.key, least)
    least = contract.see("least", least)
    some = Cat(first).any()

    away, before = cohort.later(some & (least != 0)), cohort.later(least)
    kind = cohort.later(any_old)
    nearer = reduce(
        or_,
        [
            link.valid & (link.flit.key < before) & (~kind | link.flit.data[0])
            for link in node.outputs
        ],
    )
    contract.claim("first_gets_nearer", ~away | nearer)

    # The key is the distance behind the link, or more than it can be.
    most, keys = (1 << width) - 1, []
    slots = len(node.pairing.outputs)
    productive, distance = cohort.answer[:slots], cohort.answer[slots:]
    deflected = Mux(distance == most, most, distance + 1)[:width]
    if node.network.topology.directed:
        deflected = Const(most, width)
    for slot, port in enumerate(node.pairing.outputs):
        link = node.outputs[port]
        key = Mux(productive[slot], distance - 1, deflected)[:width]
        at_some = link.valid & (link.flit.destination == cohort.some)
        keys.append(~at_some | (link.flit.key == key))
    contract.claim("key_is_a_bound", reduce(and_, keys))

    if cohort.node_type.terminals:
        _terminal(cohort, any_old, some & (least == 0) & taking)
    return contract


def _terminal(cohort: Cohort, any_old: Value, home: Value) -> None:
    """Claim that what is at `home` is ejected, and when flits are injected."""
    contract, m, node = cohort.contract, cohort.contract.m, cohort.router
    home, kind = cohort.later(home, 1), cohort.later(any_old, 1)
    ejected = reduce(
        or_,
        [
            valid & (node.eject.data.word_select(i, node.flit_width) == kind)
            for i, valid in enumerate(iter(node.eject.valid))
        ],
    )
    contract.claim("first_ejected", ~home | ejected)

    now = cohort.later(cohort.current)
    injected = [
        ~(link.valid & link.flit.data[1]) | (link.flit.epoch == now) for link in node.outputs
    ]
    contract.claim("injected_is_new", reduce(and_, injected))

    if node.network.wait_limit is None:
        return
    held, ticked, pending = Signal(name="held"), Signal(name="ticked"), node.pending
    m.d.sync += [held.eq(node.hold), ticked.eq(node.tick)]
    inject = node.inject
    contract.claim("others_wait", ~inject.ready | pending | ~held)
    waits = inject.valid & ~inject.ready
    contract.claim("stays_pending", ~cohort.later(pending & waits, 1) | pending)
    contract.claim("becomes_pending", ~cohort.later(ticked & ~held & waits, 1) | pending)
    becomes = cohort.later(pending | (ticked & ~held), 1)
    contract.claim("none_joins", ~pending | (becomes & cohort.later(waits, 1)))
    places = [
        node.inputs[port].valid
        for slot, port in enumerate(node.pairing.inputs)
        if node.network.enters(slot)
    ]
    contract.claim(
        "enters_where_there_is_a_place", Cat(places).all() | inject.ready | (held & ~pending)
    )
