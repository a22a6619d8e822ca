"""The compiled model of deflection routers, and its terminals."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled.base import Record
from fingerpost.golden.compiled.calls import CompiledEngine
from fingerpost.golden.compiled.deflection.cycle import run
from fingerpost.golden.compiled.deflection.start import (
    flow_terminals,
    initial_state,
    make_config,
    make_recording,
    single_terminals,
)
from fingerpost.golden.compiled.deflection.state import (
    Config,
    Recording,
    SingleRecording,
    State,
)
from fingerpost.golden.compiled.records import NEVER
from fingerpost.golden.compiled.run import CompiledRun
from fingerpost.golden.compiled.terminal.axi_run import AxiRun, users
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.terminal import AxiTerminalModel
from fingerpost.golden.terminal.single_flit import SingleFlitTerminalModel


class _Run(CompiledRun):
    """What there is to know of the routers."""

    config: Config
    arrays: State

    @property
    def overruns(self) -> IntArray:
        return np.zeros(self.config.nodes, np.int64)

    @property
    def sent(self) -> IntArray:
        sent: IntArray = self.arrays.terminals.sent[self.number]
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


class DeflectionAxiRun(_Run, AxiRun):
    """A run with AXI4-Stream terminals."""

    config: Config
    arrays: State

    @property
    def _credits_due(self) -> bool:
        entrance, number = self.arrays.entrance, self.number
        waits = entrance.queue["level"][number].any() or self._of("user")["credited"].any()
        return bool(waits)


class _Kind(NamedTuple):
    """A kind of terminals: what makes its arrays, a run, what of packets does not change, draws."""

    start: Callable[..., tuple[NDArray[Any], Any, Any]]
    run: type[CompiledRun]
    digested: tuple[str, ...]
    draws: int  # in a cycle, by ejection port, at most


KINDS: dict[type, _Kind] = {
    SingleFlitTerminalModel: _Kind(
        single_terminals, DeflectionRun, ("time", "data", "destination", "number"), 1
    ),
    AxiTerminalModel: _Kind(
        flow_terminals, DeflectionAxiRun, ("time", "salt", "destination", "length"), 2
    ),
}


class CompiledDeflection(CompiledEngine):
    """The compiled model of deflection routers, with their terminals."""

    cycles = run
    network: DeflectionNetwork
    config: Config
    arrays: State

    def _start(self, terminals: Sequence[Any]) -> None:
        kind, network = KINDS[type(terminals[0])], self.network
        packets, fixed, ends = kind.start(network, terminals)
        self.config = make_config(network, fixed)
        self.arrays = initial_state(network, self.config, terminals, packets, ends)
        self.run_of, self.digested = kind.run, kind.digested
        self.draws = kind.draws * self.config.nodes * self.config.ejections

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
        if isinstance(noted.terminal, SingleRecording):
            given, terminals = self._single(noted.terminal)
        else:
            given, terminals = users(noted.terminal, config.terminal.bytes)
        terminals["errors"] = noted.errors
        if self.network.link_up:
            given["link_up"] = np.full_like(noted.errors, (1 << config.local) - 1)
            terminals["lost"] = np.zeros_like(noted.errors)
        return Record(first, given, links, terminals)

    def _single(self, noted: SingleRecording) -> tuple[dict[str, IntArray], dict[str, IntArray]]:
        """Return what terminals of packets of one flit give, and what they see."""
        ejections = self.config.ejections
        given = {
            "valid": noted.given_valid,
            "destination": noted.given_destination,
            "data": noted.given_data,
            "eject_ready": noted.eject_ready,
        }
        seen = {"ready": noted.ready, "valid": noted.out_valid}
        for port in range(ejections):
            seen[f"data{port}"] = noted.out_data[:, port::ejections]
        return given, seen
