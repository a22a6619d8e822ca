"""The records of AXI4-Stream terminals. A *stream* is node * classes + message class."""

import numpy as np

__all__ = [
    "ARRIVAL",
    "AXI_PACKET",
    "BEAT",
    "BLOCK_QUEUE",
    "CAME",
    "DIRECT_RECEIVER",
    "DIRECT_SENDER",
    "FLOW_RECEIVER",
    "FLOW_SENDER",
    "GRANTED",
    "PACE",
    "PACKET_QUEUE",
    "PLACE",
    "QUEUED",
    "READY",
    "REASSEMBLY",
    "REPLY",
    "REQUESTED",
    "SLOT",
    "USER",
]

AXI_PACKET = np.dtype(
    [
        ("time", np.int64),
        ("salt", np.int64),
        ("header", np.int64),  # the head flit, without flow control
        ("delivered", np.int64),
        ("received", np.int32),
        ("step", np.int32),  # without flow control
        ("source", np.int32),
        ("destination", np.int32),
        ("length", np.int32),
        ("dest", np.int32),  # tdest
        ("pause", np.int32),  # the beat before which its sender falls silent; -1: none
        ("message_class", np.uint8),
        ("known", np.bool_),
        ("marked", np.bool_),
        ("closed", np.bool_),
        ("expected", np.bool_),
    ],
    align=True,
)
"""A packet, as users know it: see `golden.terminal.axi_model`."""

USER = np.dtype(
    [
        ("packet", np.int64),
        ("end", np.int64),
        ("due", np.int64),  # the cycle of the next packet
        ("sends_until", np.int64),
        ("sends_again", np.int64),
        ("reads_until", np.int64),
        ("reads_again", np.int64),
        ("index", np.int32),
        ("silent", np.int32),
        ("tag", np.int32),  # the beat that is taken in this cycle, if one is
        ("beat", np.int32),
        ("taken", np.bool_),
        ("ready", np.bool_),
        ("credited", np.bool_),
        ("offers", np.bool_),
        ("exists", np.bool_),
    ],
    align=True,
)
"""A user: see `golden.terminal.axi_model`."""

CAME = np.dtype(
    [
        ("data", np.int64),
        ("tag", np.int32),
        ("valid", np.bool_),
        ("head", np.bool_),
        ("tail", np.bool_),
    ],
    align=True,
)
"""The flit that comes out in this cycle."""

BEAT = np.dtype(
    [
        ("data", np.int64),
        ("tag", np.int32),
        ("source", np.int32),
        ("last_byte", np.int16),
        ("valid", np.bool_),
        ("ready", np.bool_),
        ("last", np.bool_),
        ("error", np.bool_),
    ],
    align=True,
)
"""A beat that is offered to a user."""

DIRECT_SENDER = np.dtype(
    [
        ("last_grant", np.int64),  # of `SharedPorts`
        ("credits", np.int32),
        ("quiet", np.int32),
        ("refused", np.int32),
        ("expired", np.int32),
        ("tag", np.int32),  # the beat that is held last: -1 before there is one
        ("index", np.int32),
        ("open_tag", np.int32),
        ("held", np.bool_),
        ("opened", np.bool_),
        ("dropping", np.bool_),
        ("drops", np.bool_),
        ("late", np.bool_),
        ("requests", np.bool_),
        ("sent", np.bool_),
    ],
    align=True,
)
"""See `golden.terminal.axi_sender`."""

PACKET_QUEUE = np.dtype(
    [
        ("tag", np.int32),  # the beat at the front
        ("index", np.int32),
        ("used", np.int32),
        ("filled", np.int32),
        ("packets", np.int32),
        ("valid", np.bool_),
        ("dropping", np.bool_),
    ],
    align=True,
)
"""See `golden.terminal.packet_queue`."""

QUEUED = np.dtype(
    [("data", np.int64), ("tag", np.int32), ("head", np.bool_), ("tail", np.bool_)], align=True
)
"""A flit in the queue of a receiver without flow control."""

DIRECT_RECEIVER = np.dtype(
    [
        ("source", np.int32),
        ("read", np.int16),
        ("level", np.int16),
        ("credit", np.bool_),
    ],
    align=True,
)
"""See `golden.terminal.axi_receiver`."""

SLOT = np.dtype(
    [
        ("dest", np.int32),
        ("length", np.int32),
        ("tag", np.int32),  # of the packet whose beats are in it
        ("ready_sequence", np.int32),
        ("ready", np.int8),  # `ready_slots`
        ("used", np.bool_),
        ("request", np.bool_),
    ],
    align=True,
)
"""A slot of `golden.terminal.packet_store`, and what its sender knows of it."""

