"""Faults of routing units and header generators."""

from typing import Any

from tests.testbench.faults.fault import Fault
from tests.testbench.faults.networks import BOREL_21

__all__ = ["FAULTS"]


def network(
    algorithm: str, options: dict[str, Any] | None = None, **topology: Any
) -> dict[str, Any]:
    """Return a network with a routing algorithm and its options."""
    routing = {"algorithm": algorithm, **(options or {})}
    return {"name": "tried", "topology": topology, "routing": routing}


def borel(algorithm: str, A: tuple[int, int] = (0, 1), **options: Any) -> dict[str, Any]:
    """Return a Borel network of 21 nodes."""
    return network(algorithm, options, **(BOREL_21["topology"] | {"A": [*A]}))


def scc(algorithm: str, **options: Any) -> dict[str, Any]:
    """Return star-connected cycles of 72 nodes."""
    return network(algorithm, options, family="scc", n=4)


def kyklos(algorithm: str, r: int = 2, n: int = 4) -> dict[str, Any]:
    """Return a KYKLOS network of binary trees."""
    return network(algorithm, family="kyklos", m=2, r=r, n=n)


FAULTS = (
    Fault(
        "wrong-entry-constant",
        "routing/two_phase.py",
        'straps[f"entry{i}"]',
        'straps[f"entry{(i + 1) % k}"]',
        "unit",
        "The phase II word starts at the entry to another class.",
    ),
    Fault(
        "letters-skipped",
        "routing/two_phase.py",
        "header.word >> 2",
        "header.word >> 4",
        "path",
        "In phase II every second letter of the word is left out.",
    ),
    Fault(
        "longer-way-chosen",
        "lib/circulant.py",
        "second.eq(b[0] < a[0])",
        "second.eq(b[0] > a[0])",
        "unit",
        "Of two candidates the longer one is taken.",
        network=borel("two-phase", (1, 2), phase1="computed"),
    ),
    Fault(
        "word-of-the-neighbour",
        "routing/vertex_transitive.py",
        "entries[c : len(row)",
        "entries[c ^ (c < 2) : len(row)",
        "unit",
        "The rows of classes 0 and 1 have changed places in the ROM.",
        network=borel("vertex-transitive", path="source"),
    ),
    Fault(
        "no-node-taken-off",
        "routing/vertex_transitive.py",
        "if absolute else (header.c, header.x)",
        "if absolute and False else (header.c, header.x)",
        "unit",
        "An absolute address is taken for a relative one.",
        network=borel("vertex-transitive", address="absolute"),
    ),
    Fault(
        "highest-free-link",
        "routing/adaptive.py",
        "reversed(range(4))",
        "range(4)",
        "unit",
        "Of several free links the highest is taken.",
        network=borel("adaptive"),
    ),
    Fault(
        "arrival-port-ignored",
        "routing/chordal_ring.py",
        "Array(cases)[self.arrival] if len(cases) > 1 else cases[0]",
        "cases[0]",
        "unit",
        "The sectors are those for packets that came by link A.",
        network=borel("chordal-ring", rule="paper"),
    ),
    Fault(
        "entry-of-the-next",
        "routing/table.py",
        "for entry in entries)",
        "for entry in entries[1:] + entries[:1])",
        "unit",
        "A packet goes to the destination after its own.",
        network=borel("table"),
    ),
    Fault(
        "memory-of-the-terminal-believed",
        "routing/star.py",
        "self.next_header[self.routing.memory].eq(0)",
        "[]",
        "unit",
        "An anchor that a terminal sends begins a route that no proof has seen.",
        network=scc("greedy"),
    ),
    Fault(
        "anchor-stays",
        "routing/scc_greedy.py",
        "Mux(anchor == link, 0, anchor)",
        "anchor",
        "unit",
        "The anchor is not lifted when its r-cycle is complete.",
        network=scc("greedy"),
    ),
    Fault(
        "ties-go-minus",
        "routing/scc_nearest.py",
        "~minus | _plus_comes_first(m, p, i, d)",
        "~minus",
        "unit",
        "Of two links that are equally near, always the one by - is taken.",
        network=scc("greedy", memory="none"),
    ),
    Fault(
        "target-not-kept",
        "routing/scc_random.py",
        "Mux(kept, 1 << self.header.target, drawn)",
        "drawn",
        "unit",
        "Every node draws afresh.",
        network=scc("random"),
    ),
    Fault(
        "way-home-ignored",
        "routing/scc_promise.py",
        "Cat(d, enter, leave, first, ~following)",
        "Cat(d, enter, Const(0, len(d)), first, ~following)",
        "unit",
        "Promises do not count the way from the last lateral link to the destination.",
        network=scc("near-minimal"),
    ),
    Fault(
        "number-kept",
        "routing/scc_minimal.py",
        "self.port == topology.lateral,",
        "self.port == topology.minus,",
        "unit",
        "The number of the permutation changes on the ring and not behind it.",
        network=scc("minimal"),
    ),
    Fault(
        "trees-in-rising-order",
        "routing/kyklos.py",
        "for t in ((last + k) % r for k in range(r)):",
        "for t in ((last - k) % r for k in range(r)):",
        "unit",
        "The trees before the last are climbed in rising order, which can deadlock.",
        network=kyklos("h2", r=3, n=3),
    ),
    Fault(
        "longest-tree",
        "routing/kyklos_m.py",
        "least.eq(reduce(and_, lengths))",
        "least.eq(lengths[0])",
        "unit",
        "The start tree is climbed even if another one is shorter.",
        network=kyklos("m"),
    ),
    Fault(
        "tables-crossed",
        "routing/kyklos_p2.py",
        "entry[width * i :][:width] for i in range(r)]",
        "entry[width * i :][:width] for i in reversed(range(r))]",
        "unit",
        "The ROM's levels go to the wrong trees.",
        network=kyklos("p2"),
    ),
    Fault(
        "no-way-round",
        "routing/kyklos_y2.py",
        "wraps = climbing[r] & ~fresh[0] & top[0]",
        "wraps = Const(0, 1)",
        "unit",
        "Step 7 is left out: the last tree never goes on into slice s.",
        network=kyklos("y2", r=3, n=3),
    ),
    Fault(
        "letter-twice",
        "routing/rotator.py",
        "for t in range(n))\n        m.d.comb += [self.next_header",
        "for t in range(1, n))\n        m.d.comb += [self.next_header",
        "unit",
        "A header without place 0, and with another one twice, is not refused.",
        network=network("rotator", family="rotator", n=4),
    ),
    Fault(
        "tails-out-of-order",
        "routing/super_rotator.py",
        "int(self.routing.topology.end[i])) % size",
        "int(self.routing.topology.base[i])) % size",
        "unit",
        "The nodes above a destination are looked up for another destination.",
        network=network("class", family="super-rotator", nodes=23),
    ),
)
