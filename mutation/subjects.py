"""What is mutated: nodes of networks that differ in routing, channels, depths, widths and ports."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

__all__ = ["SUBJECTS", "Subject"]

QUIET: dict[str, Any] = {"cycles": 800, "load": 0.4, "malformed": 0.05, "lengths": (1, 3)}
FULL: dict[str, Any] = {"cycles": 800, "load": 0.95, "lengths": (1, 6), "stall": 0.1, "seed": 1}
RUDE: dict[str, Any] = {"cycles": 300, "load": 0.5, "surplus": 2, "seed": 2}
LONG: dict[str, Any] = {"cycles": 20000, "load": 0.95, "lengths": (1, 2), "stall": 0.5, "seed": 22}
"""For turns that come seldom: a guest has had its own, and waits while another still does."""


@dataclass(frozen=True)
class Subject:
    """A network, the part of its nodes that is mutated, and the benches.

    Attributes
    ----------
    description : mapping
        The network, as `golden.network.build` takes it.
    within : str
        Only cells whose name matches this pattern are mutated.
    stimuli : tuple of mappings
        The turns of the bench of the network.
    asked : bool
        Whether it is only for those who name it.
    """

    description: Mapping[str, Any]
    within: str = ""
    stimuli: tuple[Mapping[str, Any], ...] = (QUIET, FULL, RUDE)
    asked: bool = False

    @property
    def name(self) -> str:
        """Return the name of the network."""
        return str(self.description["name"])


def _subject(name: str, topology: Mapping[str, Any], algorithm: str, **router: Any) -> Subject:
    return Subject(
        {
            "name": name, "topology": topology, "routing": {"algorithm": algorithm},
            "router": router,
        }
    )  # fmt: skip


BOREL = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}

ORDER = [9, 17, 12, 7, 2, 11, 0, 8, 3, 10, 6, 14, 16, 18, 4, 19, 1, 5, 20, 15, 13]
"""With it two channels are enough."""

PETERSEN = [
    *((i, (i + 1) % 5) for i in range(5)), *((i, i + 5) for i in range(5)),
    *((5 + i, 5 + (i + 2) % 5) for i in range(5)),
]  # fmt: skip

TORUS = {"family": "grid", "sizes": [4, 4], "wrap": True}

LINK = {"kind": "os-link", "clocks_per_bit": 4, "timeout": 12}

OS_LINK: tuple[Mapping[str, Any], ...] = (
    {"cycles": 3000, "load": 0.004, "malformed": 0.1, "lengths": (1, 3)},
    {"cycles": 3000, "load": 0.05, "stall": 0.5, "lengths": (1, 5), "seed": 1},
    {"cycles": 3000, "load": 0.5, "stall": 0.97, "lengths": (1, 8), "malformed": 0.3, "seed": 2},
)

SUBJECTS = (
    _subject("borel-21", BOREL, "two-phase", channel_order=ORDER, flit_width=20),
    _subject("lanes", BOREL, "two-phase", virtual_channels=4, courtesy=2, buffer_depth=2,
             flit_width=12),
    _subject("adaptive", BOREL, "adaptive", buffer_depth=8, flit_width=10),
    _subject("petersen", {"family": "edge-list", "nodes": 10, "links": PETERSEN}, "table",
             buffer_depth=1, flit_width=63),
    _subject("torus", TORUS, "dimension-order", buffer_depth=3, flit_width=16, courtesy=1,
             turn_courtesy=2, routing_register=True),
    replace(
        _subject("guests", TORUS, "dimension-order", virtual_channels=2, buffer_depth=2,
                 flit_width=10, courtesy=3, turn_courtesy=2),
        within=r"arbiter|courtesy|rounds",
        stimuli=(QUIET, FULL, RUDE, LONG),
    ),
    _subject("random", {"family": "scc", "n": 3}, "random", buffer_depth=5, flit_width=13),
    _subject("rotator", {"family": "rotator", "n": 3}, "rotator", buffer_depth=4, flit_width=8),
    Subject(
        {
            "name": "os-links",
            "topology": {
                "family": "edge-list", "nodes": 5, "links": [(i, (i + 1) % 5) for i in range(5)],
            },
            "routing": {"algorithm": "table"},
            "router": {},
            "link": LINK,
        },
        within=r"^(?!router\b)",
        stimuli=OS_LINK,
        asked=True,
    ),
)  # fmt: skip
"""The routers of all, of guests only what sees to turns; of the last what stands around them."""
