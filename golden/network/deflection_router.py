"""Parameters of a deflection router: flit width, cycles of a hop, ejections, epochs, tables."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

import numpy as np

from fingerpost.golden.network.switches import MAX_LINKS
from fingerpost.golden.parameters import (
    Parameter,
    ParameterError,
    check_choices,
    check_limits,
    section,
)
from fingerpost.golden.terminal import AxiStreamTerminal, MailboxTerminal
from fingerpost.golden.terminal import terminal as terminal_of
from fingerpost.golden.topology import Topology

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


def parameters(description: Mapping[str, Any]) -> DeflectionParameters:
    """Return what the contents of a network file say of deflection routers.

    Raises
    ------
    ParameterError
        If a parameter is impossible, whatever the network, or something else in the file does not
        go with deflection routers.
    """
    router = {key: value for key, value in description["router"].items() if key != "kind"}
    with section("router"):
        found = DeflectionParameters(**router)
    for key, plain in (("routing", {"algorithm": "table"}), ("link", {"kind": "flit"})):
        given = dict(description.get(key) or plain)
        if key == "routing":
            given.pop("choice", None)
        for name, value in [x for x in given.items() if x not in plain.items()][:1]:
            raise ParameterError(
                "" if name in plain else name,
                f"Deflection routers need no {key} but the default, not "
                f"{value if name in plain else f'{name}: {value}'}; remove the key {key}",
                section=key,
            )
    terminal = (description.get("terminal") or {}).get("kind")
    if terminal not in (None, AxiStreamTerminal.kind, MailboxTerminal.kind):
        raise ParameterError(
            "",
            f"Deflection routers have no terminal of kind {terminal}; remove the key terminal, or "
            "use router: {kind: wormhole}",
            section="terminal",
        )
    streams(description, found)
    return found


def streams(
    description: Mapping[str, Any], router: DeflectionParameters
) -> AxiStreamTerminal | None:
    """Return the terminals with packets of many beats, if there are: AXI4-Stream, mailboxes.

    Raises
    ------
    ParameterError
        If they, or the router, would not take every flit.
    """
    terminal = terminal_of(description, router.flit_width)
    if not description.get("terminal"):
        return None
    assert isinstance(terminal, AxiStreamTerminal)
    kind = f"{terminal.title} at deflection routers"
    if not terminal.takes_all:
        raise ParameterError(
            "flow_control",
            f"{kind} needs flow_control: end-to-end, not none: a packet "
            "of several beats is put together in space that is reserved",
            section="terminal",
        )
    if router.link_up:
        raise ParameterError(
            "link_up",
            f"{kind} needs link_up: false, not true: flits that are lost "
            "with a link would close windows for ever",
            section="router",
        )
    if router.ejections == 2:
        raise ParameterError(
            "ejections",
            f"{kind} needs ejections: 1, not 2: a terminal takes a beat a cycle",
            section="router",
        )
    return terminal


def check(topology: Topology, *, link_up: bool) -> None:
    """Refuse topologies whose nodes cannot send on all that arrives, also with links that failed.

    Raises
    ------
    ParameterError
        If a node has fewer outgoing than incoming links, too many, or several terminals; or, with
        `link_up`, if what comes in at a port does not come from where it leads.
    """
    outgoing, incoming = (topology.neighbour >= 0).sum(1), (topology.origin >= 0).sum(1)
    fewer = np.flatnonzero(outgoing < incoming)
    if len(fewer):
        node = int(fewer[0])
        raise ParameterError(
            "kind",
            "Deflection needs at least as many outgoing as incoming links at each node, but node "
            f"{topology.name(node)} has {outgoing[node]} and {incoming[node]}; use kind: wormhole",
            section="router",
        )
    if topology.local_ports > 1:
        raise ParameterError(
            "kind",
            f"Deflection needs at most one terminal at a node, not {topology.local_ports}; use "
            "kind: wormhole, or terminal.endpoints that share one",
            section="router",
        )
    if topology.degree > MAX_LINKS:
        raise ParameterError(
            "kind",
            f"Deflection needs nodes of at most {MAX_LINKS} links, not {topology.degree}; use "
            "kind: wormhole",
            section="router",
        )
    back = np.where(
        topology.neighbour >= 0, topology.arrival_port[topology.neighbour, topology.arrival_port], 0
    )
    port = np.where(topology.neighbour >= 0, np.arange(topology.degree), 0)
    wrong = (back != port) | (topology.origin != topology.neighbour)
    if link_up and wrong.any():
        node = int(np.flatnonzero(wrong.any(1))[0])
        raise ParameterError(
            "link_up",
            f"Links that may fail need a way back at the same port, but node {topology.name(node)} "
            "has one without; remove the key link_up",
            section="router",
        )
