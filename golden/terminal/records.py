"""The records of AXI4-Stream terminals. A *stream* is node * classes + message class."""

from fingerpost.golden.router.records import record

AXI_PACKET = record(
    int64="time salt header delivered",
    int32="received step source destination length dest pause",
    uint8="message_class",
    bool="known marked closed expected",
)
"""A packet, as users know it: see `golden.terminal.axi_users`.

`header` is the head flit, and `step` that of its route, both without flow control. `dest` is tdest.
`pause` is the beat before which its sender falls silent, or -1.
"""

USER = record(
    int64="packet end due sends_until sends_again reads_until reads_again",
    int32="index silent tag beat",
    bool="taken ready credited offers exists",
)
"""A user: see `golden.terminal.axi_users`.

`due` is the cycle of the next packet; `tag` and `beat` are of the beat that is taken in this cycle,
if one is.
"""

ARRIVED = record(
    int64="word",
    int32="from_ source sequence granted_sequence tag length acked_units",
    int8="slot granted_slot",
    bool="body request eager last",
)
"""What a receiver with flow control reads in the flit of this cycle, and for whom that is.

For its sender an acknowledge `from_` a peer, of `acked_units`, 0: none, or a grant of
`granted_slot`, -1: none, from `granted_sequence` on. For itself a beat, if there is a `body`, or a
`request`.
"""

CAME = record(int64="data", int32="tag", bool="valid head tail")
"""The flit that comes out in this cycle."""

BEAT = record(int64="data", int32="tag source", int16="last_byte", bool="valid ready last error")
"""A beat that is offered to a user."""

DIRECT_SENDER = record(
    int64="last_grant",
    int32="credits quiet refused expired tag index open_tag",
    bool="held opened dropping drops late requests sent",
)
"""See `golden.terminal.axi_sender`.

`last_grant` is the cycle in which it was granted the port that the senders of a node share; `tag`
is of the beat that is held last, -1 before there is one.
"""

PACKET_QUEUE = record(int32="tag index used filled packets", bool="valid dropping")
"""See `golden.terminal.packet_queue`; `tag` and `index` are of the beat at the front."""

MERGE = record(bool="held owner chosen valid")
"""See `golden.terminal.packet_queue`; the last two are of this cycle. True: the second stream."""

TRANSACTION = record(
    int64="time salt header delivered accepted",
    int32="received step source destination length dest pause beats",
    uint8="message_class",
    bool="known marked closed expected write complete",
)
"""The request of a transaction, or its response: an `AXI_PACKET`, and more.

`beats` are those of data, `length` those of the packet. Of a request `accepted` is the cycle in
which its address is, `delivered` that in which its last beat of R or its B is offered, and its
response is `complete` when all of it has arrived. The response of packet p is p + `responses`.
"""

READS = record(
    int32="issued head end in_flight beat reserved arriving arrived fetched",
    bool="held ready valid last",
)
"""See `golden.terminal.axi4_manager`. `issued`, `head` and `end` are packets: the next to be
issued, the oldest in flight, and behind the last. One is `held`, and may be `ready` to be sent;
`valid` and `last` are of channel R."""

WRITES = record(int32="issued head end in_flight beat", bool="held ready valid")
"""See `golden.terminal.axi4_manager`; `valid` is of channel B."""

RESPONSE = record(int32="packet", bool="valid last high")
"""The response that came in the cycle before; `high`: the next part of a beat is its upper half."""

SUBORDINATE = record(int64="answers", int32="count read reads write writes sent left", bool="data")
"""See `golden.terminal.axi4_subordinate`. `read` and `write` are where its queues begin, `reads`
and `writes` their levels; `sent` are beats of the response to the oldest read, `left` the cycles in
which addresses are offered; the oldest write is not answered before `answers`."""

ACCESS = record(int64="due", int32="packet")
"""A row of these queues: a request, and the cycle from which memory answers it."""

QUEUED = record(int64="data", int32="tag", bool="head tail")
"""A flit in the queue of a receiver without flow control."""

DIRECT_RECEIVER = record(int32="source", int16="read level", bool="credit")
"""See `golden.terminal.axi_interface`."""

SLOT = record(int32="dest length tag ready_sequence", int8="ready", bool="used request")
"""A slot of the store of `golden.terminal.flow_sender`, and what its sender knows of it.

`tag` is of the packet whose beats are in it; `ready` is of `ready_slots`.
"""

FLOW_SENDER = record(
    int64="last_grant header sent_header",
    int32="step sent_step credits peer length sequence sent_length sent_sequence index refused "
    "expired filled dest window_peer outstanding issued late_peer late_units",
    int8="write ask first_ready readies kind slot sent_kind sent_slot",
    bool="chosen asks waited busy in_body known dropping requests sent reads last",
)
"""See `golden.terminal.flow_sender`.

`last_grant` is that of `DIRECT_SENDER`; `filled` is of the store of packets; `window_peer`,
`outstanding` and `issued`, the sequence number of the next unit, are of the windows. `step` is that
of the route that belongs to the header. `late_peer` and `late_units` are the acknowledge that
arrived in the cycle before; 0 units: none. `expired` is 0.
"""

MESSAGE_PACKET = record(
    int64="time salt header delivered",
    int32="step source destination length dest size stop_at deaf_at",
    uint8="message_class",
    bool="stalls closed cut expected",
)
"""A packet, as programs know it: see `golden.terminal.programs`.

`header` is the head flit; `dest` and `size` are what the message names, and its bytes of data.
After `stop_at` bytes its program falls silent, if that is not 0; if it `stalls`, its receiver does
before byte `deaf_at` + 1.
"""

COMING = record(int32="tag")
"""A message on its way from a terminal to its program."""

BLOCK_QUEUE = record(int32="read level", bool="front_valid fetched")
"""See `golden.terminal.queues`; one without block RAM uses the first two."""

ARRIVAL = record(int64="data", int32="tag source", bool="last eager")
REQUESTED = record(int32="peer follows", int16="length", int8="slot")
REPLY = record(int32="peer base", int16="units", int8="slot", bool="grant")
"""Rows of the queues of a receiver with flow control."""

PLACE = record(int64="word", int32="tag", bool="last request next_round")
READY = record(int32="stream sequence")
GRANTED = record(int32="source follows")
"""Places and rows of the queues of `golden.terminal.reassembly`."""

REASSEMBLY = record(
    int64="word",
    int32="tag stream sequence base stored late_stream late_sequence",
    int8="state",
    bool="last request next_round fresh late",
)
"""See `golden.terminal.reassembly`; its `row` has the fields of a place."""

FLOW_RECEIVER = record(
    int32="from_ space units sequence busy late_source late_units",
    bool="from_eager middle offered rested may_invite credit eager",
)
"""See `golden.terminal.flow_receiver`; `eager`: the beat at the front is from a window.

`late_source` and `late_units` are of the packet that was handed over in the cycle before; 0 units:
none.
"""

PACE = record(int32="wait invited more row", bool="arrives")
"""See `golden.terminal.flow_receiver`; `more` are the flits that are invited in this cycle."""
