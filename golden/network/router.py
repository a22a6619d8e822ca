"""Parameters of the router at every node: flit width, buffers and virtual channels."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal

from fingerpost.golden.link import Link, link
from fingerpost.golden.network.bypass import MAX_BYPASS
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits, section
from fingerpost.golden.router.pipeline import pipeline

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
            "A head flit from the terminal yields to this many packets of the links at its output. "
            "Then it goes first. 0: terminal and links take equal turns. auto: 0 where terminals "
            "saturate before links, the mean hop count on rings and long routes, else 2.",
            f"auto or a whole number in 0..{MAX_BYPASS}",
            minimum=0,
            maximum=MAX_BYPASS,
        ),
    ] = "auto"
    turn_bypass_limit: Annotated[
        Literal["auto"] | int,
        Parameter(
            "A head flit that turns into a ring yields to this many packets on that ring. Rings "
            "are the dimensions of a grid that wraps, and the steps of a double loop. auto: 0 "
            "where bypass_limit is 0, else a value that follows from the routes.",
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

    @property
    def hop_cycles(self) -> int:
        """Return the cycles from a router's link to the next one's."""
        return pipeline(routing_register=self.routing_register).hop_cycles


def parameters(description: Mapping[str, Any]) -> tuple[RouterParameters, Link]:
    """Return what the contents of a network file say of routers and links.

    Raises
    ------
    ParameterError
        If a parameter is impossible, whatever the network; the message states the requirement.
    """
    router = dict(description.get("router") or {})
    if router.pop("kind", "wormhole") != "wormhole":
        raise ParameterError(
            "kind",
            "Router needs kind: wormhole for this: flits of deflection routers have no routes; use "
            "simulate, sweep, soak or survive",
            section="router",
        )
    known = [field.name for field in fields(RouterParameters)]
    unknown = [key for key in router if key not in known]
    if unknown:
        raise ParameterError(
            "",
            f"Router needs keys among {', '.join(known)}, not {unknown[0]!r}",
            section="router",
        )
    with section("router"):
        routers = RouterParameters(**router)
    return routers, link(description.get("link"))
