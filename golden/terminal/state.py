"""What the terminals of the compiled model work on: named tuples, by the kind of terminal.

`config` is what does not change. Arrays of a state have the run as their first axis.
"""

from typing import Any, NamedTuple, Protocol

from fingerpost.golden.arrays import Array


class AnyConfig(Protocol):
    """What terminals know of what does not change, whatever the routers are."""

    @property
    def nodes(self) -> int:
        """Return the nodes."""

    @property
    def places(self) -> int:
        """Return for how many terminals there are numbers."""

    @property
    def classes(self) -> int:
        """Return the message classes."""

    @property
    def terminal(self) -> Any:
        """Return what does not change of terminals."""


class AnyState(Protocol):
    """What terminals know of what changes, whatever the routers are."""

    @property
    def clock(self) -> Array:
        """Return the scalars of a run."""

    @property
    def flits(self) -> Array:
        """Return the flits that came out, by node."""

    @property
    def terminals(self) -> Any:
        """Return what changes of terminals."""

    @property
    def fault(self) -> Array:
        """Return what was out of place."""

    @property
    def packets(self) -> Array:
        """Return the packets of all runs."""


class FlitFields(NamedTuple):
    """Where the fields of a packet are in its flits."""

    bytes: int
    data_offset: int
    data_mask: int
    last_byte_offset: int
    last_byte_mask: int  # 0 if there is one byte
    source_offset: int
    source_mask: int
    status: int  # of the link in a tail, as a mask: not 0 if the packet is bad


class Axi4Config(NamedTuple):
    """Managers and subordinates, with what is connected to them."""

    responses: int  # see `TRANSACTION`
    request_beats: int
    parts: int  # beats of the network that a beat of data has
    outstanding: int
    rows: int
    most: int  # reads, and writes, that a manager has in flight at most
    memory_cycles: int
    lite: Array  # (places,), array of bool: both sides are AXI4-Lite


class Axi4State(NamedTuple):
    """Managers and subordinates."""

    reads: Array
    writes: Array
    queue: Array
    response: Array
    subordinate: Array
    """Shape (places,), arrays of records. `queue` is of writes."""
    merge: Array
    """Shape (streams,), array of records."""
    accesses: Array
    """Shape (streams * outstanding,), array of records. Reads of a terminal, then its writes."""


class DirectConfig(NamedTuple):
    """AXI4-Stream terminals without flow control."""

    fields: FlitFields
    timeout: int
    max_refused: int
    max_expired: int
    depth: int  # of receivers
    store: int  # rows of the queue of complete packets; 0 without
    sides: Any = ()  # `Axi4Config`


class DirectState(NamedTuple):
    """AXI4-Stream terminals without flow control, by stream."""

    user: Array
    came: Array
    beat: Array
    sender: Array
    store: Array
    receiver: Array
    """Shape (streams,), arrays of records."""
    queue: Array
    """Shape (streams * depth,), array of records. Flits that wait in receivers."""
    sides: Any = ()  # `Axi4State`


class FlowConfig(NamedTuple):
    """AXI4-Stream terminals with flow control: fields of flits, `FlowControl`, and routes.

    The routes of a terminal are to the peers `pair_peer` from its `pair_first` on, ascending.
    """

    fields: FlitFields
    timeout: int
    max_refused: int
    kind_offset: int
    kind_mask: int
    slot_offset: int
    slot_mask: int
    length_offset: int
    length_mask: int
    sequence_offset: int
    sequence_mask: int  # 0 where the network keeps the order
    last_offset: int  # where packets have one flit
    mark: int  # bits below a beat where packets have one flit, else 0
    header: int  # bits below that
    single: bool
    windows: int  # of a stream: more than peers
    units_mask: int
    peers: int
    eager: int
    packet_limit: int
    window: int
    batch: int
    withheld: int
    busy: int
    full: int
    clearing: int
    receive: int
    ordered: bool
    arrivals: int
    requests: int
    rows: int
    space: int
    granted_place: int
    places: int
    grants: int
    pair_first: Array  # (places + 1,)
    pair_peer: Array
    pair_header: Array
    pair_step: Array
    sides: Any = ()  # `Axi4Config`


