"""What the compiled model works on: plain arrays, named as the registers of the reference.

Arrays of what changes have the run as their first axis; the cycle sees one run.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CLOCK",
    "COMING",
    "FAULT",
    "FLIT",
    "NEVER",
    "PACKET",
    "QUEUE",
    "ROW",
    "STEP",
    "WAY",
    "Fixed",
    "Moving",
    "Routers",
    "State",
    "Tape",
    "Terminals",
    "channel_type",
    "router_type",
]

Array = NDArray[Any]

NEVER = 1 << 62
"""The cycle of a packet that is not there."""

NARROW = 31
"""Bits that fit in 32 with a sign: what is small stays in the processor's cache."""


def router_type(queues: int) -> np.dtype[np.void]:
    """Return the record of a router: its queues, or output channels, as bits.

    They follow from other registers.
    """
    mask = np.int32 if queues <= NARROW else np.int64
    names = (
        "waiting",  # queues with a flit at the front that has a way
        "drained",  # queues with a flit at the front that has none
        "head",  # queues at whose front a head is, or comes next
        "nominated",  # the nominee of every input
        "arriving",  # queues to which a flit is written in this cycle
        "wanted",  # output channels that some packet wants
        "credited",  # output channels that have credits
        "rounds",  # output channels on which some have had their turn
        "sent",  # queues whose front goes in this cycle
    )
    return np.dtype([(name, mask) for name in names], align=True)


def channel_type(queues: int) -> np.dtype[np.void]:
    """Return the record of an output's channel: see `golden.model.allocation.Allocation`."""
    mask = np.int32 if queues <= NARROW else np.int64
    fields = [
        ("wants", mask),  # queues whose packet at the front goes there, till its tail has gone
        ("gone", mask),  # queues that have had their turn in this round
        ("credits", np.int16),
        ("busy", np.bool_),
    ]
    return np.dtype(fields, align=True)


QUEUE = np.dtype(
    [
        ("level", np.uint16),
        ("newest", np.uint16),  # counted from the first row of the queue
        ("oldest", np.uint16),
        ("way_port", np.int8),
        ("way_channel", np.uint8),
        ("midst", np.bool_),
        ("inside", np.bool_),
    ],
    align=True,
)
"""A channel of an input: see `golden.model.queues.Queues`; `inside` is admission's."""

ROW = np.dtype(
    [
        ("data", np.int64),
        ("tag", np.int32),  # the packet, -1 if it is no packet's
        ("step", np.int32),  # of a head: where its next decision is
    ],
    align=True,
)
"""A flit in a queue."""

WAY = np.dtype([("port", np.int8), ("channel", np.int8), ("tail", np.bool_)])
"""Where it goes, if it is a head, and whether it is a tail: more often looked at than the rest."""

FLIT = np.dtype(
    [
        *((name, ROW[name]) for name in ("data", "tag", "step")),
        ("node", np.uint32),
        ("place", np.int32),  # the output on whose link it is, or the terminal's input
        ("channel", np.int8),
        ("head", np.bool_),
        ("tail", np.bool_),
    ],
    align=True,
)
"""A flit that moves."""

COMING = np.dtype([("node", np.int32), ("number", np.int32)], align=True)
"""The queue, counted within its router, to which the flit behind its last one is written."""

STEP = np.dtype(
    [
        ("header", np.int64),
        ("next", np.int32),
        ("choices", np.int16),  # how many steps there are from here on, of which chance takes one
        ("port", np.int8),  # negative: the router drains the packet, else it would be ~port
    ],
    align=True,
)
"""A decision: the output port, the header that goes on, and where the next decision is."""

PACKET = np.dtype(
    [
        ("time", np.int64),
        ("salt", np.int64),
        ("header", np.int64),
        ("delivered", np.int64),
        ("received", np.int32),
        ("step", np.int32),
        ("destination", np.int32),
        ("length", np.int32),
        ("headless", np.bool_),
        ("tailless", np.bool_),
        ("poisoned", np.bool_),
        ("expected", np.bool_),
        ("spare", np.int64),  # to 64 bytes, which the processor fetches at once
    ],
    align=True,
)
"""A packet, as the terminals know it: see `golden.traffic.Traffic` and `Terminals`."""

