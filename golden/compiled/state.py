"""What the compiled model works on: named tuples of arrays, with the names of the reference model.

Arrays of the `State` have the run as their first axis; the compiled functions see one run.
"""

from typing import Any, NamedTuple, TypeVar

from numpy.typing import NDArray

from fingerpost.golden.compiled.delay_line import DelayLine

__all__ = ["Config", "InFlight", "Routers", "State", "of_run"]

Array = NDArray[Any]

Arrays = TypeVar("Arrays", bound=NamedTuple)


class Config(NamedTuple):
    """What does not change, and is the same in all runs. The first ten are sizes."""

    nodes: int
    ports: int
    channels: int
    classes: int
    per_class: int  # channels of a link that a message class has
    local: int
    queues: int  # of a router
    terminal_depth: int
    rows: int  # of a router
    used_queues: int  # of a router that can hold flits: they come first
    header_cycles: int
    routing_register: int
    lanes: int
    has_bypass_limits: bool
    selection: int  # 0: none; 1: free ports; 2: chance
    header_mask: int
    data_mask: int
    max_errors: int
    max_overruns: int
    promoted: int
    unpromoted: int
    link_dst: Array  # (outputs,): the input at the end of the link
    dst_node: Array  # (outputs,): the node at the end of the link, -1: the terminal
    credit_dst: Array  # (queues,): the channel to which a credit goes, or ~ that of a terminal
    vc_increments: Array  # (inputs * ports,)
    next_vc: Array  # (channels,)
    port: Array  # (queues of a router,): that of their input
    siblings: Array  # (queues of a router,): the queues of the same input, as a mask
    depths: Array  # (queues of a router,)
    bypass_limits: Array  # (ports * ports,): by input and output
    steps: Array
    terminal: Any  # what does not change of terminals, of a class of `terminal.state`


class Routers(NamedTuple):
    """The routers, one record for each thing that is looked at at once.

    Channels of terminals are node * classes + message class.

    Attributes
    ----------
    router, vc_buffer, channel, row, route : arrays of records
    queue_last_grant, input_last_grant : (queues,), (outputs * ports,)
    lane : (channels of terminals,)
        As those of `fingerpost.golden.model.allocation.Allocation`.
    passed, tail_passed : (queues,), (outputs,)
        As those of `fingerpost.golden.model.bypass_limit.BypassLimit`.
    errors : (nodes,)
        As that of `fingerpost.golden.model.Model`.
    overruns, truncated : (nodes,), (channels of terminals,)
        `count` and `truncated` of `fingerpost.golden.model.overrun_guard.OverrunGuard`.
    push_pending : (channels of terminals,)
        The flits of each that have a row and are not yet counted in the level.
    """

    router: Array
    vc_buffer: Array
    channel: Array
    row: Array
    route: Array
    queue_last_grant: Array
    input_last_grant: Array
    lane: Array
    passed: Array
    tail_passed: Array
    errors: Array
    overruns: Array
    truncated: Array
    push_pending: Array


class InFlight(NamedTuple):
    """What is between the registers of different nodes, by the cycle in which it arrives.

    Attributes
    ----------
    flits : DelayLine
        Switch traversal and links, to routers and terminals: 2 cycles.
    injection : DelayLine
        Header generation, from terminals: `header_cycles`.
    pushes : DelayLine
        The register behind the routing unit, if there is one.
    credits : DelayLine
        The queues that return a credit: 1 cycle.
    new_errors : (inputs,)
        The nodes that have seen a malformed flit in this cycle.
    """

    flits: DelayLine
    injection: DelayLine
    pushes: DelayLine
    credits: DelayLine
    new_errors: Array


class State(NamedTuple):
    """All that changes, of all runs. `packets` are those of all runs in one row.

    `winner` is used within a cycle only: the queue that each output grants.
    """

    clock: Array
    routers: Routers
    in_flight: InFlight
    terminals: Any  # of a class of `terminal.state`
    fault: Array
    winner: Array
    packets: Array


def of_run(state: Arrays, number: int) -> Arrays:
    """Return views of the arrays of one run; `packets`, which come last, are those of all runs."""

    def one(arrays: Any) -> Any:
        return type(arrays)(*map(one, arrays)) if isinstance(arrays, tuple) else arrays[number]

    *of_runs, packets = state
    return state._make([*map(one, of_runs), packets])
