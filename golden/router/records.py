"""The records of which the arrays of the model are made.

A *queue* is a virtual channel of an input, counted within its router (port * channels + channel)
where nothing else is said; so is an output channel. A mask has a bit for each.
"""

from typing import Any

import numpy as np

NEVER = 1 << 62
"""The cycle of a packet that does not exist."""

LATE = (1 << 31) - 1
"""A cycle that no run reaches, in 32 bits."""

NARROW, WIDE = 31, 62
"""Bits of masks of 32 and of 64: small records stay in the processor's cache."""


def record(**fields: str) -> np.dtype[Any]:
    """Return a record with these fields, names with spaces between, by their type."""
    every = [(name, kind) for kind, names in fields.items() for name in names.split()]
    return np.dtype(every, align=True)


def mask_type(queues: int) -> type[np.signedinteger[Any]] | type[object]:
    """Return the integers with a bit for each queue of a router.

    Masks of more than `WIDE` bits are Python's numbers, which have no width.
    """
    if queues > WIDE:
        return object
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
        "tails_passed",  # output ports that granted a tail before: see `Routers.tail_passed`
    )
    fields = [*((name, mask) for name in names), ("new_errors", np.uint8)]
    return np.dtype(fields, align=True)


def channel_type(queues: int) -> np.dtype[np.void]:
    """Return the record of an output channel, which one packet holds from its head to its tail."""
    names = (
        "request",  # queues whose packet at the front goes there, till its tail has left
        "served",  # queues that have been granted in this batch
    )
    return np.dtype([(name, mask_type(queues)) for name in names], align=True)


VC_BUFFER = record(
    uint8="level write_ptr read_ptr route_channel passed",
    int8="route_port",
    bool="mid_packet in_packet",
    int32="last_grant",
)
"""A queue: its flits are from row `read_ptr` on, and the next is written to row `write_ptr`.

`route_port` and `route_channel` are the route of the packet at the front, -1 if it is discarded,
and `mid_packet` is set if its head has left and its tail has not; `in_packet`, if the last flit
that arrived was no tail. `passed` packets have passed the head at the front, which yields;
`last_grant` is the cycle in which the queue was last granted, before the start in their order.
"""

ROW = record(int64="data", int32="tag step", int8="port", uint8="channel", bool="tail")
"""A flit in a queue.

`tag` is the packet, -1 if it is no packet's. Of a head, `step` is the index of its next decision;
`port` and `channel` are its route.
"""

FLIT = record(int64="data", int32="tag step", uint8="channel", bool="head tail valid")
"""A flit in flight; `valid` is of `InFlight.injection`."""

LINK = record(int32="dst_node src_node", uint8="dst_port src_port")
"""The input at the end of the link of an output, and the output at the start of that of the input
with the same number; the node is -1 if there is no link. A terminal stands for the other ends of
its own port."""

STEP = record(int64="header", int32="next", int16="choices", int8="port")
"""A decision: the output port, the header that goes on, and the index of the next decision.

There are so many `choices` from here on, of which chance takes one, or the first to a free port. A
negative `port` is ~port of a packet that the router discards.
"""

PACKET = record(
    int64="time salt header delivered",
    int32="received step destination length message_class source spare",
    bool="headless tailless poisoned expected",
)
"""A packet, as the terminals know it: see `golden.traffic.Traffic` and `golden.terminal`.

With `spare` it has 64 bytes, which the processor fetches at once.
"""

CLOCK = record(int64="now chance outstanding faults drawn overflow")
"""The scalars of a run.

`outstanding` packets can be delivered and have not been; `drawn` numbers have terminals drawn in
this call. `overflow` is 1 if a queue of a terminal had no room.
"""

FAULT = record(int64="cycle node index packet")
