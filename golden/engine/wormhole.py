"""The engine of networks of wormhole routers."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import Array
from fingerpost.golden.engine.axi4_start import Axi4Run, axi4_start
from fingerpost.golden.engine.axi_start import AxiRun, axi_start
from fingerpost.golden.engine.base import Engine, Kind, Record
from fingerpost.golden.engine.cycle import Recording, cycles_of, make_recording, run_in_parts, whole
from fingerpost.golden.engine.links import link_start
from fingerpost.golden.engine.os_link import OsLinkRun, os_link_start, pauses
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.run import Run
from fingerpost.golden.engine.start import (
    Start,
    credit_start,
    initial_state,
    made_packets,
    make_config,
)
from fingerpost.golden.jit.compile import called
from fingerpost.golden.jit.memory import empty_block
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.fetch import CACHED
from fingerpost.golden.router.records import LATE, PACKET, WIDE
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
        queues = network.topology.all_ports * network.virtual_channels
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
        self.draws = network.topology.terminal_numbers * network.classes
        self.takes_windows = isinstance(network.terminal, CreditTerminal) and len(traffics) == 1

    def _run(
        self, state: Any, cycles: int, until_delivered: bool, stalls: Array, recording: Any
    ) -> None:
        given = self._config, state, cycles, until_delivered, stalls, recording
        if self.parts == 1:
            self._form(self.cycles)(*given, whole(state))
            return
        with ThreadPoolExecutor(self.parts) as pool:
            run_in_parts(self._form(self.cycles), *given, pool)

    def _stalls(self, drawn: NDArray[np.float64]) -> Array:
        if isinstance(self.config.terminal, OsLinkConfig):
            return pauses(drawn, self.stall, self.config.terminal.pause)
        return super()._stalls(drawn)

    @property
    def packets(self) -> Array:
        return self.arrays.packets

    def exchange(self, more: Traffic | None) -> Array:
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
        terminals = {name: column[..., local:].reshape(cycles, -1) for name, column in seen.items()}
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
        streams = self.config.local_ports * (self.config.classes if noted.terminal else 1)
        counted = {name: np.repeat(column, streams, axis=1) for name, column in counted.items()}
        return Record(first, given, links, terminals | counted)


class DoubleBuffer:
    """Memory for packets: one block has those of now, the other those after an exchange."""

    def __init__(self) -> None:
        self._blocks = [empty_block(0, PACKET) for _ in range(2)]

    def next(self, count: int) -> Array:
        """Return room for so many packets; that of the call before is still in use."""
        self._blocks.reverse()
        if len(self._blocks[0]) < count:
            self._blocks[0] = empty_block(count + count // 4, PACKET)
        return self._blocks[0][:count]


def exchange(
    config: Config, state: State, new: Array, buffer: DoubleBuffer, *, plain: bool
) -> tuple[Array, Array]:
    """Return the packets of the only run, with new ones, and those that were delivered, without.

    The packets of each channel of a terminal stay together: those that it has sent, those that it
    has not, and the new ones. Those of both arrays are sorted so. Those that were delivered are
    where the packets have been, until the next call. `plain`: in plain Python in any case.
    """
    packets, terminals = state.packets, state.terminals
    count = int(np.count_nonzero(packets["delivered"] < 0))
    kept = buffer.next(count + len(new))
    tag = np.empty(len(packets), np.int32)
    end = np.empty(config.places * config.classes, np.int64)
    added = np.empty_like(end)
    _merge(packets, new, config.classes, kept, tag, end, added, plain=plain)
    in_flight = state.in_flight.flits, state.in_flight.injection, *state.links.rows
    for flits in (state.routers.row, *in_flight):
        _renumber(flits.reshape(-1), tag, plain=plain)
    unsent = terminals.end[0] - terminals.packet[0] + added
    terminals.end[0], terminals.packet[0] = end, end - unsent
    more = unsent > 0
    terminals.due[0] = LATE
    terminals.due[0, more] = np.minimum(kept["time"][terminals.packet[0, more]], LATE)
    state.clock["outstanding"] += np.count_nonzero(new["expected"])
    return kept, packets[: len(packets) - count]


@called
def _merge(packets: Any, new: Any, classes: int, kept: Any, tag: Any, end: Any, added: Any) -> None:
    """Fill in what is kept, and the new place of each packet, -1 of those that came out.

    These go to the front of `packets`. Fill in, by channel, where its packets end, and how many
    are new.
    """
    old = more = place = gone = 0
    for channel in range(len(end)):
        while (
            old < len(packets)
            and packets[old].source * classes + packets[old].message_class == channel
        ):
            if packets[old].delivered < 0:
                kept[place], tag[old] = packets[old], place
                place += 1
            else:
                packets[gone], tag[old] = packets[old], -1
                gone += 1
            old += 1
        first = more
        while more < len(new) and new[more].source * classes + new[more].message_class == channel:
            kept[place] = new[more]
            place += 1
            more += 1
        end[channel], added[channel] = place, more - first


@called
def _renumber(flits: Any, tag: Any) -> None:
    """Give the flits of packets the new numbers of these."""
    for at in range(len(flits)):
        if flits[at].tag >= 0:
            flits[at].tag = tag[flits[at].tag]
