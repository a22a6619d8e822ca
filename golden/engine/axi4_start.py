"""The arrays of AXI4 terminals of the compiled model: transactions, managers and memories."""

from collections.abc import Sequence

import numpy as np

from fingerpost.golden.arrays import Array, IntArray
from fingerpost.golden.engine.axi_start import AxiRun, streams_start
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.start import Start, empty, packets_like, packets_of
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import (
    Axi4Terminal,
    axi4_flow_interface,
    axi4_interface,
    records,
)
from fingerpost.golden.terminal.state import Axi4Config, Axi4State
from fingerpost.golden.terminal.transaction import LONGEST_BURST
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.traffic import READ, WRITE, Transactions

REQUEST, RESPONSE = range(2)
"""Message classes in the network."""


def axi4_start(
    network: Network,
    traffics: Sequence[Traffic],
    routes: RouteTable,
    *,
    transactions: Transactions,
) -> Start:
    """Return terminals with managers and memories: packets are transactions, flits beats of data.

    Their message class is `READ` or `WRITE`.

    Raises
    ------
    ValueError
        If a burst is longer than its manager can ask for.
    """
    terminal = network.terminal
    assert isinstance(terminal, Axi4Terminal)
    topology, layout = network.topology, terminal.transactions
    longest = max(int(traffic.length.max(initial=0)) for traffic in traffics)
    if longest > LONGEST_BURST:
        raise ValueError(f"Transactions need at most {LONGEST_BURST} beats, not {longest}")
    lite = np.isin(np.arange(topology.terminal_numbers), terminal.nodes_of("lite", topology))
    for traffic in traffics:
        if (traffic.length[lite[traffic.source]] > 1).any():
            raise ValueError(f"Transactions of AXI4-Lite managers need 1 beat, not up to {longest}")
    requests = [_requests(traffic, layout.request_beats, layout.parts) for traffic in traffics]
    asked = np.concatenate(requests)
    runs, streams = len(traffics), topology.terminal_numbers * network.classes
    users = np.zeros((runs, streams), records.USER)
    users["exists"] = np.isin(np.arange(streams) // network.classes, topology.terminals)
    start = streams_start(
        network,
        routes,
        np.concatenate([asked, _responses(asked, layout.parts)]),
        users,
        direct=axi4_interface,
        flow=axi4_flow_interface,
    )
    config = Axi4Config(
        responses=len(asked),
        request_beats=layout.request_beats,
        parts=layout.parts,
        outstanding=terminal.outstanding,
        rows=terminal.rows,
        most=transactions.outstanding or len(asked) + 1,
        memory_cycles=transactions.memory_cycles,
        lite=lite,
    )
    return start._replace(
        config=start.config._replace(sides=config),
        state=start.state._replace(sides=_sides(traffics, config)),
    )


def _requests(traffic: Traffic, request_beats: int, parts: int) -> Array:
    packets = packets_like(traffic, records.TRANSACTION)
    packets["beats"], packets["write"] = traffic.length, traffic.message_class == WRITE
    packets["length"] = request_beats + np.where(packets["write"], traffic.length * parts, 0)
    packets["message_class"], packets["dest"] = REQUEST, traffic.destination
    packets["known"] = packets["expected"] = True
    packets["pause"] = packets["accepted"] = -1
    return packets


def _responses(requests: Array, parts: int) -> Array:
    packets = requests.copy()
    for name, other in (("source", "destination"), ("destination", "source"), ("dest", "source")):
        packets[name] = requests[other]
    packets["length"] = np.where(requests["write"], 1, requests["beats"] * parts)
    packets["message_class"], packets["expected"] = RESPONSE, False
    packets["salt"] = ~requests["salt"] & (1 << 62) - 1
    return packets


def _sides(traffics: Sequence[Traffic], config: Axi4Config) -> Axi4State:
    first, end = packets_of(traffics)
    runs, streams = first.shape
    sides = {
        "reads": records.READS,
        "writes": records.WRITES,
        "queue": records.PACKET_QUEUE,
        "response": records.RESPONSE,
        "subordinate": records.SUBORDINATE,
    }
    state = Axi4State(
        merge=np.zeros((runs, streams), records.MERGE),
        accesses=np.zeros((runs, streams * config.outstanding), records.ACCESS),
        **empty(runs, streams // 2, sides),
    )
    for side, kind in ((state.reads, READ), (state.writes, WRITE)):
        side["issued"] = side["head"] = first[:, kind::2]
        side["end"] = end[:, kind::2]
    state.merge["owner"] = True
    state.reads["arriving"], state.queue["tag"] = -1, state.writes["issued"]
    return state


class Axi4Run(AxiRun):
    """A run with managers and memories."""

    digested = *AxiRun.digested, "write"

    @property
    def begun(self) -> IntArray:
        begun: IntArray = self.arrays.packets["accepted"][self.packets]
        return begun

    @property
    def found_faults(self) -> list[tuple[int, int, int, int]]:
        requests, first = self.config.terminal.sides.responses, self.first
        found = super().found_faults
        return [(*where, (packet + first) % requests - first) for *where, packet in found]

    def stop(self) -> None:
        end, sides = np.zeros(2 * self.config.places, np.int64), self.arrays.terminals.sides
        for side, kind in ((sides.reads, READ), (sides.writes, WRITE)):
            own = side[self.number]
            own["end"] = np.minimum(own["end"], own["issued"] + own["held"])
            end[kind::2] = own["end"]
        number = np.arange(len(self.traffic.source)) + self.first
        self._withdraw(number >= end[self.traffic.terminal_channel])
