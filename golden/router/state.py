"""What the model works on: named tuples of arrays.

Arrays of the `State` have the run as their first axis; the functions of a cycle see one run.
"""

from typing import Any, NamedTuple, TypeVar

from fingerpost.golden.arrays import Array

Arrays = TypeVar("Arrays", bound=NamedTuple)


class Config(NamedTuple):
    """What does not change, and is the same in all runs. The first eleven are sizes."""

    nodes: int
    places: int  # of terminals: node * local_ports + local port
    local_ports: int
    ports: int
    channels: int
    classes: int
    per_class: int  # channels of a link that a message class has
    local: int  # the port of the first terminal
    queues: int  # of a router
    terminal_depth: int
    used_queues: int  # of a router that can hold flits: they come first
    header_cycles: int
    routing_register: int
    lanes: int
    batches: int
    yielding: int  # queues of inputs with bypass limits, as a mask
    selection: int  # 0: none; 1: free ports; 2: chance
    header_mask: int
    data_mask: int
    max_errors: int
    max_overruns: int
    promoted: int
    unpromoted: int
    link: Array  # (outputs,)
    vc_increments: Array  # (inputs * ports,)
    next_vc: Array  # (channels,)
    port: Array  # (queues of a router,): that of their input
    siblings: Array  # (queues of a router,): the queues of the same input, as a mask
    depths: Array  # (queues of a router,)
    bypass_limits: Array  # (ports * ports,): by input and output
    steps: Array
    links: Any  # what does not change of links, of a class of `link.state`
    terminal: Any  # what does not change of terminals, of a class of `terminal.state`


class Routers(NamedTuple):
    """The routers, one record for each thing that is looked at at once.

    Channels of terminals are place * classes + message class.
    """

    router: Array
    vc_buffer: Array
    channel: Array
    row: Array
    credits: Array
    """Shape (queues,). The free places in the buffer at the other end of each output channel."""
    input_last_grant: Array
    """Shape (outputs * ports,). The cycle in which each output last granted each input; before the
    start, in their order."""
    lane: Array
    """Shape (channels of terminals,). The lane on which the terminal's packet starts: the next one
    in turn, or, with one class, if that is not free when its head waits, the first that is."""
    tail_passed: Array
    """Shape (outputs,). The queue, within its router, of the packet whose tail the output granted
    in the cycle before, where `router` has a bit in `tails_passed`."""
    errors: Array
    """Shape (nodes,). Malformed packets and flits, as the counter shows them."""
    overruns: Array
    """Shape (nodes,). Flits that the terminal has sent without a credit, which are dropped; all of
    them."""
    truncated: Array
    """Shape (channels of terminals,). Whether the packet that is being sent has lost a flit, and
    has not been given its tail."""
    push_pending: Array
    """Shape (channels of terminals,). The flits of each that have a row and are not yet counted in
    the level."""


class InFlight(NamedTuple):
    """What is between the registers of different nodes: delay lines of (slots, places).

    A line has a slot more than the cycles of its delay, which are those of `Pipeline`.
    """

    flits: Array
    """Shape (slots, inputs), array of FLIT. From the grant over switch and link, `link_cycles`.
    They arrive at the input of a router, or, in the place of the input from a terminal, at this
    terminal."""
    arriving: Array
    """Shape (slots, parts, nodes), array of masks. The ports in whose places there are flits; each
    part of the network sets bits of its own."""
    injection: Array
    """Shape (header_cycles + 1, places), array of FLIT. Header generation, from terminals."""
    credits: Array
    """Shape (slots, parts, nodes), array of masks. The output channels for which a credit arrives,
    after `credit`. Those that terminals return arrive in the same cycle."""
    terminal_credits: Array
    """Shape (slots, places), array of masks. The message classes for which a credit arrives at the
    terminal, after `credit`."""


class State(NamedTuple):
    """All that changes, of all runs. `packets` are those of all runs in one row."""

    clock: Array
    routers: Routers
    in_flight: InFlight
    links: Any  # of a class of `link.state`
    terminals: Any  # of a class of `terminal.state`
    flits: Array
    """Shape (places,). The flits that came out."""
    sent: Array
    """Shape (inputs,). The flits that were on the link to each input, or, in its place, to the
    terminal."""
    fault: Array
    winner: Array
    """Shape (parts, ports). Used within a cycle only, by each part of the network: the queue that
    each output grants."""
    packets: Array


def of_run(state: Arrays, number: int) -> Arrays:
    """Return views of the arrays of one run; `packets`, which come last, are those of all runs."""

    def one(arrays: Any) -> Any:
        return type(arrays)(*map(one, arrays)) if isinstance(arrays, tuple) else arrays[number]

    *of_runs, packets = state
    return state._make([*map(one, of_runs), packets])
