# amaranth: UnusedElaboratable=no
"""A deflection router among any flits, and what a cohort of them is."""

from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value
from amaranth.lib.wiring import In

from fingerpost.formal.contract import Contract, past
from fingerpost.formal.netlist import Netlist
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.golden.network.switches import first_sides
from fingerpost.golden.topology.base import NodeType
from fingerpost.hdl.deflection.router import DeflectionRouter
from fingerpost.hdl.deflection.terminated import LOCAL
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

    Attributes
    ----------
    node_type : NodeType
        Of the router.
    verilog : tuple of str, optional
        The name of the generated module, and the text that has it; else the component itself.
    router : DeflectionRouter
    current : Signal
        The epoch of this cycle.
    old : list of Value
        Whether the flit of each input is of the older one.
    entered : Value
        Whether a flit goes in whose destination exists.
    some, answer : Signal
        A destination, and what the table says of it: productive slots, the distance above.
    """

    contract: Contract
    network: DeflectionNetwork
    node_type: NodeType
    verilog: tuple[str, str] | None = None
    router: DeflectionRouter = field(init=False)
    current: Signal = field(init=False)
    old: list[Value] = field(init=False)
    entered: Value = field(init=False)
    some: Signal = field(init=False)
    answer: Any = field(init=False)

    def __post_init__(self) -> None:
        contract, network = self.contract, self.network
        contract.induction = network.hop_cycles + 2
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
        if not self.node_type.terminal:
            self.entered = Const(0)
        self.table()

    def _generated(self, module: str, verilog: str) -> None:
        """Put generated Verilog behind the ports of `router`, which is not elaborated itself."""
        netlist, within = Netlist(self.contract, module, verilog), ""
        if terminal_end(self.network).adds:
            within = "router."
        for path, member, port in self.router.signature.flatten(self.router):
            value = Value.cast(port)
            name, local = "__".join(map(str, path)), within if path[0] in LOCAL else ""
            if member.flow is not In:
                self.contract.m.d.comb += value.eq(netlist.wire(f"{local}{name}", len(value)))
            elif local and name == "eject__ready" and self.network.terminal.takes_all:
                self.contract.assume(value.all())  # a constant
            elif local:
                netlist.drive(f"{local}{name}", value)
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
        own, terminal = contract.constant("own", header), self.node_type.terminal
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
