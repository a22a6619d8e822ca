"""What a router counts, for model, hardware, benches and manifest; counters that software reads."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, Literal

from fingerpost.golden.link import Link
from fingerpost.golden.parameters import (
    Parameter,
    ParameterError,
    check_choices,
    either,
    section,
)


@dataclass(frozen=True)
class Counter:
    """A counter that every router has. It counts from the reset on, and stops at `most`."""

    name: str
    width: int
    meaning: str

    @property
    def most(self) -> int:
        """Return where it stops."""
        return (1 << self.width) - 1


ERRORS = Counter("errors", 8, "malformed packets and flits")
OVERRUNS = Counter("overruns", 8, "flits of terminal v without a credit")
LOST = Counter("lost", 8, "flits lost on links that are not up")
COUNTERS = ERRORS, OVERRUNS


@dataclass(frozen=True, kw_only=True)
class AxiLiteCounters:
    """Counters of a whole network behind one AXI4-Lite port.

    Raises
    ------
    ParameterError
        If it is none of the choices.
    """

    kind: ClassVar[str] = "axi-lite"

    of: Annotated[
        Literal["ports", "terminals"],
        Parameter(
            "What is counted beside errors: all flits and stalls, by port; or only what terminals "
            "send and get, which takes less area."
        ),
    ] = "ports"
    """What is counted."""

    def __post_init__(self) -> None:
        check_choices(AxiLiteCounters, "Counters", of=self.of)

    @property
    def ports(self) -> bool:
        """Return whether every port has counters of its own."""
        return self.of == "ports"

    def check(self, link: Link) -> None:
        """Check that there can be counters in a network with such links.

        Raises
        ------
        ParameterError
            If its nodes have clocks of their own.
        """
        if link.own_clocks:
            raise ParameterError(
                "kind",
                f"Counters need one clock for all nodes, as with link: {{kind: flit}}, not a clock "
                f"of each node, as with {link.kind}",
            )

    def describe(self) -> dict[str, Any]:
        """Return the kind and the parameters as plain data."""
        return {"kind": self.kind, **asdict(self)}


COUNTING: dict[str, type[AxiLiteCounters]] = {kind.kind: kind for kind in (AxiLiteCounters,)}
"""Every kind of counters by its name."""


def counting(description: Mapping[str, Any] | None, link: Link) -> AxiLiteCounters | None:
    """Return what the ``counters`` of a network file ask for; nothing without them.

    Raises
    ------
    ParameterError
        If a parameter is impossible, or the links do not allow it.
    """
    if description is None:
        return None
    parameters = dict(description)
    kind = parameters.pop("kind")
    with section("counters"):
        if kind not in COUNTING:
            raise ParameterError(
                "kind", f"Counters need a kind that is {either(COUNTING)}, not {kind!r}"
            )
        counters = COUNTING[kind](**parameters)
        counters.check(link)
    return counters
