"""Planted faults of the routing units of Borel networks, and of tables."""

from typing import Any

from fingerpost.testbench.faults.fault import Fault

__all__ = ["FAULTS"]


def _network(A: list[int] | None = None, **routing: Any) -> dict[str, Any]:
    return {
        "name": "borel-faulty",
        "topology": {"family": "borel", "p": 7, "a": 2, "A": A or [0, 1], "B": [1, 1]},
        "routing": routing,
    }


SHORTEST = _network(algorithm="vertex-transitive")
SOURCE = _network(algorithm="vertex-transitive", path="source")
ABSOLUTE = _network(algorithm="vertex-transitive", address="absolute")
ADAPTIVE = _network(algorithm="adaptive")
RING = _network(algorithm="chordal-ring")
PAPER = _network(algorithm="chordal-ring", rule="paper")
TABLE = _network(algorithm="table")
COMPUTED = _network([1, 2], algorithm="two-phase", phase1="computed")

FAULTS = (
    # Vertex-transitive
    Fault(
        "step-of-another-class",
        "routing/vertex_transitive.py",
        "steps.tolist())",
        "steps[::-1].tolist())",
        "unit",
        "A hop takes off the way what it should in another class.",
        network=SHORTEST,
    ),
    Fault(
        "class-goes-the-other-way",
        "routing/vertex_transitive.py",
        "C(int(t) % k, range(k))",
        "C(int(-t) % k, range(k))",
        "unit",
        "The class of the rest changes as for the inverse link.",
        network=SHORTEST,
    ),
    Fault(
        "arrived-in-the-class",
        "routing/vertex_transitive.py",
        "arrived.eq(~Cat(c, x).any())",
        "arrived.eq(~c.any())",
        "unit",
        "Packets are delivered as soon as they reach the class of the destination.",
        network=ABSOLUTE,
    ),
    Fault(
        "no-node-taken-off",
        "routing/vertex_transitive.py",
        "if absolute else (header.c, header.x)",
        "if absolute and False else (header.c, header.x)",
        "unit",
        "An absolute address is taken for a relative one.",
        network=ABSOLUTE,
    ),
    Fault(
        "half-a-letter-taken",
        "routing/vertex_transitive.py",
        "word.eq(word >> 2)",
        "word.eq(word >> 1)",
        "unit",
        "A hop takes one bit from the word instead of a letter.",
        network=SOURCE,
    ),
    Fault(
        "word-of-the-neighbour",
        "routing/vertex_transitive.py",
        "entries[c : len(row)",
        "entries[c ^ (c < 2) : len(row)",
        "unit",
        "The rows of classes 0 and 1 have changed places in the ROM.",
        network=SOURCE,
    ),
    # Adaptive
    Fault(
        "busy-link-taken",
        "routing/adaptive.py",
        "mask & self.selection[:4]",
        "mask",
        "unit",
        "It does not matter which links are free.",
        network=ADAPTIVE,
    ),
    Fault(
        "highest-free-link",
        "routing/adaptive.py",
        "reversed(range(4))",
        "range(4)",
        "unit",
        "Of several free links the highest is taken.",
        network=ADAPTIVE,
    ),
    Fault(
        "detour-on-a-free-link",
        "routing/adaptive.py",
        "mask & self.selection[:4]",
        "self.selection[:4]",
        "unit",
        "A free link is taken though it is on no shortest path.",
        network=ADAPTIVE,
    ),
    # Chordal ring
    Fault(
        "sector-starts-late",
        "lib/compare.py",
        "above: Value = C(1, 1)",
        "above: Value = C(0, 1)",
        "unit",
        "The first way to go of a sector counts as of the one before.",
        network=RING,
    ),
    Fault(
        "sector-without-change",
        "routing/chordal_ring.py",
        "change & reached.replicate(2)",
        "change & (reached & (j != 2)).replicate(2)",
        "unit",
        "In sector 2 the link is that of sector 1.",
        network=RING,
    ),
    Fault(
        "arrival-port-ignored",
        "routing/chordal_ring.py",
        "Array(cases)[self.arrival] if len(cases) > 1 else cases[0]",
        "cases[0]",
        "unit",
        "The sectors are those for packets that came by link A.",
        network=PAPER,
    ),
    Fault(
        "past-the-end-of-the-ring",
        "routing/chordal_ring.py",
        "destination >= n",
        "destination > n",
        "unit",
        "The label n is taken for a node.",
        network=RING,
    ),
    # Table
    Fault(
        "entry-of-the-next",
        "routing/table.py",
        "for entry in entries)",
        "for entry in entries[1:] + entries[:1])",
        "unit",
        "A packet goes to the destination after its own.",
        network=TABLE,
    ),
    Fault(
        "entry-bits-swapped",
        "routing/table.py",
        "for bit in range(width)",
        "for bit in reversed(range(width))",
        "unit",
        "The bits of a port are in the wrong order.",
        network=TABLE,
    ),
    Fault(
        "destination-too-far",
        "routing/table.py",
        "destination >= len(",
        "destination > len(",
        "unit",
        "A destination one beyond the last is accepted.",
        network=TABLE,
    ),
    # Computed phase I
    Fault(
        "count-does-not-fall",
        "routing/two_phase.py",
        "count - 1, 0",
        "count, 0",
        "unit",
        "A link A or B is taken for ever.",
        network=COMPUTED,
    ),
    Fault(
        "forward-and-back-swapped",
        "routing/two_phase.py",
        "Mux(first, m1[-1], m2[-1])",
        "Mux(first, m2[-1], m1[-1])",
        "unit",
        "The sign of the other count decides between a link and its inverse.",
        network=COMPUTED,
    ),
    Fault(
        "negative-step-not-negated",
        "lib/circulant.py",
        "kept.eq(sign * x)",
        "kept.eq(x)",
        "unit",
        "Candidates of the second half of Table II keep their sign.",
        network=COMPUTED,
    ),
    Fault(
        "longer-way-chosen",
        "lib/circulant.py",
        "second.eq(b[0] < a[0])",
        "second.eq(b[0] > a[0])",
        "unit",
        "Of two candidates the longer one is taken.",
        network=COMPUTED,
    ),
)
"""What the unit bench must find."""
