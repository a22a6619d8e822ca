"""The compiled model of deflection routers, and its terminals."""

from collections.abc import Sequence

import numpy as np

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled.base import Record
from fingerpost.golden.compiled.calls import CompiledEngine
from fingerpost.golden.compiled.deflection.cycle import run
from fingerpost.golden.compiled.deflection.start import (
    initial_state,
    make_config,
    make_recording,
)
from fingerpost.golden.compiled.deflection.state import Config, Recording, State
from fingerpost.golden.compiled.records import NEVER
from fingerpost.golden.compiled.run import CompiledRun
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.terminal.single_flit import SingleFlitTerminalModel

__all__ = ["CompiledDeflection", "DeflectionRun"]


class DeflectionRun(CompiledRun):
    """A run, as seen in the arrays of all runs."""

    config: Config
    arrays: State

    @property
    def faults(self) -> list[str]:
        t = self.traffic
        count = int(self.arrays.clock["faults"][self.number, 0])
        found = self.arrays.fault[self.number][:count].tolist()
        return [
            f"cycle {cycle}, node {node}: packet {packet - self.first}, from "
            f"{t.source[packet - self.first]} to {t.destination[packet - self.first]}, out of place"
            for cycle, node, packet in found
        ]

    @property
    def overruns(self) -> IntArray:
        return np.zeros(self.config.nodes, np.int64)

    @property
    def flits(self) -> int:
        routers, number = self.arrays.routers, self.number
        names = ["arrived", "ranked", "switched"][: self.config.hop_cycles - 1]
        masks = np.stack([routers.router[name][number] for name in names])
        on_links = routers.links["valid"][number, self.now & 1].sum()
        return int(on_links + np.bitwise_count(masks).sum())

    @property
    def longest_time(self) -> int | None:
        packets = self.arrays.packets[self.packets]
        out = packets["delivered"] >= 0
        return int((packets["delivered"] - packets["entered"]).max(where=out, initial=0))

    @property
    def empty(self) -> bool:
        terminals, number = self.arrays.terminals, self.number
        return bool((terminals.packet[number] == terminals.end[number]).all()) and (
            self.all_delivered
        )

    def stop(self) -> None:
        terminals, number = self.arrays.terminals, self.number
        packet = terminals.packet[number] - self.first
        self.expected[np.arange(len(self.expected)) >= packet[self.traffic.source]] = False
        terminals.end[number] = terminals.packet[number]
        terminals.due[number] = NEVER
        missing = self.expected & (self.delivered < 0)
        self.arrays.clock["outstanding"][number] = np.count_nonzero(missing)


class CompiledDeflection(CompiledEngine):
    """The compiled model of deflection routers, with terminals of one flit a packet."""

    cycles = staticmethod(run)
    run_of = DeflectionRun
    digested = "time", "data", "destination", "number"
    network: DeflectionNetwork
    config: Config
    arrays: State

    def _start(self, terminals: Sequence[SingleFlitTerminalModel]) -> None:
        self.config = make_config(self.network)
        self.arrays = initial_state(self.config, terminals, self.network.hold_stages)
        self.draws = self.config.nodes * self.config.ejections

    def _recording(self, cycles: int) -> Recording:
        return make_recording(self.config, cycles)

    def record(self, cycles: int) -> Record:
        first, noted = self.runs[0].now, self._recorded(cycles)
        config, ejections = self.config, self.config.ejections
        given = {
            "valid": noted.given_valid,
            "destination": noted.given_destination,
            "data": noted.given_data,
            "eject_ready": noted.eject_ready,
        }
        links = {
            name: getattr(noted, name)
            .reshape(cycles, config.nodes, config.ports)[..., : config.local]
            .reshape(cycles, -1)
            for name in ("valid", "epoch", "key", "destination", "data")
        }
        if self.network.link_up:
            given["link_up"] = np.full_like(noted.ready, (1 << config.local) - 1)
        terminals = {"ready": noted.ready, "valid": noted.out_valid, "errors": noted.errors}
        for port in range(ejections):
            terminals[f"data{port}"] = noted.out_data[:, port::ejections]
        terminals |= {"lost": np.zeros_like(noted.errors)} if self.network.link_up else {}
        return Record(first, given, links, terminals)
