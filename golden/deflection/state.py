"""What the model of deflection routers works on: records, and named tuples of arrays of them.

A mask has a bit for each slot of a router, or for each of its ejection ports. Arrays of the `State`
have the run as their first axis; a cycle sees one run. `Wiring` says where each slot leads.
"""

from typing import Any, NamedTuple

import numpy as np

from fingerpost.golden.arrays import Array, IntArray
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.switches import ejection_port
from fingerpost.golden.router.records import record

SLOT = record(
    int32="tag destination", int16="key distance wanted rank", int8="epoch", bool="old valid"
)
"""A flit in a register of a slot.

`tag` is what has the data: the packet, or a row of `Entrance.flits`. `epoch` is that in which it
was injected, `key` an upper bound of the hops that are left (0: it is at its destination),
`distance` these hops by the table. `old`: it is not of the current epoch. `wanted` is a mask of the
slots whose output port is productive; the lowest `rank` of a router comes first. `valid` is used on
links only, as `ROUTER` has it of the others.
"""

ROUTER = record(
    int16="arrived ranked switched arrived_down ranked_down switched_down taking down_inputs "
    "down_outputs",
    bool="refused pending ready",
)
"""A router. The first three are the slots with flits behind each stage.

The next three are the slots whose links are down: they are empty, and pass the switches to the
outputs of these links. `taking` are the ejection ports that may eject in this cycle. `down_inputs`
and `down_outputs` are the slots whose link is down, as the router has been told: that of the input,
and that of the output. `refused`: a flit to an unknown destination was dropped in the cycle before.
`pending`: a flit has waited at the terminal since a tick, and is let in before others. `ready`:
what is offered goes in.
"""

DOWN = record(int16="inputs outputs")
"""The slots whose links are down in the next cycle."""

SWITCH = record(int16="a b first second")
"""A switch: the slots that it may exchange, and masks of what lies behind each side."""

ENTRY = np.dtype([("productive", np.uint8), ("distance", np.uint8)])
"""What a router knows of a destination: see `DeflectionNetwork.entries`."""

WRITE = record(int32="destination", uint8="productive distance", bool="valid")
"""A new entry of a table."""

PACKET = record(int64="time data delivered entered", int32="destination number", bool="expected")
"""A packet, as terminals of packets of one flit know it.

`destination` is the node, `number` what is sent as destination. `entered` is the cycle in which it
went into the network, `delivered` that in which it came out, -1 if it did not.
"""

IN_FLIGHT = record(int64="data", int32="tag")
"""A flit in the routers, of terminals whose packets have several."""

EJECTED = record(int32="tag node port")
"""What comes out of a router by an ejection port."""

CLOCK = record(
    int64="now epoch count ticked held hold waits outstanding faults ejected "
    "dropped free drawn overflow"
)
"""The scalars of a run.

`epoch` is that of this cycle, as the routers have it, and a bit of `count` that of the next one.
`ticked`: the tick of the cycle before asks which terminals wait. `held`: only terminals that are
pending inject; `hold` is one cycle ahead. `waits`: a terminal is pending in this cycle.
`outstanding` packets can be delivered and have not been. `ejected`, `dropped` and `free` are the
lengths of these lists, `drawn` the numbers that terminals have drawn in this call. `overflow` is 1
if a queue of a terminal had no room.
"""


class Config(NamedTuple):
    """What does not change, and is the same in all runs.

    A destination of `terminals` or more does not exist. `switch` has the switches of the first
    cycle of routers with l links from `part[l, 0]` to `part[l, 1]`, those of the second from there
    to `part[l, 2]`; with `hop_cycles` 3 all are in the first.
    """

    nodes: int
    places: int  # of terminals: one at each node
    classes: int  # 1
    ports: int
    local: int
    hop_cycles: int
    ejections: int
    destinations: int  # entries of a table
    most_key: int
    epoch: int  # the bit of the counter
    wait_limit: int  # -1: none
    max_errors: int
    max_lost: int
    directed: bool
    link_up: bool  # routers are told which links are up, and new entries of their tables
    base: Array  # (nodes + 1,): the first slot of each
    source: Array  # (slots,): the slot whose link ends in it
    port_index: Array  # (slots,): the output whose link it is
    enters: Array  # (nodes,): the slots into which the terminal injects, as a mask
    ejects: Array  # (nodes, ejections): the slots of each ejection port, as masks
    crosses: Array  # (nodes,): the switches that exchange slots whose links are down, as a mask
    part: Array
    switch: Array
    table: Array  # (nodes * destinations,)
    terminal: Any  # `SingleConfig`, or `FlowConfig` of `golden.terminal.state`


class Routers(NamedTuple):
    """The registers of the routers, and what they are told."""

    router: Array
    """Shape (nodes,), array of ROUTER."""
    links: Array
    """Shape (2, slots), array of SLOT. Those of cycle t at t modulo 2."""
    arrived: Array
    ranked: Array
    switched: Array
    """Shape (slots,), arrays of SLOT."""
    ejected: Array
    """Shape (nodes * ejections,), array of EJECTED. A list: what comes out in this cycle."""
    dropped: Array
    """Shape (slots,). A list: the tags of what was lost in the last cycle, on links that are down.
    """
    errors: Array
    lost: Array
    """Shape (nodes,)."""
    waits: Array
    """Shape (hold_stages,). Whether a terminal was pending, in turns."""
    told: Array
    """Shape (nodes,), array of DOWN."""
    write: Array
    writing: Array
    """Shape (nodes,), arrays of WRITE. The new entry that is given in this cycle, and that of the
    cycle before."""
    table: Array
    """Shape (nodes * destinations,), array of ENTRY. With `Config.link_up`, in the place of that of
    `Config`; else it is empty."""
    place: Array
    """Shape (slots of a router,). Used within a stage only."""


