"""AXI4 terminals: reads and writes of memory that belongs to other nodes."""

from copy import copy
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from fingerpost.golden.link import Link
from fingerpost.golden.parameters import Parameter, ParameterError, check_choices, check_limits
from fingerpost.golden.routing import Routing
from fingerpost.golden.terminal.axi_stream import LONGEST, AxiStreamTerminal
from fingerpost.golden.terminal.memory_map import MemoryMap, Region
from fingerpost.golden.terminal.transaction import LONGEST_BURST, TransactionLayout
from fingerpost.golden.topology import Topology
from fingerpost.golden.traffic.carrier import Carrier

LEAST_ROWS, MOST_ROWS = 2 * LONGEST_BURST, 4096


def _sides(what: str) -> Parameter:
    return Parameter(
        f"Nodes that have {what}; a side that is not there costs nothing.",
        "all, or a list of the numbers of terminals",
    )


@dataclass(frozen=True, kw_only=True)
class Axi4Terminal(AxiStreamTerminal):
    """A manager side and a subordinate side in front of an AXI4-Stream terminal of two classes.

    A manager of the user's is at a manager side: its reads and writes become packets of class 0 to
    the node that the memory map names, where the subordinate side repeats them; the responses are
    packets of class 1. A read is sent when there is room for all that it will read, so packets of
    class 1 are always taken.

    Attributes
    ----------
    regions : tuple of Region
        The memory map.
    flit_data : int
        Bits of data in a beat of the network; `within` sets both.

    Raises
    ------
    ParameterError
        If there can be no such terminal.
    """

    kind: ClassVar[str] = "axi4"
    title: ClassVar[str] = "AXI4"
    flow_keys: ClassVar[tuple[str, ...]] = ("eager",)
    message_classes: ClassVar[int] = 2
    assumption: ClassVar[str] = (
        "every subordinate accepts requests and answers them without a request of its own; "
        "responses are always taken"
    )
    timeout: ClassVar[int] = 0  # type: ignore[misc]  # packets do not pause
    store: ClassVar[int] = 0  # type: ignore[misc]  # its own memory does
    endpoints: ClassVar[int] = 1  # type: ignore[misc]
    packet_limit: ClassVar[Any] = property(lambda own: own.transactions.longest)  # type: ignore[misc]
    receive: ClassVar[str] = "auto"  # type: ignore[misc]
    side_cycles: ClassVar[int] = 6
    """What both sides add to a request and its response: 2 before the request, 3 behind the
    response; and 1 for the address of a read, or 1 more before a write, beside those in which it is
    stored."""

    managers: Annotated[Literal["all"] | tuple[int, ...], _sides("a manager side")] = "all"
    subordinates: Annotated[Literal["all"] | tuple[int, ...], _sides("a subordinate side")] = "all"
    lite: Annotated[
        Literal["none", "all"] | tuple[int, ...],
        Parameter(
            "Nodes whose sides are AXI4-Lite; it needs data_width 32 or 64.",
            "none, all, or a list of the numbers of terminals",
        ),
    ] = "none"
    data_width: Annotated[
        Literal[32, 64, 128],
        Parameter("Bits of a beat of data: as many as router.flit_width, or twice as many."),
    ] = 32
    address_width: Annotated[int, Parameter("Bits of an address.", minimum=13, maximum=64)] = 32
    id_width: Annotated[int, Parameter("Bits of an ID.", minimum=1, maximum=16)] = 4
    outstanding: Annotated[
        int,
        Parameter(
            "Reads, and writes, that a manager can have in flight, a power of two; a subordinate "
            "side passes on as many.",
            "a power of two in 2..32",
            minimum=2,
            maximum=32,
        ),
    ] = 8
    rows: Annotated[
        int,
        Parameter(
            "Beats of data that a manager side can hold of reads, and of writes, a power of two.",
            f"a power of two in {LEAST_ROWS}..{MOST_ROWS}",
            minimum=LEAST_ROWS,
            maximum=MOST_ROWS,
        ),
    ] = LEAST_ROWS
    answer_timeout: Annotated[
        int,
        Parameter(
            "Cycles without an answer after which a subordinate is cut off until a reset, and its "
            "requests are answered with SLVERR; 0: never.",
            minimum=0,
            maximum=LONGEST,
        ),
    ] = 0
    regions: tuple[Region, ...] = field(init=False, default=())
    flit_data: int = field(init=False, default=32)

    def __post_init__(self) -> None:
        kind, title = type(self), self.title
        check_choices(kind, title, data_width=self.data_width)
        for key in ("address_width", "id_width", "outstanding", "rows", "answer_timeout"):
            check_limits(kind, title, **{key: getattr(self, key)})
        for key in ("outstanding", "rows"):
            value = getattr(self, key)
            if value & (value - 1):
                raise ParameterError(key, f"{title} needs {key} a power of two, not {value}")
        if self.data_width > 64 and self.lite != "none":
            raise ParameterError("lite", f"{title} needs lite: none with data_width: 128")
        super().__post_init__()

    def within(self, flit_data: int, regions: tuple[Region, ...]) -> "Axi4Terminal":
        made = copy(self)
        object.__setattr__(made, "flit_data", flit_data)
        object.__setattr__(made, "regions", regions)
        return made

    @property
    def transactions(self) -> TransactionLayout:
        """Return the layouts of requests and responses."""
        return TransactionLayout(
            data_width=self.data_width,
            flit_data=self.flit_data,
            address_width=self.address_width,
            outstanding=self.outstanding,
        )

    def least_latency(
        self,
        network: Carrier,
        hops: int,
        beats: int = 1,
        *,
        write: bool,
        back: int | None = None,
        memory_cycles: int = 1,
        lite: bool = False,
    ) -> int:
        """Return the cycles from the address of a transaction accepted to its response offered.

        That is the last beat of R, or B. It holds where `Carrier.least_latency` does, of managers
        and memories that never stall; `back` are the hops of the response, by default as many.

        Parameters
        ----------
        beats : int
            Of data.
        memory_cycles : int
            From a read's address, or a write's last beat, to the response.
        lite : bool
            Whether the manager has AXI4-Lite: then its write is not stored.
        """
        layout, back = self.transactions, hops if back is None else back
        data = beats * layout.parts
        forth, response = layout.request_beats + write * data, 1 if write else data
        return (
            network.least_latency(hops, forth, back)
            + network.least_latency(back, response, hops)
            + self.side_cycles
            + write * (-1 if lite else forth)
            + memory_cycles
            # A response that is there at once waits for the acknowledge of the packet of the write.
            + (self.takes_all and write and memory_cycles == 1)
        )

    def describe(self) -> dict[str, Any]:
        """Return the kind and the parameters as plain data; the memory map is a part of its own."""
        given = super().describe()
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in given.items()
            if key not in ("regions", "flit_data")
        }

    def nodes_of(self, key: str, topology: Topology) -> tuple[int, ...]:
        """Return the nodes that `managers`, `subordinates` or `lite` names.

        Raises
        ------
        ParameterError
            If one has no terminal, or none is named.
        """
        terminals, given = topology.terminals.tolist(), getattr(self, key)
        if given in ("all", "none"):
            return tuple(terminals) if given == "all" else ()
        wrong = sorted({*given}.difference(terminals))
        if wrong or not given:
            raise ParameterError(
                key,
                f"{self.title} needs {key} a list of terminals, not {wrong[0] if wrong else []}",
                section="terminal",
            )
        return tuple(sorted(set(given)))

    def memory_map(self, topology: Topology) -> MemoryMap:
        """Return which node an address belongs to.

        Raises
        ------
        ParameterError
            If there can be no such map.
        """
        if not self.regions:
            raise ParameterError(
                "kind",
                f"{self.title} needs the key memory_map beside terminal, such as memory_map: "
                "[{base: 0, size: 0x10000, nodes: all}]",
                section="terminal",
            )
        return MemoryMap(
            self.regions,
            nodes=topology.terminal_numbers,
            subordinates=self.nodes_of("subordinates", topology),
            address_width=self.address_width,
        )

    def beat_width(self, flit_width: int) -> int:
        """Return the bits of tdata: those of data, with what is said of them.

        Raises
        ------
        ParameterError
            If a beat of data is neither one of the network nor two.
        """
        if flit_width not in (self.data_width, self.data_width // 2):
            raise ParameterError(
                "flit_width",
                f"{self.title} needs a flit_width of {self.data_width // 2} or {self.data_width}, "
                f"data_width or its half, not {flit_width}",
            )
        return self.transactions.width

    def flit_width(
        self, data_width: int, routing: Routing, link: Link, *, in_order: bool = True
    ) -> int:
        """Return the bits of a flit, as AXI4-Stream terminals have them.

        Raises
        ------
        ParameterError
            If the memory map or a list of nodes does not fit the network, or it could lose
            packets or their order.
        """
        for key in ("managers", "lite"):
            self.nodes_of(key, routing.topology)
        self.memory_map(routing.topology)
        if link.status_width:
            raise ParameterError(
                "kind",
                f"{self.title} needs lossless links, such as link: {{kind: flit}}, not {link.kind}",
                section="link",
            )
        if not in_order and not self.takes_all:
            raise ParameterError(
                "flow_control",
                f"{self.title} needs flow_control: end-to-end where routers may change the order "
                "of packets, not none",
                section="terminal",
            )
        return super().flit_width(data_width, routing, link, in_order=in_order)
