"""What the terminals of the compiled model work on: named tuples, by the kind of terminal.

`config` is what does not change. Arrays of a state have the run as their first axis.
"""

from typing import Any, NamedTuple

from numpy.typing import NDArray

__all__ = [
    "AxiRecording",
    "CreditConfig",
    "CreditState",
    "DirectConfig",
    "DirectState",
    "FlowConfig",
    "FlowState",
]

Array = NDArray[Any]


class CreditConfig(NamedTuple):
    """Terminals of kind credit."""

    status: int


class CreditState(NamedTuple):
    """The terminals, as `fingerpost.golden.terminal.CreditTerminalModel`.

    Attributes
    ----------
    packet, end, credits, backlog : (channels of terminals,)
        As those of `CreditTerminalModel`.
    turn : (nodes,)
        As that of `CreditTerminalModel`.
    due : (channels of terminals,)
        The cycle of the next packet.
    next_flit : (channels of terminals,)
        `index` of `CreditTerminalModel`.
    back : (channels of terminals,)
        A list: those that return a credit in this cycle.
    flits : (nodes,)
        The flits that came out.
    sent : (outputs,)
        The flits that were on the link of each output.
    """

    packet: Array
    end: Array
    turn: Array
    due: Array
    next_flit: Array
    credits: Array
    backlog: Array
    back: Array
    flits: Array
    sent: Array


class DirectConfig(NamedTuple):
    """AXI4-Stream terminals without flow control: fields of flits, and the depth of queues."""

    timeout: int
    bytes: int
    data_offset: int
    data_mask: int
    last_byte_offset: int
    last_byte_mask: int  # 0 if there is one byte
    source_offset: int
    source_mask: int
    max_refused: int
    max_expired: int
    depth: int


class DirectState(NamedTuple):
    """AXI4-Stream terminals without flow control, by stream.

    Attributes
    ----------
    user, came, beat, sender, receiver : (streams,) arrays of records
    queue : (streams * depth,) array of records
        Flits that wait in receivers.
    back, flits, sent
        As those of `CreditState`.
    """

    user: Array
    came: Array
    beat: Array
    sender: Array
    receiver: Array
    queue: Array
    back: Array
    flits: Array
    sent: Array


class FlowConfig(NamedTuple):
    """AXI4-Stream terminals with flow control: fields of flits, `FlowControl`, and routes.

    The routes of a node are to the peers `pair_peer` from its `pair_first` on, in ascending order.
    """

    timeout: int
    bytes: int
    data_offset: int
    data_mask: int
    last_byte_offset: int
    last_byte_mask: int
    source_offset: int
    source_mask: int
    max_refused: int
    kind_offset: int
    kind_mask: int
    slot_offset: int
    slot_mask: int
    length_offset: int
    length_mask: int
    peers: int
    windows: int  # of a stream: more than peers
    eager: int
    packet_limit: int
    window: int
    batch: int
    withheld: int
    busy: int
    full: int
    arrivals: int
    requests: int
    receive: int
    pair_first: Array  # (nodes + 1,)
    pair_peer: Array
    pair_header: Array
    pair_step: Array


class FlowState(NamedTuple):
    """AXI4-Stream terminals with flow control, by stream.

    Attributes
    ----------
    user, came, beat, sender, receiver : (streams,) arrays of records
    slots : (streams * SLOTS,) array of records
        Of senders. The beats in a slot are those of its packet, from the first one on.
    counts : (streams * windows,) array of int8
        Units outstanding, of `Windows`.
    withheld : (streams * peers,) array of int8
    pace : (nodes,) array of records
    arrivals, requests, replies : (streams,) arrays of records
        Queues of receivers.
    arrival_rows, request_rows, reply_rows : (streams * depth,) arrays of records
    back, flits, sent
        As those of `CreditState`.
    """

    user: Array
    came: Array
    beat: Array
    sender: Array
    receiver: Array
    slots: Array
    counts: Array
    withheld: Array
    pace: Array
    arrivals: Array
    requests: Array
    replies: Array
    arrival_rows: Array
    request_rows: Array
    reply_rows: Array
    back: Array
    flits: Array
    sent: Array


class AxiRecording(NamedTuple):
    """What AXI4-Stream users drive, and see: (cycles, streams) each, 0 where it means nothing."""

    given_valid: Array
    given_last: Array
    given_last_byte: Array
    given_dest: Array
    given_error: Array
    given_ready: Array
    given_data: Array
    valid: Array
    last: Array
    last_byte: Array
    user: Array
    ready: Array
    refused: Array
    expired: Array
    data: Array