class FlowState(NamedTuple):
    """AXI4-Stream terminals with flow control, by stream."""

    user: Array
    came: Array
    arrived: Array
    beat: Array
    sender: Array
    receiver: Array
    """Shape (streams,), arrays of records."""
    slots: Array
    """Shape (streams * SLOTS,), array of records. Of senders. The beats in a slot are those of its
    packet, from the first one on."""
    counts: Array
    issued: Array
    """Shape (streams * windows,), arrays of int8. Units outstanding, and all that were ever issued:
    windows of senders."""
    withheld: Array
    """Shape (streams * peers,), array of int8."""
    pace: Array
    """Shape (places,), array of records."""
    replies: Array
    """Shape (streams,), array of records. Queues of answers."""
    reply_rows: Array
    """Shape (streams * depth,), array of records."""
    arrivals: Array
    requests: Array
    reassembly: Array
    ready: Array
    granted: Array
    """Shape (streams,), arrays of records. What receivers keep; the first where the network keeps
    the order of packets, the last three where it does not."""
    arrival_rows: Array
    request_rows: Array
    ready_rows: Array
    granted_rows: Array
    """Shape (streams * depth,), arrays of records. Rows of those queues; none of those that are not
    used."""
    places: Array
    """Shape (streams * places,), array of records."""
    heads: Array
    """Shape (streams * (peers + 1), ,) array. Of `reassembly`."""
    sides: Any = ()  # `Axi4State`


class OsLinkConfig(NamedTuple):
    """OS-Link terminals: their ports, and those of programs; fields of flits; messages.

    `known` has the numbers that terminals have, of all that a field can name.
    """

    fields: FlitFields
    port: Any  # `PortConfig`
    timeout: int  # clocks
    longest: int
    deaf: int  # clocks for which a program takes nothing
    pause: int  # clocks of a pause at most
    number: int  # bits of the number of a node
    depth: int
    coming: int  # rows of the queue of messages on their way from a terminal to its program
    known: Array


class OsLinkState(NamedTuple):
    """OS-Link terminals; `ports` and `programs` are the ports of both.

    Attributes
    ----------
    program, messages, sender, came, beat, receiver, answers : (places,) arrays of records
    queue : (places * depth,) array of records
        Flits that wait in receivers.
    coming : (places,) array of records
    coming_row : (places * depth,) array of records
        The messages on their way from a terminal to its program.
    """

    ports: Any  # `Ports`
    programs: Any
    program: Array
    messages: Array
    sender: Array
    came: Array
    beat: Array
    receiver: Array
    queue: Array
    answers: Array
    coming: Array
    coming_row: Array


class OsLinkRecording(NamedTuple):
    """What is on the wires of OS-Link terminals, and what they count: (cycles, places) each.

    `columns` are the fields of `Terminal.given`, and of `seen`.
    """

    given_wire: Array
    wire: Array
    refused: Array
    expired: Array
    lost: Array
    flaws: Array

    def columns(self, config: AnyConfig) -> tuple[dict[str, Array], dict[str, Array]]:
        seen = self._asdict()
        return {"wire": seen.pop("given_wire")}, seen


class AxiRecording(NamedTuple):
    """What AXI4-Stream users drive, and see: (cycles, streams) each, 0 where it means nothing.

    `columns` are the fields of `Terminal.given`, and of `seen`.
    """

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

    def columns(self, config: AnyConfig) -> tuple[dict[str, Array], dict[str, Array]]:
        seen = self._asdict()
        names = [name for name in seen if name.startswith("given_")]
        given = {name.removeprefix("given_"): seen.pop(name) for name in names}
        if config.terminal.fields.bytes == 1:
            del given["last_byte"], seen["last_byte"]
            return given, seen
        for columns in (given, seen):
            columns["keep"] = (2 << columns.pop("last_byte")) - 1
        seen["keep"][seen["valid"] == 0] = 0
        return given, seen
