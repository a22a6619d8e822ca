"""Wires between routers: flits one way, credits the other, with registers on long ones.

A link takes a cycle, in which what is sent arrives, and one more for each register on it. Between
deflection routers there are no registers and no credits, but a flit with its header in each cycle.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np

from fingerpost.golden.arrays import Array, IntArray
from fingerpost.golden.header import Layout, link_layout
from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.link.base import Link
from fingerpost.golden.parameters import Parameter, ParameterError, check_limits
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.routing import Routing

MOST_CYCLES = 64
"""Cycles of a link."""


@dataclass(frozen=True)
class FlitLink(Link):
    """The link inside a chip.

    Raises
    ------
    ParameterError
        If a number is beyond its limits, or one of the two is missing where both are needed.
    """

    kind: ClassVar[str] = "flit"

    cycles: Annotated[
        Literal["auto"] | int | None,
        Parameter(
            "Cycles of a flit on a link, and of a credit back; 1 if absent. auto: the length of "
            "each link by reach, rounded up.",
            f"auto or a whole number in 1..{MOST_CYCLES}",
            minimum=1,
            maximum=MOST_CYCLES,
        ),
    ] = None
    reach: Annotated[
        int | None,
        Parameter(
            "With cycles: auto, the tiles of wire that a signal crosses in a cycle.",
            "a whole number of at least 1",
            minimum=1,
        ),
    ] = None

    def __post_init__(self) -> None:
        given = {key: value for key, value in asdict(self).items() if value is not None}
        check_limits(FlitLink, "Link", **given)
        if (self.cycles == "auto") != (self.reach is not None):
            raise ParameterError(
                "cycles",
                "Link needs cycles: auto and a reach together, such as link: {kind: flit, cycles: "
                f"auto, reach: 2}}, not cycles: {self.cycles} and reach: {self.reach}",
            )

    def check(self, routing: Routing, *, flit_width: int, channels: int) -> None:
        """Wires carry everything."""

    def rate(self, flit_width: int) -> float:
        return 1.0

    def seen(self, *, flit_width: int, channels: int) -> Layout:
        """Return what arrives over the wires: flits, and credits with the link they belong to."""
        return link_layout(flit_width, channels)

    def registers(self, lengths: Callable[[], IntArray]) -> IntArray | None:
        """Return the registers on each link, or on all alike; none: as `Link.registers`.

        Raises
        ------
        ParameterError
            If the longest link would take too many cycles.
        """
        if self.cycles is None or self.cycles == 1:
            return None
        if self.cycles != "auto":
            return np.array(self.cycles - 1)
        assert self.reach is not None
        cycles = -(-lengths() // self.reach)
        if cycles.max(initial=1) > MOST_CYCLES:
            most = int(lengths().max())
            raise ParameterError(
                "reach",
                f"Link needs a reach of at least {-(-most // MOST_CYCLES)}, so that the longest "
                f"link, {most} tiles, takes at most {MOST_CYCLES} cycles, not {self.reach}",
                section="link",
            )
        return np.maximum(cycles - 1, 0) if cycles.max(initial=1) > 1 else None


class WireConfig(NamedTuple):
    """Links of kind flit without registers: what is sent arrives in the same cycle."""

    registers: Array
    """Shape (outputs,), of those with registers; `pipelined_link` has their functions."""

    def recording(self, cycles: int, outputs: int) -> Any:
        """Return room for what is on links besides flits and credits: nothing."""
        return ()


class WireState(NamedTuple):
    """What is on links with registers: rings of slots, one for each cycle in which it arrives."""

    row: Array
    """Shape (slots, inputs), array of FLIT. The flits that have not arrived."""
    arriving: Array
    credits: Array
    """Shape (slots, nodes), arrays of masks: as those of `InFlight`."""

    @property
    def rows(self) -> tuple[Array, ...]:
        """Return the flits on links."""
        return (self.row,)


@compiled
def step_links(slots: Slots, config: Config, state: State) -> None:
    """Leave everything where it is."""


@compiled
def note_links(noted: Any, row: int, config: Config, state: State) -> None:
    """Note nothing: what arrives is noted anyway."""


@dataclass(frozen=True)
class SingleFlitLink(Link):
    """The link of deflection routers: what is on it arrives in the same cycle."""

    kind: ClassVar[str] = "single-flit"
    payload: ClassVar[tuple[str, ...]] = "epoch", "key", "destination", "data"

    key_width: int
    destination_width: int
    """Bits of two fields of the header."""
    link_up: bool = False
    """Whether a node is told which of its links are up, and what to write into its table."""
    entry_width: int = 0
    """Bits of an entry of a table."""

    def check(self, routing: Routing, *, flit_width: int, channels: int) -> None:
        """Wires carry everything."""

    def rate(self, flit_width: int) -> float:
        return 1.0

    def seen(self, *, flit_width: int, channels: int = 1) -> Layout:
        """Return what is on the wires: the header, then the data."""
        return Layout.sequence(
            valid=(1, "there is a flit"),
            epoch=(1, "the epoch in which it was injected"),
            key=(self.key_width, "at most so many hops are left; 0: it is at its destination"),
            destination=(self.destination_width, "number of the terminal"),
            data=(flit_width, "the user's"),
        )

    def told(self, degree: int) -> dict[str, int]:
        """Return that a node is told which links are up, by port, and a new entry of its table."""
        if not self.link_up:
            return {}
        entry = {"table_destination": self.destination_width, "table_entry": self.entry_width}
        return {"link_up": degree, "table_write": 1, **entry}
