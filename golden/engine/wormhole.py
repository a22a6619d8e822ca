"""The engine of networks of wormhole routers."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.engine.axi4_start import Axi4Run, axi4_start
from fingerpost.golden.engine.axi_start import AxiRun, axi_start
from fingerpost.golden.engine.base import Engine, Kind, Record
from fingerpost.golden.engine.cycle import cycles_of, run_in_parts, whole
from fingerpost.golden.engine.links import link_start
from fingerpost.golden.engine.os_link import OsLinkRun, os_link_start, pauses
from fingerpost.golden.engine.pool import DoubleBuffer, exchange
from fingerpost.golden.engine.recording import Recording, make_recording
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.run import Run
from fingerpost.golden.engine.start import (
    Start,
    credit_start,
    initial_state,
    made_packets,
    make_config,
)
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.fetch import CACHED
from fingerpost.golden.router.records import WIDE
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal import (
    Axi4Terminal,
    AxiStreamTerminal,
    CreditTerminal,
    MailboxTerminal,
    OsLinkTerminal,
)
from fingerpost.golden.terminal.state import OsLinkConfig
from fingerpost.golden.traffic import Traffic


class Wormhole(Engine):
    """Routers with virtual channels, with their terminals."""

    kinds: ClassVar[dict[str, Kind]] = {
        CreditTerminal.kind: (credit_start, Run),
        AxiStreamTerminal.kind: (axi_start, AxiRun),
        MailboxTerminal.kind: (axi_start, AxiRun),
        Axi4Terminal.kind: (axi_start, AxiRun),
        OsLinkTerminal.kind: (os_link_start, OsLinkRun),
    }
    network: Network
    config: Config
    arrays: State

    @staticmethod
    def unfit(network: Any) -> str:
        queues = (network.topology.degree + 1) * network.virtual_channels
        return f"its routers have {queues} queues each, more than {WIDE}" if queues > WIDE else ""

    @property
    def _kind(self) -> Kind:
        return (axi4_start, Axi4Run) if "transactions" in self.options else super()._kind

    def _start(self, traffics: Sequence[Traffic], start: Callable[..., Start]) -> None:
        network = self.network
        self._routes = RouteTable(network, plain=self.plain)
        options = self.options | ({"surplus": self.surplus} if self.surplus else {})
        terminals = start(network, traffics, self._routes, **options)
        links, fixed, between = link_start(network, len(traffics))
        self.cycles = cycles_of(links, terminals.functions)
        self.config = make_config(network, self._routes.steps, fixed, terminals.config)
        alone = len(traffics) == 1 and network.topology.nodes > CACHED
        self.parts = self.threads if alone else 1
        self.arrays = initial_state(network, self.config, traffics, terminals, between, self.parts)
        self._buffer = DoubleBuffer()
        self.draws = network.topology.nodes * network.classes
        self.takes_windows = isinstance(network.terminal, CreditTerminal) and len(traffics) == 1

    def _run(
        self, state: Any, cycles: int, until_delivered: bool, stalls: NDArray[Any], recording: Any
    ) -> None:
        given = self._config, state, cycles, until_delivered, stalls, recording
        if self.parts == 1:
            self._form(self.cycles)(*given, whole(state))
            return
        with ThreadPoolExecutor(self.parts) as pool:
            run_in_parts(self._form(self.cycles), *given, pool)

    def _stalls(self, drawn: NDArray[np.float64]) -> NDArray[Any]:
        if isinstance(self.config.terminal, OsLinkConfig):
            return pauses(drawn, self.stall, self.config.terminal.pause)
        return super()._stalls(drawn)

    @property
    def packets(self) -> NDArray[Any]:
        return self.arrays.packets

    def exchange(self, more: Traffic | None) -> NDArray[Any]:
        new = self.arrays.packets[:0]
        if more is not None:
            new = made_packets(more, np.ones(len(more.source), np.bool_))
            new["step"] = self._routes.first(more.source, new["header"])
            self.config = self.config._replace(steps=self._routes.steps)
        left, out = exchange(self.config, self.arrays, new, self._buffer, plain=self.plain)
        self.arrays = self.arrays._replace(packets=left)
        self._look()
        run = self.runs[0]
        run.config, run.arrays, run.packets = self.config, self.arrays, slice(0, len(left))
        return out

    def _recording(self, cycles: int) -> Recording:
        return make_recording(self.config, cycles)

    def record(self, cycles: int) -> Record:
        first, noted = self.runs[0].now, self._recorded(cycles)
        topology, ports = self.network.topology, self.config.ports
        local, every = topology.local, (cycles, topology.nodes, ports)
        given = noted.given._asdict()
        seen = {name: column.reshape(every) for name, column in noted.seen._asdict().items()}
        terminals = {name: column[..., local] for name, column in seen.items()}
        links = {name: column[..., :local].reshape(cycles, -1) for name, column in seen.items()}
        # The credits of a link are what the input at its end gives back; those of none are 0.
        far = topology.neighbour * ports + topology.arrival_port
        far = np.where(topology.neighbour < 0, topology.nodes * ports, far).ravel()
        none = np.zeros((cycles, 1), noted.seen.credit.dtype)
        links["credit"] = np.concatenate([noted.seen.credit, none], axis=1)[:, far]
        if noted.links:  # other than wires
            links = {
                name: column.reshape(every)[..., :local].reshape(cycles, -1)
                for name, column in noted.links._asdict().items()
            }
        counted = {"errors": noted.errors, "overruns": noted.overruns}
        if noted.terminal:  # other than flits and credits
            given, terminals = noted.terminal.columns(self.config)
        classes = self.config.classes if noted.terminal else 1
        counted = {name: np.repeat(column, classes, axis=1) for name, column in counted.items()}
        return Record(first, given, links, terminals | counted)
