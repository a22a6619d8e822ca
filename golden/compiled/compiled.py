"""The compiled model of wormhole routers, and its terminals."""

from collections.abc import Sequence

import numpy as np

from fingerpost.golden.compiled.base import Record
from fingerpost.golden.compiled.calls import CompiledEngine
from fingerpost.golden.compiled.cycle import run
from fingerpost.golden.compiled.recording import Recording, make_recording
from fingerpost.golden.compiled.run import CompiledRun
from fingerpost.golden.compiled.start import initial_state, make_config, make_packets
from fingerpost.golden.compiled.state import Config, State
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal.credit import CreditTerminalModel

__all__ = ["Compiled"]


class Compiled(CompiledEngine):
    """The compiled model of wormhole routers, with terminals that have credits."""

    cycles = staticmethod(run)
    run_of = CompiledRun
    digested = "time", "salt", "header", "destination", "length", "message_class"
    network: Network
    config: Config
    arrays: State

    def _start(self, terminals: Sequence[CreditTerminalModel]) -> None:
        sent, steps = make_packets(self.network, terminals)
        self.config = make_config(self.network, steps)
        self.arrays = initial_state(self.config, terminals, sent, self.network.buffer_depth)
        self.channels = self.config.nodes * self.config.classes

    def _recording(self, cycles: int) -> Recording:
        return make_recording(self.config, cycles)

    def record(self, cycles: int) -> Record:
        first, noted = self.runs[0].now, self._recorded(cycles)
        topology, ports = self.network.topology, self.config.ports
        local, every = topology.local, (cycles, topology.nodes, ports)
        names = "valid", "head", "tail", "data", "credit"
        given = dict(zip(names, noted[:5], strict=True))
        seen = {n: c.reshape(every) for n, c in zip(names, noted[5:10], strict=True)}
        terminals = {name: column[..., local] for name, column in seen.items()}
        links = {name: column[..., :local].reshape(cycles, -1) for name, column in seen.items()}
        # The credits of a link are what the input at its end gives back; those of none are 0.
        far = topology.neighbour * ports + topology.arrival_port
        far = np.where(topology.neighbour < 0, topology.nodes * ports, far).ravel()
        none = np.zeros((cycles, 1), noted.credit.dtype)
        links["credit"] = np.concatenate([noted.credit, none], axis=1)[:, far]
        counted = {"errors": noted.errors, "overruns": noted.overruns}
        return Record(first, given, links, terminals | counted)
