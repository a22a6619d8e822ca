"""What the compiled deflection routers work on: named tuples of arrays.

Arrays of the `State` have the run as their first axis; the compiled functions see one run.
"""

from typing import Any, NamedTuple

from numpy.typing import NDArray

Array = NDArray[Any]


class Config(NamedTuple):
    """What does not change, and is the same in all runs.

    A destination of `terminals` or more does not exist. `switch` has the switches of the first
    cycle of routers with l links from `part[l, 0]` to `part[l, 1]`, those of the second from there
    to `part[l, 2]`; with `hop_cycles` 3 all are in the first.
    """

    nodes: int
    classes: int  # 1
    ports: int
    local: int
    hop_cycles: int
    ejections: int
    destinations: int  # entries of a table
    most_key: int
    epoch: int  # the bit of the counter
    wait_limit: int  # -1: none
    max_errors: int
    directed: bool
    base: Array  # (nodes + 1,): the first slot of each
    source: Array  # (slots,): the slot whose link ends in it
    port_index: Array  # (slots,): the output whose link it is
    enters: Array  # (nodes,): the slots into which the terminal injects, as a mask
    ejects: Array  # (nodes, ejections): the slots of each ejection port, as masks
    part: Array
    switch: Array
    table: Array  # (nodes * destinations,)
    terminal: Any  # `SingleConfig`, or `FlowConfig` of `golden.compiled.terminal.state`


class Routers(NamedTuple):
    """The registers of the routers, as in `golden.model.deflection.model.DeflectionModel`.

    Attributes
    ----------
    router : (nodes,) array of ROUTER
    links : (2, slots) array of SLOT
        Those of cycle t at t modulo 2.
    arrived, ranked, switched : (slots,) arrays of SLOT
    ejected : (nodes * ejections,) array of EJECTED
        A list: what comes out in this cycle.
    errors : (nodes,)
    waits : (hold_stages,)
        Whether a terminal was pending, in turns.
    place : (slots of a router,)
        Used within a phase only.
    """

    router: Array
    links: Array
    arrived: Array
    ranked: Array
    switched: Array
    ejected: Array
    errors: Array
    waits: Array
    place: Array


class SingleConfig(NamedTuple):
    """Terminals of packets of one flit: how many there are. Others do not exist."""

    terminals: int


class SingleState(NamedTuple):
    """Those terminals, as `golden.terminal.single_flit.SingleFlitTerminalModel`.

    Attributes
    ----------
    packet, end : (nodes,)
        The next packet of each, and the one behind its last.
    due : (nodes,)
        The cycle of the next packet.
    held : (nodes * ejections,)
        The packet that came out last by each port, -1: none.
    flits : (nodes,)
        The flits that came out.
    sent : (outputs,)
        The flits that were on the link of each output.
    """

    packet: Array
    end: Array
    due: Array
    held: Array
    flits: Array
    sent: Array


class Entrance(NamedTuple):
    """Between AXI4-Stream terminals and routers.

    Attributes
    ----------
    queue : (nodes,) array of records
        Of flits that wait for a place.
    rows : (nodes * terminal_depth,) array of records
    entered : (nodes,) array of bool
        Whether the front of the queue goes in in this cycle.
    flits : (most flits,) array of records
        Those in the routers.
    free : (most flits,)
        A list: rows of `flits` that are not in use.
    """

    queue: Array
    rows: Array
    entered: Array
    flits: Array
    free: Array


class State(NamedTuple):
    """All that changes, of all runs. `packets` are those of all runs in one row."""

    clock: Array
    routers: Routers
    terminals: Any  # `SingleState`, or `FlowState` of `golden.compiled.terminal.state`
    entrance: Any  # `Entrance`, or nothing
    fault: Array
    packets: Array


class SingleRecording(NamedTuple):
    """What terminals of packets of one flit give and see: as in `Recording`.

    The data that comes out is (cycles, nodes * ejections).
    """

    given_valid: Array
    given_destination: Array
    given_data: Array
    eject_ready: Array
    ready: Array
    out_valid: Array
    out_data: Array


class Recording(NamedTuple):
    """What goes in and comes out, cycle by cycle: fields of `given`, `links` and `terminals`.

    `golden.compiled.base.Record` has them by name. All are (cycles, nodes), those of links
    (cycles, nodes * ports).
    """

    valid: Array
    epoch: Array
    key: Array
    destination: Array
    data: Array
    errors: Array
    terminal: Any  # `SingleRecording`, or `AxiRecording` of `golden.compiled.terminal.state`
