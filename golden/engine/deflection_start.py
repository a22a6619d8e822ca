"""The arrays of deflection routers, as they are before the first cycle."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.counters import ERRORS, LOST
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
)
from fingerpost.golden.deflection.wiring import Wiring
from fingerpost.golden.engine.terminal.axi_start import Pairs, flow_start
from fingerpost.golden.engine.terminal.records import BLOCK_QUEUE
from fingerpost.golden.engine.terminal.state import AxiRecording
from fingerpost.golden.jit.memory import pack_contiguous
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.switches import MAX_LINKS, in_cycles, reach
from fingerpost.golden.router.records import FAULT, FLIT, NEVER
from fingerpost.golden.terminal import AxiTerminalModel
from fingerpost.golden.terminal.single_flit import SingleFlitTerminalModel

FAULTS = 10
"""So many are kept."""


def make_config(network: DeflectionNetwork, terminal: Any) -> Config:
    """Return what does not change; `terminal` is what does not of terminals."""
    wiring, topology = Wiring(network), network.topology
    part, switch = _switches(network.hop_cycles - 2)
    table = np.zeros((topology.nodes, 1 << network.destination_width), ENTRY)
    for node in range(topology.nodes):
        table[node]["productive"], table[node]["distance"] = network.entries(node)
    return Config(
        nodes=topology.nodes,
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


def _switches(cycles: int) -> tuple[NDArray[Any], NDArray[Any]]:
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
    terminals: Sequence[SingleFlitTerminalModel | AxiTerminalModel],
    packets: NDArray[Any],
    ends: Any,
) -> State:
    """Return the state before the first cycle, of a run for each of some terminals.

    `ends` is the state of terminals.
    """
    runs, nodes, slots = len(terminals), config.nodes, len(config.source)
    clock = np.zeros((runs, 1), CLOCK)
    clock["outstanding"] = [[np.count_nonzero(each.expected)] for each in terminals]

    def zeros(*shape: int, kind: Any = np.int64) -> NDArray[Any]:
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
    if not isinstance(ends, SingleState):
        flits = slots * config.hop_cycles + len(routers.ejected[0])
        clock["free"] = flits
        entrance = Entrance(
            queue=np.zeros((runs, nodes), BLOCK_QUEUE),
            rows=np.zeros((runs, nodes * network.terminal_depth), FLIT),
            entered=np.zeros((runs, nodes), np.bool_),
            flits=np.zeros((runs, flits), IN_FLIGHT),
            free=np.tile(np.arange(flits, dtype=np.int32), (runs, 1)),
        )
    return State(
        clock=clock,
        routers=pack_contiguous(routers),
        terminals=ends,
        entrance=entrance,
        fault=np.zeros((runs, FAULTS), FAULT),
        packets=pack_contiguous(packets),
    )


def flow_terminals(
    network: DeflectionNetwork, terminals: Sequence[AxiTerminalModel]
) -> tuple[NDArray[Any], Any, Any]:
    """Return packets of all runs, what does not change, and what does, of AXI4-Stream terminals."""
    pairs = Pairs.of(network, terminals)
    return flow_start(network, terminals, pairs, np.zeros_like(pairs.node))


def single_terminals(
    network: DeflectionNetwork, terminals: Sequence[SingleFlitTerminalModel]
) -> tuple[NDArray[Any], SingleConfig, SingleState]:
    """Return the same of terminals of packets of one flit."""
    runs, topology = len(terminals), network.topology
    nodes, ejections = topology.nodes, topology.nodes * network.ejections
    begins = np.cumsum([0] + [len(each.expected) for each in terminals])[:-1, None]
    packets = np.concatenate([_packets(each) for each in terminals])
    packet = np.stack([each.packet for each in terminals]) + begins
    end = np.stack([each.end for each in terminals]) + begins
    state = SingleState(
        packet=packet,
        end=end,
        due=np.where(packet < end, np.append(packets["time"], NEVER)[packet], NEVER),
        held=np.full((runs, ejections), -1, np.int32),
        flits=np.zeros((runs, nodes), np.int64),
        sent=np.zeros((runs, nodes * (topology.degree + 1)), np.int64),
    )
    return packets, SingleConfig(len(topology.terminals)), state


def _packets(terminals: SingleFlitTerminalModel) -> NDArray[Any]:
    traffic = terminals.traffic
    packets = np.zeros(len(traffic.source), PACKET)
    packets["time"], packets["data"] = traffic.time, terminals.data
    packets["destination"], packets["number"] = traffic.destination, terminals.destination
    packets["expected"] = terminals.expected
    packets["entered"] = packets["delivered"] = -1
    return packets


def make_recording(config: Config, cycles: int) -> Recording:
    """Return room for so many cycles."""
    by_node, by_output, by_ejection = (
        (cycles, config.nodes * each) for each in (1, config.ports, config.ejections)
    )

    def zeros(*shapes: tuple[int, int]) -> list[NDArray[Any]]:
        return [np.zeros(shape, np.int64) for shape in shapes]

    noted: Any = AxiRecording(*zeros(*[by_node] * len(AxiRecording._fields)))
    if isinstance(config.terminal, SingleConfig):
        noted = SingleRecording(*zeros(*[by_node] * 6, by_ejection))
    return Recording._make([*zeros(*[by_output] * 5, *[by_node] * 2), noted])