class SingleConfig(NamedTuple):
    """Terminals of packets of one flit: how many there are. Others do not exist."""

    terminals: int


class SingleState(NamedTuple):
    """Those terminals."""

    packet: Array
    end: Array
    """Shape (nodes,). The next packet of each, and the one behind its last."""
    due: Array
    """Shape (nodes,). The cycle of the next packet."""
    held: Array
    """Shape (nodes * ejections,). The packet that came out last by each port, -1: none."""


class Entrance(NamedTuple):
    """Between AXI4-Stream terminals and routers."""

    queue: Array
    """Shape (nodes,), array of records. Of flits that wait for a place."""
    rows: Array
    """Shape (nodes * terminal_depth,), array of records."""
    entered: Array
    """Shape (nodes,), array of bool. Whether the front of the queue goes in in this cycle."""
    flits: Array
    """Shape (most flits,), array of records. Those in the routers."""
    free: Array
    """Shape (most flits,). A list: rows of `flits` that are not in use."""


class State(NamedTuple):
    """All that changes, of all runs. `packets` are those of all runs in one row."""

    clock: Array
    routers: Routers
    terminals: Any  # `SingleState`, or `FlowState` of `golden.terminal.state`
    entrance: Any  # `Entrance`, or nothing
    flits: Array
    """Shape (nodes,). The flits that came out."""
    sent: Array
    """Shape (outputs,). The flits that were on the link of each output."""
    fault: Array
    packets: Array


class SingleRecording(NamedTuple):
    """What terminals of packets of one flit give and see: as in `Recording`.

    The data that comes out is (cycles, nodes * ejections). `columns` are the fields of
    `Terminal.given`, and of `seen`.
    """

    given_valid: Array
    given_destination: Array
    given_data: Array
    eject_ready: Array
    ready: Array
    out_valid: Array
    out_data: Array

    def columns(self, config: Config) -> tuple[dict[str, Array], dict[str, Array]]:
        given = {
            "valid": self.given_valid,
            "destination": self.given_destination,
            "data": self.given_data,
            "eject_ready": self.eject_ready,
        }
        seen, ports = {"ready": self.ready, "valid": self.out_valid}, config.ejections
        return given, seen | {f"data{p}": self.out_data[:, p::ports] for p in range(ports)}


class Recording(NamedTuple):
    """What goes in and comes out, cycle by cycle: fields of `given`, `links` and `terminals`.

    `fingerpost.golden.engine.base.Record` has them by name. All are (cycles, nodes), those of
    links (cycles, nodes * ports).
    """

    valid: Array
    epoch: Array
    key: Array
    destination: Array
    data: Array
    errors: Array
    lost: Array
    terminal: Any  # `SingleRecording`, or `AxiRecording` of `golden.terminal.state`


class Wiring:
    """The slots of all routers in turn; behind the switches a slot is the link of an output port.

    Attributes
    ----------
    node : (slots,)
        The node of each slot.
    base : (nodes + 1,)
        The first slot of each node.
    local : (slots,)
        The number of each slot at its node.
    input, output : (slots,)
        The ports of each slot.
    port_index : (slots,)
        The output whose link it is, as node * (degree + 1) + port.
    source : (slots,)
        The slot whose link ends in it.
    enters : (nodes,)
        The slots into which the terminal injects, as a mask.
    ejects : (nodes, ejections)
        The slots whose flits leave by each ejection port, as masks.
    crosses : (nodes,)
        The switches, in the order of `RANKS`, that exchange slots whose links are down, as a mask.
    """

    def __init__(self, network: DeflectionNetwork) -> None:
        topology, kinds = network.topology, network.topology.node_type
        count = np.array([len(kind.outputs) for kind in kinds])
        self.base = np.concatenate([[0], count.cumsum()])
        self.node = np.repeat(np.arange(topology.nodes), count)
        self.local = np.arange(len(self.node)) - self.base[self.node]
        self.input, self.output = (
            np.array(
                [port for kind in kinds for port in getattr(network.pairings[kind], side)], np.int64
            )
            for side in ("inputs", "outputs")
        )
        self.port_index = self.node * (topology.degree + 1) + self.output
        at = np.full((topology.nodes, topology.degree), -1)
        at[self.node, self.input] = np.arange(len(self.node))
        ends = topology.neighbour, topology.arrival_port
        there = at[*(end[self.node, self.output] for end in ends)]
        self.source: IntArray = np.empty_like(there)
        self.source[there] = np.arange(len(there))

        has_terminal = np.isin(self.node, topology.terminals)
        into = has_terminal & np.array([network.enters(slot) for slot in self.local.tolist()])
        self.enters = self.masks(into)
        port = ejection_port(self.local, count[self.node], network.ejections)
        self.ejects = np.stack(
            [self.masks(has_terminal & (port == each)) for each in range(network.ejections)], axis=1
        )
        self.crosses = np.array([_crosses(network, node) for node in range(topology.nodes)])

    def masks(self, slots: IntArray) -> IntArray:
        """Return, by node, a mask of its slots for which an array of bool is true."""
        found = np.zeros(len(self.base) - 1, np.int64)
        np.bitwise_or.at(found, self.node, slots.astype(np.int64) << self.local)
        return found


def _crosses(network: DeflectionNetwork, node: int) -> int:
    """Return the switches of a node that exchange slots whose links are down, as a mask."""
    ranks = network.pairings[network.topology.node_type[node]].passages or ()
    switches = [passage.crosses for rank in ranks for passage in rank]
    return sum(crosses << number for number, crosses in enumerate(switches))
