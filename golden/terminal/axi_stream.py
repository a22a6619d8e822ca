"""AXI4-Stream terminals: what goes in and out, and how a network carries it."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from fingerpost.golden.counters import Counter
from fingerpost.golden.header import Layout
from fingerpost.golden.link import Link
from fingerpost.golden.parameters import Parameter, ParameterError
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal.axi_ends import AxiEnds
from fingerpost.golden.terminal.base import Terminal
from fingerpost.golden.terminal.beat import AXI_COUNTERS, AxiLayout
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.carrier import Carrier

__all__ = ["AxiStreamTerminal"]

LONGEST = 1 << 20
"""The longest time-out."""


@dataclass(frozen=True, kw_only=True)
class AxiStreamTerminal(Terminal):
    """AXI4-Stream both ways: the number of a node in, packets out.

    An interface at every terminal makes of each packet a head flit of its own, with the header
    and the number of the source, and a flit for each beat, with the mark of `AxiLayout.body`
    below its data: so flits are wider than `router.flit_width`, which is the width of tdata.

    Attributes
    ----------
    timeout : int
        Cycles without a beat after which a packet that has begun is closed; 0: never.
    clock : str, optional
        ``own``: every terminal has a clock of its own, where terminals have ports of their own.

    Raises
    ------
    ParameterError
        If there can be no such time-out or clock.
    """

    kind: ClassVar[str] = "axi-stream"
    around: ClassVar[bool] = True
    cycles: ClassVar[int] = 3  # the register for a beat, the head, the queue
    counters: ClassVar[tuple[Counter, ...]] = AXI_COUNTERS
    unit: ClassVar[str] = "beats"

    timeout: Annotated[
        int,
        Parameter(
            "Cycles in which a terminal offers no beat of a packet it has begun, after which the "
            "packet is closed with an error mark; 0: never.",
            minimum=0,
            maximum=LONGEST,
        ),
    ] = 0
    clock: Annotated[
        Literal["own"] | None,
        Parameter(
            "own: in the module with ports of their own for every terminal, each of them has a "
            "clock of its own; by default all have the network's.",
            "own",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.clock not in {None, "own"}:
            raise ParameterError("clock", f"AXI4-Stream needs clock own, not {self.clock!r}")
        if not 0 <= self.timeout <= LONGEST:
            raise ParameterError(
                "timeout", f"AXI4-Stream needs a timeout in 0..{LONGEST}, not {self.timeout}"
            )

    def describe(self) -> dict[str, Any]:
        """Return the kind and the parameters as plain data; the clock if it is another."""
        return {key: value for key, value in super().describe().items() if value is not None}

    def flit_width(self, data_width: int, routing: Routing, link: Link) -> int:
        """Return the bits of a flit: those of tdata, of its mark, and of the link's status.

        Raises
        ------
        ParameterError
            If tdata would not be whole bytes, or a head flit has no room.
        """
        return AxiLayout.flit_width("AXI4-Stream", data_width, routing, link)

    def one_class(self, *, counted: bool) -> str:
        """Return what a pair of streams for each message class does not go with."""
        if self.clock:
            return "terminals have clocks of their own"
        return "counters count the beats of AXI4-Stream terminals" if counted else ""

    def streams(self, network: Carrier) -> int:
        """Return the pairs of streams of each node: one for each message class."""
        return network.classes

    def given(self, network: Carrier) -> Layout:
        """Return what the user drives."""
        layout = AxiLayout.of(network)
        keep = {"keep": (layout.bytes, "s_axis_tkeep")} if layout.bytes > 1 else {}
        return Layout.sequence(
            valid=(1, "s_axis_tvalid"),
            last=(1, "s_axis_tlast"),
            **keep,
            dest=(layout.number, "s_axis_tdest"),
            error=(1, "s_axis_tuser"),
            ready=(1, "m_axis_tready"),
            data=(layout.data_width, "s_axis_tdata"),
        )

    def seen(self, network: Carrier) -> Layout:
        """Return what the user sees."""
        layout = AxiLayout.of(network)
        keep = {"keep": (layout.bytes, "m_axis_tkeep")} if layout.bytes > 1 else {}
        counters = {counter.name: (counter.width, counter.meaning) for counter in AXI_COUNTERS}
        return Layout.sequence(
            valid=(1, "m_axis_tvalid"),
            last=(1, "m_axis_tlast"),
            **keep,
            user=(layout.number + 1, "m_axis_tuser: the source above the error mark"),
            ready=(1, "s_axis_tready"),
            **counters,
            data=(layout.data_width, "m_axis_tdata"),
        )

    @property
    def payload(self) -> tuple[str, ...]:
        """Return what means nothing without tvalid."""
        return "last", "keep", "user", "data"

    def ends(self, traffic: Traffic, **options: Any) -> AxiEnds:
        """Return what sends the packets of `traffic` and takes those that come.

        Options are those of `AxiEnds`.
        """
        return AxiEnds(traffic, timeout=self.timeout, **options)
