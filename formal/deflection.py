"""A deflection router among any flits, and what a cohort of them is."""

from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any

from amaranth import Cat, Mux, Signal, Value

from fingerpost.formal.contract import Contract
from fingerpost.golden.deflection.switches import first_sides
from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.hdl.deflection.router import DeflectionRouter

__all__ = ["Cohort", "network", "total"]

TOPOLOGIES: dict[str, dict[str, Any]] = {
    "ring": {"family": "grid", "sizes": [5], "wrap": True},
    "complete": {"family": "edge-list", "nodes": 4,
                 "links": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]},
    "torus": {"family": "grid", "sizes": [3, 3], "wrap": True},
    "kautz": {"family": "kautz", "degree": 2, "diameter": 2},
}  # fmt: skip
"""Networks with routers of 2, 3, 4 and 2 links; the last one is directed."""


def network(topology: str, **router: Any) -> DeflectionNetwork:
    """Return a small network of deflection routers."""
    given = {"kind": "deflection", "wait_limit": 4, **router}
    return build_deflection({"name": "x", "topology": TOPOLOGIES[topology], "router": given})


def total(bits: list[Value]) -> Value:
    """Return how many bits are set."""
    return reduce(add, bits)


@dataclass
class Cohort:
    """A router in a contract, and the flits that arrive, enter, and leave together.

    Everything of flits that arrive is free, and so is the answer of the table, as long as it goes
    with the key: that is an upper bound of the distance, and 0 at the destination only.

    Attributes
    ----------
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
    router: DeflectionRouter = field(init=False)
    current: Signal = field(init=False)
    old: list[Value] = field(init=False)
    entered: Value = field(init=False)
    some: Signal = field(init=False)
    answer: Any = field(init=False)
    registers: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        contract, network = self.contract, self.network
        m = contract.m
        self.router = router = DeflectionRouter(network, network.topology.node_types[0])
        m.submodules.router = router
        self.current = Signal(name="current")
        m.d.sync += self.current.eq(router.epoch)
        for name in ("epoch", "tick", "hold"):
            m.d.comb += getattr(router, name).eq(contract.anything(name))
        m.d.comb += router.eject.ready.eq(contract.anything("taking", network.ejections))
        for port, link in enumerate(router.inputs):
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
        self.table()

    def later(self, value: Value, cycles: int = 0) -> Signal:
        """Return a value so many cycles later; if none are given, when its flits are on links."""
        for _ in range(cycles or self.network.hop_cycles):
            register = Signal(len(value), name=f"later{self.registers}")
            self.registers += 1
            self.contract.m.d.sync += register.eq(value)
            value = register
        assert isinstance(value, Signal)
        return value

    def table(self) -> None:
        """Let the table say anything that goes with the keys.

        It has one answer for one destination, `some`: it is `answer`. Only a flit that is at its
        destination, `own`, has distance 0 and key 0.
        """
        contract, router, m = self.contract, self.router, self.contract.m
        layout, header, slots = (
            router.table_entry, self.network.destination_width, router.slots
        )  # fmt: skip
        own = contract.constant("own", header)
        self.some = contract.constant("some", header)
        self.answer: Any = contract.constant("answer", slots + layout["distance"].width)
        contract.assume((self.some == own) == (self.answer[slots:] == 0))
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
            contract.assume(~link.valid | ((link.flit.key == 0) == (link.flit.destination == own)))
            asked = self.later(router.address[slot * header : (slot + 1) * header], 2)
            arrives = self.later(link.valid & (link.flit.key != 0), 2)
            contract.assume(productive.any() == (distance != 0))
            contract.assume((asked == own) == (distance == 0))
            contract.assume((asked != self.some) | (free == self.answer))
            contract.assume(~arrives | (distance <= self.later(link.flit.key, 2)))
            entries.append(Mux(self.later(router.clear[slot], 1), 0, Cat(fields)))
        m.d.comb += router.entry.eq(Cat(entries))