CLOCK = np.dtype(
    [
        (name, np.int64)
        for name in (
            "now",
            "chance",
            "received_flits",
            "outstanding",  # packets that can be delivered and have not been
            "faults",
            "new_errors",  # how long the list is
            "cuts",  # packets that have lost a flit and have not been ended
        )
    ],
    align=True,
)
"""What there is once in a run."""

FAULT = np.dtype([(name, np.int64) for name in ("cycle", "node", "index", "packet")], align=True)


class Fixed(NamedTuple):
    """What does not change, and is the same in all runs."""

    nodes: int
    ports: int
    channels: int
    local: int
    queues: int  # of a router
    terminal_depth: int
    rows: int  # of a router
    launch_cycles: int
    routing_register: int
    lanes: int
    courteous: bool  # some heads let others pass
    selection: int  # 0: none; 1: free ports; 2: chance
    header_mask: int
    data_mask: int
    status: int
    most_errors: int
    most_overruns: int
    first_rank: int
    last_rank: int
    end: Array  # (outputs,): the input at the end of the link
    reached: Array  # (outputs,): the node at the end of the link, -1: the terminal
    returns: Array  # (queues,): the channel to which a credit goes, or ~node: its terminal
    increments: Array  # (inputs * ports,)
    raised: Array  # (channels,)
    port: Array  # (queues of a router,): that of their input
    siblings: Array  # (queues of a router,): the queues of the same input, as bits
    depths: Array  # (queues of a router,)
    bases: Array  # (queues of a router,): the first row of each
    limits: Array  # (ports * ports,): the packets that heads let pass, by input and output
    steps: Array


class Routers(NamedTuple):
    """The routers, one record for each thing that is asked about at once.

    Attributes
    ----------
    router, queue, channel, row, way : arrays of records
    taken, served : (queues,), (outputs * ports,)
    lane : (nodes,)
    passed, through : (queues,), (outputs,)
        As those of `golden.model.allocation.Allocation` and `Courtesy`.
    errors, lost, cut : (nodes,)
        As those of `golden.model.Model` and `golden.model.overruns.Overruns`, whose `count` it is.
    coming : (nodes,)
        The flits of each terminal behind the routing unit.
    """

    router: Array
    queue: Array
    channel: Array
    row: Array
    way: Array
    taken: Array
    served: Array
    lane: Array
    passed: Array
    through: Array
    errors: Array
    lost: Array
    cut: Array
    coming: Array


class Moving(NamedTuple):
    """Lists of what moves, and how long they are: several that take turns, by the cycle's number.

    Attributes
    ----------
    flits, flit_count : (2, outputs), (2,)
        What is on links and terminals, and what crosses.
    injection, injection_count : (launch_cycles + 1, nodes), (launch_cycles + 1,)
        What the terminals sent.
    routed, routed_count : (routing_register + 1, inputs), (routing_register + 1,)
        What has been given its way: it is in its row, but not yet in its queue.
    credit, credit_count : (2, queues), (2,)
        The channels of inputs that give back a credit.
    new_errors : (inputs,)
        The nodes that have seen one.
    """

    flits: Array
    flit_count: Array
    injection: Array
    injection_count: Array
    routed: Array
    routed_count: Array
    credit: Array
    credit_count: Array
    new_errors: Array


class Terminals(NamedTuple):
    """As `golden.terminal.Terminals`; `due` is when the next packet is, `flits` what came out.

    `sent` are the flits that were on the link of each output; `back` is a list.
    """

    packet: Array
    end: Array
    due: Array
    next_flit: Array
    credits: Array
    backlog: Array
    back: Array
    flits: Array
    sent: Array


class State(NamedTuple):
    """All that changes, of all runs. `packets` are those of all runs in one row.

    `winner` is of use within a cycle only.
    """

    clock: Array
    routers: Routers
    moving: Moving
    terminals: Terminals
    fault: Array
    winner: Array
    packets: Array


class Tape(NamedTuple):
    """What `Record` has, cycle by cycle: see `golden.compiled.base`."""

    given_valid: Array
    given_head: Array
    given_tail: Array
    given_data: Array
    given_credit: Array
    valid: Array
    head: Array
    tail: Array
    data: Array
    credit: Array
    errors: Array
    overruns: Array
