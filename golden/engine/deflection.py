"""The compiled model of deflection routers: its arrays before the first cycle, and its runs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from fingerpost.golden.arrays import Array, IntArray
from fingerpost.golden.counters import ERRORS, LOST
from fingerpost.golden.deflection import flow, single_flit
from fingerpost.golden.deflection.cycle import cycles_of
from fingerpost.golden.deflection.state import (
    CLOCK,
    DOWN,
    EJECTED,
    ENTRY,
    IN_FLIGHT,
    PACKET,
    ROUTER,
    SLOT,
    SWITCH,
    WRITE,
    Config,
    Entrance,
    Recording,
    Routers,
    SingleConfig,
    SingleRecording,
    SingleState,
    State,
    Wiring,
)
from fingerpost.golden.engine.axi_start import (
    AxiRun,
    Pairs,
    axi_packets,
    flow_config,
    flow_state,
    make_users,
)
from fingerpost.golden.engine.base import Engine, Kind, Record
from fingerpost.golden.engine.run import Run
from fingerpost.golden.engine.start import Start, common_state, packets_like, packets_of
from fingerpost.golden.jit.memory import pack_contiguous
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.switches import MAX_LINKS, in_cycles, reach
from fingerpost.golden.router.records import FLIT, NEVER
from fingerpost.golden.terminal import AxiStreamTerminal, MailboxTerminal
from fingerpost.golden.terminal.records import BLOCK_QUEUE
from fingerpost.golden.terminal.single_flit import SingleFlitTerminal
from fingerpost.golden.terminal.state import AxiRecording
from fingerpost.golden.traffic import WELL_FORMED, Traffic

CHOICE = 42
"""From this bit on, the salt of a malformed packet chooses its destination."""


def make_config(network: DeflectionNetwork, terminal: Any) -> Config:
    """Return what does not change; `terminal` is what does not of terminals."""
    wiring, topology = Wiring(network), network.topology
    part, switch = _switches(network.hop_cycles - 2)
    table = np.zeros((topology.nodes, 1 << network.destination_width), ENTRY)
    for node in range(topology.nodes):
        table[node]["productive"], table[node]["distance"] = network.entries(node)
    return Config(
        nodes=topology.nodes,
        places=topology.terminal_numbers,
        classes=network.classes,
        ports=topology.degree + 1,
        local=topology.local,
        hop_cycles=network.hop_cycles,
        ejections=network.ejections,
        destinations=table.shape[1],
        most_key=(1 << network.distance_width) - 1,
        epoch=network.epoch,
        wait_limit=-1 if network.wait_limit is None else network.wait_limit,
        max_errors=ERRORS.most,
        max_lost=LOST.most,
        directed=topology.directed,
        link_up=network.link_up,
        base=wiring.base,
        source=wiring.source,
        port_index=wiring.port_index,
        enters=wiring.enters,
        ejects=wiring.ejects,
        crosses=wiring.crosses,
        part=part,
        switch=switch,
        table=pack_contiguous(table.ravel()),
        terminal=terminal,
    )


def _switches(cycles: int) -> tuple[Array, Array]:
    """Return `part` and `switch` of `Config`."""
    part = np.zeros((MAX_LINKS + 1, 3), np.int64)
    rows: list[tuple[int, ...]] = []
    for links in range(MAX_LINKS + 1):
        part[links] = len(rows)
        sides = iter(reach(links))
        for cycle, ranks in enumerate(in_cycles(links, cycles)):
            for switches in ranks:
                for (a, b), side in zip(switches, next(sides), strict=True):
                    masks = [int(where @ (1 << np.arange(links))) for where in side]
                    rows.append((a, b, *masks))
            part[links, cycle + 1 :] = len(rows)
    return part, np.array(rows, SWITCH)


def initial_state(
    network: DeflectionNetwork,
    config: Config,
    traffics: Sequence[Traffic],
    terminals: Start,
) -> State:
    """Return the state before the first cycle, of a run for each of some traffics."""
    runs, nodes, slots = len(traffics), config.nodes, len(config.source)
    common = common_state(config, CLOCK, traffics, terminals)

    def zeros(*shape: int, kind: Any = np.int64) -> Array:
        return np.zeros((runs, *shape), kind)

    routers = Routers(
        router=zeros(nodes, kind=ROUTER),
        links=zeros(2, slots, kind=SLOT),
        arrived=zeros(slots, kind=SLOT),
        ranked=zeros(slots, kind=SLOT),
        switched=zeros(slots, kind=SLOT),
        ejected=zeros(nodes * config.ejections, kind=EJECTED),
        dropped=zeros(slots, kind=np.int32),
        errors=zeros(nodes),
        lost=zeros(nodes),
        waits=zeros(network.hold_stages, kind=np.bool_),
        told=zeros(nodes, kind=DOWN),
        write=zeros(nodes, kind=WRITE),
        writing=zeros(nodes, kind=WRITE),
        table=zeros(len(config.table) if config.link_up else 0, kind=ENTRY),
        place=zeros(MAX_LINKS),
    )
    if config.link_up:
        routers.table[:] = config.table
    entrance: Any = ()
    if not isinstance(terminals.state, SingleState):
        flits = slots * config.hop_cycles + len(routers.ejected[0])
        common["clock"]["free"] = flits
        entrance = Entrance(
            queue=np.zeros((runs, nodes), BLOCK_QUEUE),
            rows=np.zeros((runs, nodes * network.terminal_depth), FLIT),
            entered=np.zeros((runs, nodes), np.bool_),
            flits=np.zeros((runs, flits), IN_FLIGHT),
            free=np.tile(np.arange(flits, dtype=np.int32), (runs, 1)),
        )
    return State(
        routers=pack_contiguous(routers),
        entrance=entrance,
        **common,
    )


def flow_terminals(
    network: DeflectionNetwork, traffics: Sequence[Traffic], **pauses: Mapping[int, int] | None
) -> Start:
    """Return AXI4-Stream terminals with deflection routers."""
    packets = axi_packets(network, traffics)
    pairs = Pairs.of(network, packets)
    config = flow_config(network, pairs, np.zeros_like(pairs.terminal))
    users = make_users(network, traffics, packets, **pauses)
    return Start(flow, packets, config, flow_state(network, users, config))


def single_terminals(network: DeflectionNetwork, traffics: Sequence[Traffic]) -> Start:
    """Return terminals of packets of one flit."""
    runs, topology = len(traffics), network.topology
    ejections = topology.nodes * network.ejections
    packets = np.concatenate([_packets(each) for each in traffics])
    packet, end = packets_of(traffics)
    state = SingleState(
        packet=packet,
        end=end,
        due=np.where(packet < end, np.append(packets["time"], NEVER)[packet], NEVER),
        held=np.full((runs, ejections), -1, np.int32),
    )
    return Start(single_flit, packets, SingleConfig(len(topology.terminals)), state)


def _packets(traffic: Traffic) -> Array:
    """Return the packets of a traffic.

    A malformed one names some destination that does not exist; where all numbers are destinations
    it is well-formed.
    """
    network, packets = traffic.network, packets_like(traffic, PACKET)
    header, terminals = network.routing.header.width, len(network.topology.terminals)
    unknown = (1 << header) - terminals
    wrong = (traffic.kind != WELL_FORMED) & (unknown > 0)
    stranger = terminals + (traffic.salt >> CHOICE) % max(1, unknown)
    packets["data"] = traffic.salt & ((1 << min(62 - header, network.flit_width)) - 1)
    packets["number"] = np.where(wrong, stranger, traffic.header)
    packets["expected"] = ~wrong
    packets["entered"] = -1
    return packets


def make_recording(config: Config, cycles: int) -> Recording:
    """Return room for so many cycles."""
    by_node, by_output, by_ejection = (
        (cycles, config.nodes * each) for each in (1, config.ports, config.ejections)
    )

    def zeros(*shapes: tuple[int, int]) -> list[Array]:
        return [np.zeros(shape, np.int64) for shape in shapes]

    noted: Any = AxiRecording(*zeros(*[by_node] * len(AxiRecording._fields)))
    if isinstance(config.terminal, SingleConfig):
        noted = SingleRecording(*zeros(*[by_node] * 6, by_ejection))
    return Recording._make([*zeros(*[by_output] * 5, *[by_node] * 2), noted])


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
