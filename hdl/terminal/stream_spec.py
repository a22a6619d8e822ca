"""What the AXI4-Stream interfaces of a network are like: what hardware, text and words all ask."""

from functools import cached_property, lru_cache

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import AxiStreamTerminal
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.golden.terminal.flow_layout import FlowControl, FlowLayout
from fingerpost.hdl.terminal.around import alike


class StreamSpec:
    """The interfaces of a network, of terminals that are AXI4-Stream, or that make use of it.

    Attributes
    ----------
    layout : AxiLayout
        The layouts of flits.
    flow : FlowControl, optional
        The end-to-end flow control, if there is one.
    store : int
        Beats of the queue in which packets wait until they are complete, or 0.
    timeout : int
        Cycles after which a packet that waits is closed; 0: never.
    crosses : bool
        Whether terminals have clocks of their own.
    longest : int, optional
        Beats of the longest packet that a user can send; None: there is no limit.
    classes, endpoints : int
        Message classes, each with a stream each way; and users that share a terminal.
    numbers : list of int
        The numbers by which users address the endpoints of all terminals.
    """

    def __init__(self, network: AnyNetwork) -> None:
        self.network, terminal = network, network.terminal
        self.flow: FlowControl | None = None
        self.store, self.timeout, self.crosses = 0, 0, False
        if isinstance(terminal, AxiStreamTerminal):
            self.flow = terminal.flow(network)
            self.store, self.timeout = terminal.store, terminal.timeout
            self.crosses = terminal.clock is not None
        self.layout: AxiLayout = (
            FlowLayout.controlled(network, self.flow) if self.flow else AxiLayout.of(network)
        )
        self.longest, self.classes = terminal.longest, network.classes
        self.endpoints = terminal.endpoints
        self.numbers = terminal.numbers(network.topology.terminals)

    @property
    def streams(self) -> int:
        """Return the streams of all nodes, each way."""
        return self.network.topology.nodes * self.classes

    @property
    def asks(self) -> bool:
        """Return whether an interface asks the table for the header of a number it has kept."""
        return self.flow is not None or self.store > 0

    @cached_property
    def alike(self) -> bool:
        """Return whether all terminals look up the same headers."""
        return alike(self.network)


@lru_cache(maxsize=2)
def stream_spec(network: AnyNetwork) -> StreamSpec:
    """Return what the interfaces of a network are like."""
    return StreamSpec(network)
