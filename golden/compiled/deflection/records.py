"""The records of which the arrays of the compiled deflection routers are made.

A mask has a bit for each slot of a router, or for each of its ejection ports.
"""

import numpy as np

__all__ = ["CLOCK", "EJECTED", "ENTRY", "IN_FLIGHT", "PACKET", "ROUTER", "SLOT", "SWITCH"]

SLOT = np.dtype(
    [
        ("tag", np.int32),  # what has the data: the packet, or a row of `Entrance.flits`
        ("destination", np.int32),
        ("key", np.int16),
        ("distance", np.int16),
        ("wanted", np.int16),  # a mask
        ("rank", np.int16),
        ("epoch", np.int8),
        ("old", np.bool_),
        ("valid", np.bool_),  # on links only; `ROUTER` has it of the others
    ],
    align=True,
)
"""A register of a slot: see `golden.model.deflection.slots.Slots`."""

ROUTER = np.dtype(
    [
        *((name, np.int16) for name in ("arrived", "ranked", "switched")),  # the slots with flits
        ("taking", np.int16),  # the ejection ports that may eject in this cycle
        ("refused", np.bool_),  # see `golden.model.deflection.model.DeflectionModel`; so pending
        ("pending", np.bool_),
        ("ready", np.bool_),  # what is offered goes in
    ],
    align=True,
)
"""A router."""

SWITCH = np.dtype([(name, np.int16) for name in ("a", "b", "first", "second")], align=True)
"""A switch: its slots, and masks of what lies behind each, as `golden.model.deflection.wiring`."""

ENTRY = np.dtype([("productive", np.uint8), ("distance", np.uint8)])
"""What a router knows of a destination."""

PACKET = np.dtype(
    [
        ("time", np.int64),
        ("data", np.int64),
        ("delivered", np.int64),
        ("entered", np.int64),
        ("destination", np.int32),  # the node
        ("number", np.int32),  # what is sent as destination
        ("expected", np.bool_),
    ],
    align=True,
)
"""A packet, as the terminals know it: see `golden.terminal.single_flit`."""

IN_FLIGHT = np.dtype([("data", np.int64), ("tag", np.int32)], align=True)
"""A flit in the routers, of terminals whose packets have several."""

EJECTED = np.dtype([(name, np.int32) for name in ("tag", "node", "port")], align=True)
"""What comes out of a router by an ejection port."""

CLOCK = np.dtype(
    [
        (name, np.int64)
        for name in (
            "now",
            "epoch",  # that of this cycle, as the routers have it
            "count",  # see `golden.model.deflection.model.DeflectionModel`; so the next three
            "ticked",
            "held",
            "hold",
            "waits",  # whether a terminal is pending in this cycle
            "received_flits",
            "outstanding",  # packets that can be delivered and have not been
            "faults",
            "ejected",  # length of the list
            "free",  # length of the list
            "drawn",  # numbers that terminals have drawn in this call
            "overflow",  # 1: a queue of a terminal had no room
        )
    ],
    align=True,
)
"""The scalars of a run."""
