"""Deflection routers and their terminals, many cycles a call."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deflection.cycle import cycles_of
from fingerpost.golden.deflection.state import Config, Recording, State
from fingerpost.golden.deflection.wiring import Wiring
from fingerpost.golden.engine.axi_start import AxiRun
from fingerpost.golden.engine.base import Engine, Kind, Record
from fingerpost.golden.engine.deflection_start import (
    flow_terminals,
    initial_state,
    make_config,
    make_recording,
    single_terminals,
)
from fingerpost.golden.engine.run import Run
from fingerpost.golden.engine.start import Start
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.router.records import NEVER
from fingerpost.golden.terminal import AxiStreamTerminal, MailboxTerminal
from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.traffic import Traffic


class _Run(Run):
    """What there is to know of the routers."""

    config: Config
    arrays: State

    @property
    def overruns(self) -> IntArray:
        return np.zeros(self.config.nodes, np.int64)

    @property
    def lost(self) -> IntArray:
        """Return the flits that each node lost on links that are down, as its counter shows."""
        lost: IntArray = self.arrays.routers.lost[self.number]
        return lost

    @property
    def sent(self) -> IntArray:
        sent: IntArray = self.arrays.sent[self.number]
        return sent.reshape(self.config.nodes, self.config.ports)

    @property
    def flits(self) -> int:
        routers, number = self.arrays.routers, self.number
        names = ["arrived", "ranked", "switched"][: self.config.hop_cycles - 1]
        masks = np.stack([routers.router[name][number] for name in names])
        on_links = routers.links["valid"][number, self.now & 1].sum()
        return int(on_links + np.bitwise_count(masks).sum())


class DeflectionRun(_Run):
    """A run with packets of one flit, as seen in the arrays of all runs."""

    part = ""
    digested = "time", "data", "destination", "number"

    @property
    def longest_time(self) -> int | None:
        packets = self.arrays.packets[self.packets]
        out = packets["delivered"] >= 0
        return int((packets["delivered"] - packets["entered"]).max(where=out, initial=0))

    @property
    def empty(self) -> bool:
        return self.all_delivered and bool((self._of("packet") == self._of("end")).all())

    def stop(self) -> None:
        terminals, number = self.arrays.terminals, self.number
        packet = terminals.packet[number] - self.first
        terminals.end[number] = terminals.packet[number]
        terminals.due[number] = NEVER
        self._withdraw(np.arange(len(self.expected)) >= packet[self.traffic.source])


class DeflectionAxiRun(_Run, AxiRun):
    """A run with AXI4-Stream terminals."""

    config: Config
    arrays: State

    @property
    def _credits_due(self) -> bool:
        entrance, number = self.arrays.entrance, self.number
        waits = entrance.queue["level"][number].any() or self._of("user")["credited"].any()
        return bool(waits)


class Deflection(Engine):
    """Deflection routers, with their terminals."""

    kinds: ClassVar[dict[str, Kind]] = {
        SingleFlitTerminal.kind: (single_terminals, DeflectionRun),
        AxiStreamTerminal.kind: (flow_terminals, DeflectionAxiRun),
        MailboxTerminal.kind: (flow_terminals, DeflectionAxiRun),
    }
    network: DeflectionNetwork
    config: Config
    arrays: State

    def _start(self, traffics: Sequence[Traffic], start: Callable[..., Start]) -> None:
        network, terminals = self.network, start(self.network, traffics, **self.options)
        self.cycles = cycles_of(terminals.functions)
        self.config = make_config(network, terminals.config)
        self.arrays = initial_state(network, self.config, traffics, terminals)
        self.draws = self.config.nodes * self.config.ejections
        self._told = self._nothing_told()

    def _nothing_told(self) -> dict[str, IntArray]:
        """Return that all links are up, and nothing is written into tables."""
        nodes, degree = self.config.nodes, self.config.local
        told = {name: np.zeros(nodes, np.int64) for name in self.network.link.told(degree)}
        return told | ({"link_up": np.full(nodes, (1 << degree) - 1)} if told else {})

    def tell(self, told: Mapping[str, IntArray]) -> None:
        wiring, routers = Wiring(self.network), self.arrays.routers
        self._told |= told
        for field, port in (("inputs", wiring.input), ("outputs", wiring.output)):
            routers.told[field] = wiring.masks(self._told["link_up"][wiring.node] >> port & 1 == 0)
        links, entry = np.diff(wiring.base), self._told["table_entry"]
        routers.write["valid"] = self._told["table_write"]
        routers.write["destination"] = self._told["table_destination"]
        routers.write["productive"] = entry & (1 << links) - 1
        routers.write["distance"] = entry >> links & self.config.most_key

    def _recording(self, cycles: int) -> Recording:
        return make_recording(self.config, cycles)

    def record(self, cycles: int) -> Record:
        first, noted = self.runs[0].now, self._recorded(cycles)
        config = self.config
        links = {
            name: getattr(noted, name)
            .reshape(cycles, config.nodes, config.ports)[..., : config.local]
            .reshape(cycles, -1)
            for name in ("valid", "epoch", "key", "destination", "data")
        }
        given, terminals = noted.terminal.columns(config)
        terminals["errors"] = noted.errors
        for name, column in self._told.items():
            given[name] = np.tile(column, (cycles, 1))
        if self._told:
            terminals["lost"] = noted.lost
            self._told["table_write"] = np.zeros_like(self._told["table_write"])
            given["table_write"][1:] = 0  # an entry is written once
        return Record(first, given, links, terminals)
