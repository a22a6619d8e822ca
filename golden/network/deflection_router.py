"""Parameters of a deflection router: flit width, cycles of a hop, ejections, epochs, tables."""

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from fingerpost.golden.parameters import Parameter, check_choices, check_limits

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
