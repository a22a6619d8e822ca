"""Parameters of routers: what stands under ``router`` in a network file."""

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from fingerpost.golden.network.bypass import MAX_BYPASS
from fingerpost.golden.parameters import Parameter, check_choices, check_limits

MAX_CHANNELS = 16
"""Virtual channels of a link."""


@dataclass(frozen=True, kw_only=True)
class RouterParameters:
    """The parameters of the router at every node: what stands under ``router`` in a network file.

    Raises
    ------
    ParameterError
        If a number is beyond its limits.
    """

    flit_width: Annotated[
        int,
        Parameter("Bits of data in a flit; a header must fit into one.", minimum=1, maximum=1024),
    ] = 32
    buffer_depth: Annotated[
        int, Parameter("Flits that each channel of each input can hold.", minimum=1, maximum=64)
    ] = 8
    virtual_channels: Annotated[
        Literal["auto"] | int,
        Parameter(
            "Virtual channels of every link, for each message class; auto: as many as are proven "
            "to be enough. More of them are lanes beside these.",
            "auto or a whole number in 1..16",
            minimum=1,
            maximum=MAX_CHANNELS,
        ),
    ] = "auto"
    classes: Annotated[
        int,
        Parameter(
            "Message classes: each has virtual_channels of its own on every link, and its own "
            "credits at the terminals, so that packets of one class never wait for packets of "
            "another.",
            minimum=1,
            maximum=4,
        ),
    ] = 1
    bypass_limit: Annotated[
        Literal["auto"] | int,
        Parameter(
            "Packets that may pass a head flit from the terminal at its output before it is "
            "promoted to first; 0: equal turns. auto: 0; 2 where links saturate before terminals, "
            "or there, on rings and long routes, the mean hop count.",
            f"auto or a whole number in 0..{MAX_BYPASS}",
            minimum=0,
            maximum=MAX_BYPASS,
        ),
    ] = "auto"
    turn_bypass_limit: Annotated[
        Literal["auto"] | int,
        Parameter(
            "The same for a head flit that turns into a ring: into a dimension of a grid that "
            "wraps, or the other step of a double loop. auto: by the routes, where bypass_limit "
            "is not 0.",
            f"auto or a whole number in 0..{MAX_BYPASS}",
            minimum=0,
            maximum=MAX_BYPASS,
        ),
    ] = "auto"
    routing_register: Annotated[
        bool,
        Parameter(
            "A register behind each routing unit, for those that are deep: a hop takes four "
            "cycles, not three."
        ),
    ] = False
    channel_order: Annotated[
        list[int] | None,
        Parameter(
            "The rank of every class (or node) that decides when a packet changes the virtual "
            "channel; searched for if absent.",
            "a list of whole numbers, as `fingerpost order` prints it",
        ),
    ] = None

    def __post_init__(self) -> None:
        check_limits(RouterParameters, "Router", **asdict(self))


MAX_EPOCH = 40
"""Bits of the counter of an epoch."""


MIN_WAIT = 4
"""Least `wait_limit`: that a terminal waits is known everywhere before the next tick."""


@dataclass(frozen=True, kw_only=True)
class DeflectionParameters:
    """The parameters of a deflection router: what stands under ``router`` in a network file.

    Raises
    ------
    ParameterError
        If a number is beyond its limits.
    """

    flit_width: Annotated[
        int, Parameter("Bits of data in a flit, beside its header.", minimum=1, maximum=1024)
    ] = 32
    hop_cycles: Annotated[
        Literal[3, 4],
        Parameter("Cycles of a hop: in 3 the flits pass all switches in one cycle, in 4 in two."),
    ] = 4
    injection: Annotated[
        Literal["auto", "half", "all"],
        Parameter(
            "Inputs whose place a flit from the terminal can take: half of them, or all. auto: all "
            "up to 64 destinations, where terminals are full before links."
        ),
    ] = "auto"
    ejections: Annotated[
        Literal["auto", 1, 2],
        Parameter(
            "Flits that a terminal can receive in a cycle. auto: 2; 1 with AXI4-Stream terminals, "
            "which take no more."
        ),
    ] = "auto"
    epoch: Annotated[
        Literal["auto"] | int,
        Parameter(
            "The epoch changes every 2^epoch cycles; flits of the epoch before have priority. "
            "auto: the shortest for which the time of a flit in the network is bounded.",
            f"auto or a whole number in 4..{MAX_EPOCH}",
            minimum=4,
            maximum=MAX_EPOCH,
        ),
    ] = "auto"
    wait_limit: Annotated[
        Literal["none"] | int,
        Parameter(
            "A terminal whose flit finds no place in 2^wait_limit to 2^(wait_limit + 1) cycles "
            "stops all others until it, and each that waits as well, has injected one. none: the "
            "wait for injection has no bound.",
            f"none or a whole number in {MIN_WAIT}..{MAX_EPOCH}",
            minimum=MIN_WAIT,
            maximum=MAX_EPOCH,
        ),
    ] = 10
    link_up: Annotated[
        bool,
        Parameter(
            "Whether nodes have an input that tells which of their links are up, so that flits "
            "take the others."
        ),
    ] = False
    table: Annotated[
        Literal["auto", "ram", "luts"],
        Parameter(
            "Where a router keeps the productive ports and the distance for each destination: "
            "block RAM or LUTs. auto: LUTs up to 64 destinations."
        ),
    ] = "auto"

    def __post_init__(self) -> None:
        choices = {
            name: getattr(self, name) for name in ("hop_cycles", "injection", "ejections", "table")
        }
        check_choices(DeflectionParameters, "Router", **choices)
        check_limits(DeflectionParameters, "Router", **asdict(self))
