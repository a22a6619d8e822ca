"""Routing units and header generators as what is mutated, at all nodes of a network at once."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from amaranth import Array, C, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from fingerpost.golden.deadlock.states import states
from fingerpost.golden.header import bits
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.routers import node_straps
from fingerpost.hdl.routing import header_generator, routing_unit
from fingerpost.testbench.benches.questions import Questions, questions
from fingerpost.testbench.packing import Columns
from mutation.campaign import hunt
from mutation.lanes import Lanes
from mutation.mutated import Mutated
from mutation.subject import Subject, Trial, Turn

SEED = 1
"""Of the headers that no terminal should send."""


class Decision(wiring.Component):
    """The decision of a node; what comes from its terminal goes through the header generator first.

    Parameters
    ----------
    network : Network

    Members
    -------
    asks : ``In(1)``                     Asserted with a header to decide on.
    at : ``In(range(nodes))``            The node, the same for all.
    arrival, header : ``In``             As of `fingerpost.hdl.routing.base.RoutingUnit`.
    selection : ``In(selection width)``  The same, where it takes one.
    valid : ``Out(1)``                   It was answered, and not refused. It comes a clock
                                         after the header generator.
    answer : ``Out``                     Port and next header.
    """

    asks: Signal
    at: Signal
    arrival: Signal
    header: Signal
    selection: Signal
    valid: Signal
    answer: Signal

    def __init__(self, network: Network) -> None:
        self.network, routing = network, network.routing
        ports, header = bits(network.topology.degree + 1), routing.header.width
        super().__init__(
            {
                "asks": In(1),
                "at": In(range(network.topology.nodes)),
                "arrival": In(ports),
                "header": In(header),
                **({"selection": In(routing.selection_width)} if routing.selection else {}),
                "valid": Out(1),
                "answer": Out(ports + header),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Delay by the cycles of header generation what does not go through it."""
        m = Module()
        network, routing = self.network, self.network.routing
        m.submodules.header_generator = first = header_generator(routing)
        m.submodules.routing = unit = routing_unit(routing)
        nodes = (node_straps(network, node)[0] for node in range(network.topology.nodes))
        straps = Array(C(each, routing.straps.width) for each in nodes)[self.at]
        late = [self.asks, self.arrival, self.header]
        late += [self.selection] if routing.selection else []
        for _ in range(routing.header_cycles):
            earlier, late = late, [Signal.like(signal) for signal in late]
            m.d.sync += [signal.eq(before) for signal, before in zip(late, earlier, strict=True)]
        asks, arrival, header, *selection = late
        at_terminal = arrival == network.topology.local
        m.d.comb += [
            first.straps.as_value().eq(straps),
            first.header.as_value().eq(self.header),
            unit.straps.as_value().eq(straps),
            unit.arrival.eq(arrival),
            unit.header.as_value().eq(header),
            *(unit.selection.eq(signal) for signal in selection),
        ]
        with m.If(at_terminal):
            m.d.comb += unit.header.as_value().eq(first.next_header.as_value())
        m.d.sync += [
            self.valid.eq(asks & ~unit.error & ~(at_terminal & first.error)),
            self.answer.eq(Cat(unit.port, unit.next_header.as_value())),
        ]
        return m


@dataclass(frozen=True)
class Units(Subject):
    """The routing unit of an algorithm, and its header generator.

    Attributes
    ----------
    description : mapping
        A small network, as `golden.network.network.build` takes it: all headers can be tried.
    """

    name: str
    description: Mapping[str, Any]
    within: str = field(default=r"^(header_generator|routing)\b", init=False)
    module: str = field(default="decision", init=False)
    count = 60
    spare = 3.0

    @cached_property
    def network(self) -> Network:
        """The network."""
        return build(self.description)

    def component(self) -> wiring.Component:
        """Return header generator and unit."""
        return Decision(self.network)

    def trials(self, mutated: Mutated, cache: Path) -> Sequence[Trial]:
        """Return the questions of the bench of the level unit, with golden's answers."""
        nodes = np.arange(self.network.topology.nodes)
        asked = questions(self.network, nodes, np.random.default_rng(SEED))
        return [self._trial(mutated, list(asked), cache)]

    def equivalent(self, mutated: Mutated, number: int, cache: Path) -> bool:
        """Try all: each header at each terminal, and all that routes bring over links."""
        return hunt([self._trial(mutated, self._every, cache)], number) is None

    @cached_property
    def _every(self) -> Sequence[Questions]:
        return list(self._all())

    def _all(self) -> Iterator[Questions]:
        topology, routing = self.network.topology, self.network.routing
        at, arrivals, headers = states(routing, topology.terminals)
        every = np.arange(1 << routing.header.width)
        selections = np.arange(1 << routing.selection_width if routing.selection else 1)
        for node in range(topology.nodes):
            here = at == node
            raw = every if node in topology.terminals else every[:0]
            arrival = np.concatenate([np.full(len(raw), topology.local), arrivals[here]])
            header = np.concatenate([raw, headers[here]])
            arrival, header = (np.repeat(x, len(selections)) for x in (arrival, header))
            selection = np.resize(selections, len(header))
            if len(header):
                yield Questions(node, arrival, header, selection)

    def _trial(self, mutated: Mutated, several: Sequence[Questions], cache: Path) -> Trial:
        lanes = Lanes(mutated, self.module, count=len(several), names={"answer": "data"})
        return lanes.trial("unit", [self._turn(lanes, several)], cache)

    def _turn(self, lanes: Lanes, asked: Sequence[Questions]) -> Turn:
        """Return the questions of all nodes side by side, and the answers, which come later."""
        routing, ports = self.network.routing, bits(self.network.topology.degree + 1)
        most, latency = max(len(each.header) for each in asked), routing.header_cycles + 1
        given = {
            name: np.zeros((most + latency, len(asked)), np.int64)
            for name in ("asks", "at", "arrival", "header", "selection")
        }
        expected = {name: np.zeros_like(given["asks"]) for name in ("valid", "data")}
        for lane, (node, arrival, header, selection) in enumerate(asked):
            there = slice(len(header)), lane
            later = slice(latency, latency + len(header)), lane
            given["asks"][there], given["at"][:, lane] = 1, node
            given["arrival"][there], given["header"][there] = arrival, header
            given["selection"][there] = selection
            nodes = np.full(len(header), node)
            decision = routing.decide(nodes, arrival, header, selection)
            expected["valid"][later] = decision.error == 0
            expected["data"][later] = decision.port | decision.header << ports
        return lanes.words(_rows(given), _rows(expected))


def _rows(columns: Columns) -> list[Columns]:
    count = len(next(iter(columns.values())))
    return [{name: column[row] for name, column in columns.items()} for row in range(count)]
