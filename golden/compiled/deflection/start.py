"""The arrays of the compiled deflection routers, as they are before the first cycle."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.compiled.deflection.records import (
    CLOCK,
    EJECTED,
    ENTRY,
    FAULT,
    PACKET,
    ROUTER,
    SLOT,
    SWITCH,
)
from fingerpost.golden.compiled.deflection.state import (
    Config,
    Recording,
    Routers,
    State,
    TerminalState,
)
from fingerpost.golden.compiled.memory import pack_contiguous
from fingerpost.golden.compiled.records import NEVER
from fingerpost.golden.counters import ERRORS
from fingerpost.golden.deflection.switches import MAX_LINKS, in_cycles, reach
from fingerpost.golden.model.deflection.wiring import Wiring
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.terminal.single_flit import SingleFlitTerminalModel

__all__ = ["initial_state", "make_config", "make_recording"]

FAULTS = 10
"""So many are kept."""


def make_config(network: DeflectionNetwork) -> Config:
    """Return what does not change."""
    wiring, topology = Wiring(network), network.topology
    nodes, ejections = topology.nodes, network.ejections
    count = np.bincount(wiring.node, minlength=nodes)
    enters = np.zeros(nodes, np.int64)
    for slots in wiring.injects:
        enters[wiring.node[slots]] |= 1 << wiring.local[slots]
    ejects = np.zeros(nodes * ejections + 1, np.int64)
    np.bitwise_or.at(ejects, wiring.ejection, 1 << wiring.local)
    part, switch = _switches(network.hop_cycles - 2)
    table = np.zeros((nodes, 1 << network.destination_width), ENTRY)
    for node in range(nodes):
        table[node]["productive"], table[node]["distance"] = network.entries(node)
    return Config(
        nodes=nodes,
        ports=topology.degree + 1,
        local=topology.local,
        hop_cycles=network.hop_cycles,
        ejections=ejections,
        terminals=len(topology.terminals),
        destinations=table.shape[1],
        most_key=(1 << network.distance_width) - 1,
        epoch=network.epoch,
        wait_limit=-1 if network.wait_limit is None else network.wait_limit,
        max_errors=ERRORS.most,
        directed=topology.directed,
        base=np.concatenate([[0], count.cumsum()]),
        source=wiring.source,
        port_index=wiring.port_index,
        enters=enters,
        ejects=ejects[:-1].reshape(nodes, ejections),
        part=part,
        switch=switch,
        table=pack_contiguous(table.ravel()),
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
    config: Config, terminals: Sequence[SingleFlitTerminalModel], stages: int
) -> State:
    """Return the state before the first cycle, of a run for each of some terminals."""
    runs, nodes, slots = len(terminals), config.nodes, len(config.source)
    outputs, ejections = nodes * config.ports, nodes * config.ejections
    begins = np.cumsum([0] + [len(each.expected) for each in terminals])[:-1, None]
    packets = np.concatenate([_packets(each) for each in terminals])
    packet = np.stack([each.packet for each in terminals]) + begins
    end = np.stack([each.end for each in terminals]) + begins
    clock = np.zeros((runs, 1), CLOCK)
    clock["outstanding"] = [[np.count_nonzero(each.expected)] for each in terminals]
    routers = Routers(
        router=np.zeros((runs, nodes), ROUTER),
        links=np.zeros((runs, 2, slots), SLOT),
        arrived=np.zeros((runs, slots), SLOT),
        ranked=np.zeros((runs, slots), SLOT),
        switched=np.zeros((runs, slots), SLOT),
        ejected=np.zeros((runs, ejections), EJECTED),
        errors=np.zeros((runs, nodes), np.int64),
        waits=np.zeros((runs, stages), np.bool_),
        place=np.zeros((runs, MAX_LINKS), np.int64),
    )
    return State(
        clock=clock,
        routers=pack_contiguous(routers),
        terminals=TerminalState(
            packet=packet,
            end=end,
            due=np.where(packet < end, np.append(packets["time"], NEVER)[packet], NEVER),
            held=np.full((runs, ejections), -1, np.int32),
            flits=np.zeros((runs, nodes), np.int64),
            sent=np.zeros((runs, outputs), np.int64),
        ),
        fault=np.zeros((runs, FAULTS), FAULT),
        packets=pack_contiguous(packets),
    )


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
    shapes = [by_node] * 4 + [by_output] * 5 + [by_node] * 2 + [by_ejection, by_node]
    return Recording(*(np.zeros(shape, np.int64) for shape in shapes))