FLOW_SENDER = np.dtype(
    [
        ("last_grant", np.int64),  # of `SharedPorts`
        ("header", np.int64),
        ("sent_header", np.int64),
        ("step", np.int32),  # of the route that belongs to the header
        ("sent_step", np.int32),
        ("credits", np.int32),
        ("peer", np.int32),
        ("length", np.int32),
        ("sequence", np.int32),
        ("sent_length", np.int32),
        ("sent_sequence", np.int32),
        ("index", np.int32),
        ("refused", np.int32),
        ("expired", np.int32),  # 0
        ("filled", np.int32),  # of `PacketStore`
        ("dest", np.int32),
        ("window_peer", np.int32),  # of `Windows`
        ("outstanding", np.int32),
        ("issued", np.int32),  # `sequence`
        ("late_peer", np.int32),  # the acknowledge that arrived in the cycle before
        ("late_units", np.int32),  # 0: none
        ("write", np.int8),
        ("ask", np.int8),
        ("first_ready", np.int8),
        ("readies", np.int8),
        ("kind", np.int8),
        ("slot", np.int8),
        ("sent_kind", np.int8),
        ("sent_slot", np.int8),
        ("chosen", np.bool_),
        ("asks", np.bool_),
        ("waited", np.bool_),
        ("busy", np.bool_),
        ("in_body", np.bool_),
        ("known", np.bool_),
        ("dropping", np.bool_),
        ("requests", np.bool_),
        ("sent", np.bool_),
        ("reads", np.bool_),
        ("last", np.bool_),
    ],
    align=True,
)
"""See `golden.terminal.flow_sender`."""

BLOCK_QUEUE = np.dtype(
    [("read", np.int32), ("level", np.int32), ("front_valid", np.bool_), ("fetched", np.bool_)],
    align=True,
)
"""See `golden.terminal.queues`; one without block RAM uses the first two."""

ARRIVAL = np.dtype(
    [
        ("data", np.int64),
        ("tag", np.int32),
        ("source", np.int32),
        ("last", np.bool_),
        ("eager", np.bool_),
    ],
    align=True,
)
REQUESTED = np.dtype(
    [("peer", np.int32), ("follows", np.int32), ("length", np.int16), ("slot", np.int8)],
    align=True,
)
REPLY = np.dtype(
    [
        ("peer", np.int32),
        ("base", np.int32),
        ("units", np.int16),
        ("slot", np.int8),
        ("grant", np.bool_),
    ],
    align=True,
)
"""Rows of the queues of a receiver with flow control."""

PLACE = np.dtype(
    [
        ("word", np.int64),
        ("tag", np.int32),
        ("last", np.bool_),
        ("request", np.bool_),
        ("next_round", np.bool_),
    ],
    align=True,
)
READY = np.dtype([("stream", np.int32), ("sequence", np.int32)], align=True)
GRANTED = np.dtype([("source", np.int32), ("follows", np.int32)], align=True)
"""Places and rows of the queues of `golden.terminal.reassembly`."""

REASSEMBLY = np.dtype(
    [
        *((name, PLACE[name]) for name in ("word", "tag", "last", "request", "next_round")),
        ("stream", np.int32),
        ("sequence", np.int32),
        ("base", np.int32),
        ("stored", np.int32),
        ("late_stream", np.int32),
        ("late_sequence", np.int32),
        ("state", np.int8),
        ("fresh", np.bool_),
        ("late", np.bool_),
    ],
    align=True,
)
"""See `golden.terminal.reassembly`; `row` comes first."""

FLOW_RECEIVER = np.dtype(
    [
        ("from_", np.int32),
        ("space", np.int32),
        ("units", np.int32),
        ("sequence", np.int32),
        ("busy", np.int32),
        ("late_source", np.int32),  # the packet that was handed over in the cycle before
        ("late_units", np.int32),  # 0: none
        ("from_eager", np.bool_),
        ("middle", np.bool_),
        ("offered", np.bool_),
        ("rested", np.bool_),
        ("may_invite", np.bool_),
        ("credit", np.bool_),
    ],
    align=True,
)
"""See `golden.terminal.flow_receiver`."""

PACE = np.dtype(
    [
        ("wait", np.int32),
        ("invited", np.int32),
        ("more", np.int32),  # flits that are invited in this cycle
        ("row", np.int32),
        ("arrives", np.bool_),
    ],
    align=True,
)
"""See `golden.terminal.pace`."""
