"""The records of which the arrays of the compiled model are made.

A *queue* is a virtual channel of an input, counted within its router (port * channels + channel)
where nothing else is said; so is an output channel. A mask has a bit for each.
"""

from typing import Any

import numpy as np

NEVER = 1 << 62
"""The cycle of a packet that does not exist."""

LATE = (1 << 31) - 1
"""A cycle that no run reaches, in 32 bits."""

NARROW = 31
"""Bits that fit in 32 with a sign: small records stay in the processor's cache."""


def mask_type(queues: int) -> type[np.signedinteger[Any]]:
    """Return the integers with a bit for each queue of a router."""
    return np.int32 if queues <= NARROW else np.int64


def router_type(queues: int) -> np.dtype[np.void]:
    """Return the record of a router: masks of its queues, or output channels.

    They follow from other registers.
    """
    mask = mask_type(queues)
    names = (
        "valid",  # queues with a flit at the front that has a route
        "discard",  # queues with a flit at the front that has none
        "head",  # queues at whose front a head is, or is the next to arrive
        "tail",  # queues at whose front a tail is
        "candidate",  # the candidate of every input
        "routed",  # queues whose flit has its route and its row
        "push",  # queues whose flit is counted in the level at the end of this cycle
        "requested",  # output channels that some packet requests
        "has_credit",  # output channels that have credits
        "busy",  # output channels that a packet holds
        "batch_open",  # output channels with a queue that is served
        "tails_passed",  # output ports with a tail in switch traversal: see `Routers.tail_passed`
    )
    fields = [*((name, mask) for name in names), ("new_errors", np.uint8)]
    return np.dtype(fields, align=True)


def channel_type(queues: int) -> np.dtype[np.void]:
    """Return the record of an output channel: see `golden.model.allocation.Allocation`."""
    names = (
        "request",  # queues whose packet at the front goes there, till its tail has left
        "served",  # queues that have been granted in this batch
    )
    return np.dtype([(name, mask_type(queues)) for name in names], align=True)


VC_BUFFER = np.dtype(
    [
        ("level", np.uint8),
        ("write_ptr", np.uint8),  # counted from the first row of the queue
        ("read_ptr", np.uint8),
        ("route_port", np.int8),
        ("route_channel", np.uint8),
        ("mid_packet", np.bool_),
        ("in_packet", np.bool_),
        ("passed", np.uint8),
        ("last_grant", np.int32),
    ],
    align=True,
)
"""A queue: see `golden.model.vc_buffers.VcBuffers`; `in_packet` is that of `golden.model.Model`,
`passed` that of its `BypassLimit`, `last_grant` the `queue_last_grant` of its `Allocation`."""

ROW = np.dtype(
    [
        ("data", np.int64),
        ("tag", np.int32),  # the packet, -1 if it is no packet's
        ("step", np.int32),  # of a head: the index of its next decision
        ("port", np.int8),  # of a head: its route
        ("channel", np.uint8),
        ("tail", np.bool_),
    ],
    align=True,
)
"""A flit in a queue."""

FLIT = np.dtype(
    [
        *((name, ROW[name]) for name in ("data", "tag", "step")),
        ("channel", np.uint8),
        ("head", np.bool_),
        ("tail", np.bool_),
        ("valid", np.bool_),  # of `InFlight.injection`
    ],
    align=True,
)
"""A flit in flight."""

LINK = np.dtype(
    [
        ("dst_node", np.int32),
        ("src_node", np.int32),
        ("dst_port", np.uint8),
        ("src_port", np.uint8),
    ],
    align=True,
)
"""The input at the end of the link of an output, and the output at the start of that of the input
with the same number; the node is -1 if there is no link. A terminal stands for the other ends of
its own port."""

STEP = np.dtype(
    [
        ("header", np.int64),
        ("next", np.int32),
        ("choices", np.int16),  # how many steps there are from here on, of which chance takes one
        ("port", np.int8),  # negative: ~port of a packet that the router discards
    ],
    align=True,
)
"""A decision: the output port, the header that goes on, and the index of the next decision."""

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
        ("message_class", np.int32),
        ("headless", np.bool_),
        ("tailless", np.bool_),
        ("poisoned", np.bool_),
        ("expected", np.bool_),
        ("source", np.int32),
        ("spare", np.int32),  # to 64 bytes, which the processor fetches at once
    ],
    align=True,
)
"""A packet, as the terminals know it: see `golden.traffic.Traffic` and `golden.terminal`."""

CLOCK = np.dtype(
    [
        (name, np.int64)
        for name in (
            "now",
            "chance",
            "received_flits",
            "outstanding",  # packets that can be delivered and have not been
            "faults",
            "drawn",  # numbers that terminals have drawn in this call
            "overflow",  # 1: a queue of a terminal had no room
        )
    ],
    align=True,
)
"""The scalars of a run."""

FAULT = np.dtype([(name, np.int64) for name in ("cycle", "node", "index", "packet")], align=True)
