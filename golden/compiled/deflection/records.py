"""The records of which the arrays of the compiled deflection routers are made.

A mask has a bit for each slot of a router, or for each of its ejection ports.
"""

import numpy as np

from fingerpost.golden.compiled.records import record

SLOT = record(
    int32="tag destination", int16="key distance wanted rank", int8="epoch", bool="old valid"
)
"""A register of a slot: see `golden.model.deflection.model.Slots`.

`tag` is what has the data: the packet, or a row of `Entrance.flits`; `wanted` is a mask; `valid` is
used on links only, as `ROUTER` has it of the others.
"""

ROUTER = record(int16="arrived ranked switched taking", bool="refused pending ready")
"""A router: see `golden.model.deflection.model.DeflectionModel`.

The first three are the slots with flits, `taking` the ejection ports that may eject in this cycle;
`ready`: what is offered goes in.
"""

SWITCH = record(int16="a b first second")
"""A switch: its slots, and masks of what lies behind each, as `golden.model.deflection.wiring`."""

ENTRY = np.dtype([("productive", np.uint8), ("distance", np.uint8)])
"""What a router knows of a destination."""

PACKET = record(int64="time data delivered entered", int32="destination number", bool="expected")
"""A packet, as the terminals know it: see `golden.terminal.single_flit`.

`destination` is the node, `number` what is sent as destination.
"""

IN_FLIGHT = record(int64="data", int32="tag")
"""A flit in the routers, of terminals whose packets have several."""

EJECTED = record(int32="tag node port")
"""What comes out of a router by an ejection port."""

CLOCK = record(
    int64="now epoch count ticked held hold waits received_flits outstanding faults ejected free "
    "drawn overflow"
)
"""The scalars of a run.

`epoch` is that of this cycle, as the routers have it; `count`, `ticked`, `held` and `hold` are of
`golden.model.deflection.model.DeflectionModel`. `waits`: a terminal is pending in this cycle.
`outstanding` packets can be delivered and have not been. `ejected` and `free` are the lengths of
these lists, `drawn` the numbers that terminals have drawn in this call. `overflow` is 1 if a queue
of a terminal had no room.
"""
