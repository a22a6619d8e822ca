"""Routing units and header generators as what is mutated: all their decisions, in gates."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from amaranth import Module, Signal
from amaranth.back import rtlil
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.formal.gates import Gates
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.states import states
from fingerpost.golden.header import bits
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.routers import node_straps
from fingerpost.hdl.routing import header_generator, routing_unit
from mutation.campaign import Hunt, Killed, Subject, digest
from mutation.mutated import SELECTOR, Mutant, mutate_graph

COUNT = 60
"""Mutants of a unit, at most."""


class Decision(wiring.Component):
    """The decision of a node; what comes from its terminal goes through the header generator first.

    Members
    -------
    straps, arrival, header, selection : ``In``    As of `fingerpost.hdl.routing.base.RoutingUnit`;
                                                   the last only where it takes one.
    port, next_header : ``Out``                    What is decided.
    error : ``Out(1)``                             It is refused, by either.
    """

    straps: Signal
    arrival: Signal
    header: Signal
    selection: Signal
    port: Signal
    next_header: Signal
    error: Signal

    def __init__(self, network: Network) -> None:
        self.network, routing = network, network.routing
        ports, header = bits(network.topology.degree + 1), routing.header.width
        super().__init__(
            {
                "straps": In(max(1, routing.straps.width)),
                "arrival": In(ports),
                "header": In(header),
                **({"selection": In(routing.selection_width)} if routing.selection else {}),
                "port": Out(ports),
                "next_header": Out(header),
                "error": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Choose the header, and decide."""
        m = Module()
        routing = self.network.routing
        m.submodules.header_generator = first = header_generator(routing)
        m.submodules.routing = unit = routing_unit(routing)
        at_terminal = self.arrival == self.network.topology.local
        m.d.comb += [
            first.straps.as_value().eq(self.straps),
            first.header.as_value().eq(self.header),
            unit.straps.as_value().eq(self.straps),
            unit.arrival.eq(self.arrival),
            unit.header.as_value().eq(self.header),
            *([unit.selection.eq(self.selection)] if routing.selection else []),
        ]
        with m.If(at_terminal):
            m.d.comb += unit.header.as_value().eq(first.next_header.as_value())
        m.d.comb += [
            self.port.eq(unit.port),
            self.next_header.eq(unit.next_header.as_value()),
            self.error.eq(unit.error | (at_terminal & first.error)),
        ]
        return m


@dataclass(frozen=True)
class Units(Subject):
    """The routing unit of an algorithm, and its header generator."""

    label: str
    description: Mapping[str, Any]
    """A small network, as `golden.network.network.build` takes it: all headers can be tried."""
    kind = "decisions"

    @property
    def name(self) -> str:
        """Return the name."""
        return self.label

    def part(self, mutant: Mutant) -> str:
        """Return the name of the component that has a mutant."""
        return mutant.component

    def hunt(self, *, count: int, seed: int, cache: Path) -> "UnitHunt":
        """Return the gates with all mutants."""
        network = build(self.description)
        cells = "c:*header_generator.* c:*routing.*"
        text = rtlil.convert(Decision(network), name="decision", emit_src=True)
        found = mutate_graph(
            text, count=min(count, COUNT), seed=seed, cells=cells, top="decision", rom=True
        )
        return UnitHunt(network, found.text, found.mutants)


class UnitHunt(Hunt):
    """All that can be asked for, before the mutants of a unit.

    That is each header at each terminal, and in each state of a packet on a route, with all sets of
    free ports. So a mutant that is not killed is equivalent.
    """

    def __init__(self, network: Network, graph: str, mutants: tuple[Mutant, ...]) -> None:
        self.network, self.graph, self.mutants = network, graph, mutants

    @property
    def digest(self) -> str:
        """Of the gates and the answers."""
        return digest([self.graph, *(column.tobytes().hex() for column in self._expected)])

    @cached_property
    def _asked(self) -> dict[str, IntArray]:
        topology, routing = self.network.topology, self.network.routing
        at, arrival, header = states(routing, topology.terminals)
        every, terminals = np.arange(1 << routing.header.width), topology.terminals
        at = np.concatenate([np.repeat(terminals, len(every)), at])
        local = np.full(len(terminals) * len(every), topology.local)
        arrival = np.concatenate([local, arrival])
        header = np.concatenate([np.tile(every, len(terminals)), header])
        selections = np.arange(1 << routing.selection_width if routing.selection else 1)
        asked = {"at": at, "arrival": arrival, "header": header}
        asked = {name: np.repeat(column, len(selections)) for name, column in asked.items()}
        return asked | {"selection": np.tile(selections, len(header))}

    @cached_property
    def _expected(self) -> tuple[IntArray, IntArray, IntArray]:
        """What golden decides: ports and next headers, 0 where a packet is refused, and that."""
        asked = self._asked
        found = self.network.routing.decide(
            asked["at"], asked["arrival"], asked["header"], asked["selection"]
        )
        error = (found.error != 0).astype(np.int64)
        return found.port * (1 - error), found.header * (1 - error), error

    @cached_property
    def _gates(self) -> Gates:
        return Gates(self.graph)

    def kill(self, number: int) -> Killed | None:
        """Return whether some decision is not golden's."""
        words = [node_straps(self.network, v)[0] for v in range(self.network.topology.nodes)]
        straps = np.array(words, object)[self._asked["at"]]  # of more than 63 bits, too
        given = {name: self._asked[name] for name in ("arrival", "header", "selection")}
        given |= {"straps": straps, SELECTOR: np.full(len(straps), number)}
        inputs = {name: column for name, column in given.items() if name in self._gates.ports}
        port, header, error = self._gates.run(
            inputs, ["port", "next_header", "error"], cycles=self.network.routing.header_cycles
        )
        answer = port * (1 - error), header * (1 - error), error
        same = all(map(np.array_equal, answer, self._expected))
        return None if same else Killed("decision", None)

    def equivalent(self, number: int) -> bool:
        """Return that it is: all was asked for."""
        return True
