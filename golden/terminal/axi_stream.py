"""AXI4-Stream terminals: what goes in and out, and how a network carries it."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from fingerpost.golden.counters import Counter
from fingerpost.golden.header import Layout
from fingerpost.golden.link import Link
from fingerpost.golden.parameters import (
    Parameter,
    ParameterError,
    check_choices,
    check_limits,
    either,
)
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal.base import Terminal
from fingerpost.golden.terminal.beat import AXI_COUNTERS, ENDPOINTS, NUMBER, AxiLayout, whole_bytes
from fingerpost.golden.terminal.flow_layout import LARGEST_EAGER, FlowControl, FlowLayout
from fingerpost.golden.traffic.carrier import Carrier

LONGEST = 1 << 20
"""The longest time-out."""

LARGEST_LIMIT, LARGEST_RECEIVE = 1024, 1 << 14

LEAST_STORE, LARGEST_STORE = 2, 4096


@dataclass(frozen=True, kw_only=True)
class AxiStreamTerminal(Terminal):
    """AXI4-Stream both ways: the number of a terminal in, packets out.

    An interface at every terminal makes a head flit of each packet, with the header and the number
    of the source, and a flit of each beat, with the mark of `AxiLayout.body` below its data. So
    flits are wider than `router.flit_width`, which is the width of tdata.

    Raises
    ------
    ParameterError
        If there can be no such time-out, clock or endpoints.
    """

    kind: ClassVar[str] = "axi-stream"
    title: ClassVar[str] = "AXI4-Stream"  # in messages
    flow_keys: ClassVar[tuple[str, ...]] = "eager", "packet_limit", "receive"  # with flow control
    around: ClassVar[bool] = True
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
    """Cycles without a beat after which a packet that has begun is closed; 0: never."""
    clock: Annotated[
        Literal["own"] | None,
        Parameter(
            "own: in the module to instantiate, every terminal has a clock of its own, or every "
            "endpoint; by default all have the network's.",
            "own",
        ),
    ] = None
    """``own``: every terminal or endpoint has one, in the module where these have their ports."""

    flow_control: Annotated[
        Literal["none", "end-to-end"],
        Parameter(
            "end-to-end: a packet enters the network when it is complete and its destination has "
            "room for it, so every flit in the network is always consumed; none: a beat enters as "
            "soon as the router takes it."
        ),
    ] = "none"
    """``end-to-end``: packets are sent when their destination has room for them."""
    eager: Annotated[
        Literal["auto"] | int,
        Parameter(
            "With flow control: beats of the longest packet that is sent without a request. auto: "
            "16 up to 64 nodes, and fewer the more nodes there are.",
            f"auto or a whole number in 1..{LARGEST_EAGER}",
            minimum=1,
            maximum=LARGEST_EAGER,
        ),
    ] = "auto"
    packet_limit: Annotated[
        int,
        Parameter(
            "With flow control: beats of the longest packet; a longer one is dropped whole.",
            minimum=1,
            maximum=LARGEST_LIMIT,
        ),
    ] = 64
    receive: Annotated[
        Literal["auto"] | int,
        Parameter(
            "With flow control: beats that a receiver can promise to packets longer than eager. "
            "auto: two longest packets.",
            f"auto or a whole number in 1..{LARGEST_RECEIVE}",
            minimum=1,
            maximum=LARGEST_RECEIVE,
        ),
    ] = "auto"
    """See `FlowControl`; only with flow control. With several endpoints a packet has one beat more
    in the network, which these do not count."""
    store: Annotated[
        int,
        Parameter(
            "Beats of a queue in which packets wait until they are complete, so that a slow sender "
            "holds no channel; a longer packet is dropped whole. 0: a beat enters the network at "
            "once.",
            f"0 or a power of two in {LEAST_STORE}..{LARGEST_STORE}",
            minimum=0,
            maximum=LARGEST_STORE,
        ),
    ] = 0
    """Beats of the queue in which a packet waits until it is complete; 0: there is none."""
    endpoints: Annotated[  # type: ignore[misc]
        int,
        Parameter(
            "Endpoints that share each terminal, such as processors. Endpoint e of node v has the "
            "number v * endpoints + e.",
            f"{either(ENDPOINTS)}",
            minimum=ENDPOINTS[0],
            maximum=ENDPOINTS[-1],
        ),
    ] = 1
    """That share a terminal."""

    def __post_init__(self) -> None:
        kind, title = type(self), self.title
        check_limits(kind, title, eager=self.eager, receive=self.receive)
        check_limits(kind, title, packet_limit=self.packet_limit, store=self.store)
        check_choices(kind, title, flow_control=self.flow_control)
        if self.endpoints not in ENDPOINTS:
            needs = f"{title} needs endpoints {either(ENDPOINTS)}, not {self.endpoints}"
            raise ParameterError("endpoints", needs)
        if self.flow_control == "none":
            for key in self.flow_keys:
                if getattr(self, key) != getattr(kind, key):
                    raise ParameterError(key, f"{title} needs flow_control: end-to-end for {key}")
        elif self.timeout:
            raise ParameterError(
                "timeout",
                f"{title} needs timeout 0 with flow_control: end-to-end; a packet enters the "
                "network when it is complete",
            )
        if self.flow_control != "none" and self._receive < self.packet_limit:
            raise ParameterError(
                "receive",
                f"{title} needs receive of at least packet_limit, {self.packet_limit} beats, "
                f"not {self._receive}",
            )
        if self.store & (self.store - 1) or self.store == 1:
            raise ParameterError(
                "store",
                f"{title} needs store 0 or a power of two in {LEAST_STORE}..{LARGEST_STORE}, "
                f"not {self.store}",
            )
        for key, needed in (("timeout", 0), ("flow_control", "none")):
            if self.store and getattr(self, key) != needed:
                raise ParameterError(
                    key, f"{title} needs {key} {needed} with store: packets enter complete"
                )
        if self.clock not in {None, "own"}:
            raise ParameterError("clock", f"{title} needs clock own, not {self.clock!r}")
        if not 0 <= self.timeout <= LONGEST:
            raise ParameterError(
                "timeout", f"{title} needs a timeout in 0..{LONGEST}, not {self.timeout}"
            )

    @property
    def _receive(self) -> int:
        return 2 * self.packet_limit if self.receive == "auto" else self.receive

    def flow(self, network: Carrier) -> FlowControl | None:
        """Return the flow control of a network; None without."""
        return self._flow(network.topology.terminal_numbers, ordered=network.in_order)

    def _flow(self, peers: int, *, ordered: bool) -> FlowControl | None:
        if self.flow_control == "none":
            return None
        more = self.first_beats
        default = max(FlowControl.default_eager(peers), 1 + more)
        receive = 2 * (self.packet_limit + more) if self.receive == "auto" else self.receive + more
        return FlowControl(
            peers=peers,
            eager=default if self.eager == "auto" else self.eager + more,
            packet_limit=self.packet_limit + more,
            receive=receive,
            ordered=ordered,
        )

    @property
    def takes_all(self) -> bool:
        """Return whether hardware takes every flit that arrives: with flow control."""
        return self.flow_control != "none"

    def uninvited(self, network: Carrier) -> int | None:
        flow = self.flow(network)
        return flow.eager if flow else None

    @property
    def longest(self) -> int | None:
        if self.takes_all:
            return self.packet_limit
        return self.store - self.first_beats if self.store else None

    @property
    def cycles(self) -> int:  # type: ignore[override]
        """Return the register for a beat, the head, the queue; with storage, 2 stages more."""
        return 5 if self.stores else 3

    @property
    def flit_cycles(self) -> int:  # type: ignore[override]
        """Return 2 with storage: a beat is written and sent."""
        return 2 if self.stores else 1

    @property
    def stores(self) -> bool:
        """Return whether a packet enters the network when it is complete."""
        return self.store > 0 or self.flow_control != "none"

    @property
    def grant_cycles(self) -> int:  # type: ignore[override]
        """Return the cycles of a request and a grant in queues and choices, beside their flits."""
        return 0 if self.flow_control == "none" else 7

    def describe(self) -> dict[str, Any]:
        """Return the kind and the parameters as plain data; the clock if it is another."""
        hidden = ("flow_control", *self.flow_keys) if self.flow_control == "none" else ()
        hidden += () if self.endpoints > 1 else ("endpoints",)
        hidden += () if self.store else ("store",)
        given = super().describe().items()
        return {key: value for key, value in given if value is not None and key not in hidden}

    @property
    def reorder_cycles(self) -> int:  # type: ignore[override]
        """Return the cycles to find out whether a beat is the next, and to read it."""
        return 0 if self.flow_control == "none" else 2

    def beat_width(self, flit_width: int) -> int:
        return whole_bytes(self.title, flit_width)

    def flit_width(
        self, data_width: int, routing: Routing, link: Link, *, in_order: bool = True
    ) -> int:
        """Return the bits of a flit: those of tdata, of its mark, and of the link's status.

        Raises
        ------
        ParameterError
            If a head flit has no room.
        """
        flow = self._flow(routing.topology.terminal_numbers, ordered=in_order)
        if flow is None:
            return AxiLayout.flit_width(self.title, data_width, routing, link)
        return FlowLayout.room(flow, data_width, routing, link)

    def single_flit_width(self, data_width: int, routing: Routing) -> int:
        """Return the bits of a flit where packets of the network have one flit.

        Raises
        ------
        ParameterError
            If an answer has no room in a flit of the model.
        """
        peers, header = routing.topology.terminal_numbers, routing.address_layout.width
        flow = self._flow(peers, ordered=False)
        assert flow
        layout = FlowLayout(
            data_width=data_width,
            peers=peers,
            header=header,
            packet_limit=self.packet_limit,
            sequence=flow.sequence,
            single=True,
        )
        over = max(layout.head.width, layout.mark.width + layout.body["data"].offset + 1)
        if over + header > NUMBER:
            raise ParameterError(
                "packet_limit",
                f"{self.title} needs marks of at most {NUMBER - header} bits at deflection routers "
                f"here, not {over}; use a smaller packet_limit or receive",
            )
        return layout.single_width

    def one_class(self, *, counted: bool) -> str:
        """Return what a pair of streams for each message class does not go with."""
        return "counters count the beats of AXI4-Stream terminals" if counted else ""

    def streams(self, network: Carrier) -> int:
        return super().streams(network) * network.classes

    def given(self, network: Carrier) -> Layout:
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
        return "last", "keep", "user", "data"
