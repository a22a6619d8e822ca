"""Planted faults of the routing units of Borel networks, and of tables."""

from typing import Any

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

FAULTS: tuple[dict[str, Any], ...] = (
    # Vertex-transitive
    {
        "name": "step-of-another-class",
        "file": "routing/vertex_transitive.py",
        "old": "steps.tolist())",
        "new": "steps[::-1].tolist())",
        "network": SHORTEST,
        "why": "A hop takes off the way what it should in another class.",
    },
    {
        "name": "class-goes-the-other-way",
        "file": "routing/vertex_transitive.py",
        "old": "C(int(t) % k, range(k))",
        "new": "C(int(-t) % k, range(k))",
        "network": SHORTEST,
        "why": "The class of the rest changes as for the inverse link.",
    },
    {
        "name": "arrived-in-the-class",
        "file": "routing/vertex_transitive.py",
        "old": "arrived.eq(~Cat(c, x).any())",
        "new": "arrived.eq(~c.any())",
        "network": ABSOLUTE,
        "why": "Packets are delivered as soon as they reach the class of the destination.",
    },
    {
        "name": "no-node-taken-off",
        "file": "routing/vertex_transitive.py",
        "old": "if absolute else (header.c, header.x)",
        "new": "if absolute and False else (header.c, header.x)",
        "network": ABSOLUTE,
        "why": "An absolute address is taken for a relative one.",
    },
    {
        "name": "half-a-letter-taken",
        "file": "routing/vertex_transitive.py",
        "old": "word.eq(word >> 2)",
        "new": "word.eq(word >> 1)",
        "network": SOURCE,
        "why": "A hop takes one bit from the word instead of a letter.",
    },
    {
        "name": "word-of-the-neighbour",
        "file": "routing/vertex_transitive.py",
        "old": "entries[c : len(row)",
        "new": "entries[c ^ (c < 2) : len(row)",
        "network": SOURCE,
        "why": "The rows of classes 0 and 1 have changed places in the ROM.",
    },
    # Adaptive
    {
        "name": "busy-link-taken",
        "file": "routing/adaptive.py",
        "old": "mask & self.hint[:4]",
        "new": "mask",
        "network": ADAPTIVE,
        "why": "It does not matter which links are free.",
    },
    {
        "name": "highest-free-link",
        "file": "routing/adaptive.py",
        "old": "reversed(range(4))",
        "new": "range(4)",
        "network": ADAPTIVE,
        "why": "Of several free links the highest is taken.",
    },
    {
        "name": "detour-on-a-free-link",
        "file": "routing/adaptive.py",
        "old": "mask & self.hint[:4]",
        "new": "self.hint[:4]",
        "network": ADAPTIVE,
        "why": "A free link is taken though it is on no shortest path.",
    },
    # Chordal ring
    {
        "name": "sector-starts-late",
        "file": "compare.py",
        "old": "above: Value = C(1, 1)",
        "new": "above: Value = C(0, 1)",
        "network": RING,
        "why": "The first way to go of a sector counts as of the one before.",
    },
    {
        "name": "sector-without-change",
        "file": "routing/chordal_ring.py",
        "old": "change & reached.replicate(2)",
        "new": "change & (reached & (j != 2)).replicate(2)",
        "network": RING,
        "why": "In sector 2 the link is that of sector 1.",
    },
    {
        "name": "arrival-port-ignored",
        "file": "routing/chordal_ring.py",
        "old": "Array(cases)[self.arrival] if len(cases) > 1 else cases[0]",
        "new": "cases[0]",
        "network": PAPER,
        "why": "The sectors are those for packets that came by link A.",
    },
    {
        "name": "past-the-end-of-the-ring",
        "file": "routing/chordal_ring.py",
        "old": "destination >= n",
        "new": "destination > n",
        "network": RING,
        "why": "The label n is taken for a node.",
    },
    # Table
    {
        "name": "entry-of-the-next",
        "file": "routing/table.py",
        "old": "for entry in entries)",
        "new": "for entry in entries[1:] + entries[:1])",
        "network": TABLE,
        "why": "A packet goes to the destination after its own.",
    },
    {
        "name": "entry-bits-swapped",
        "file": "routing/table.py",
        "old": "for bit in range(len(self.port))",
        "new": "for bit in reversed(range(len(self.port)))",
        "network": TABLE,
        "why": "The bits of a port are in the wrong order.",
    },
    {
        "name": "destination-too-far",
        "file": "routing/table.py",
        "old": "destination >= terminals",
        "new": "destination > terminals",
        "network": TABLE,
        "why": "A destination one beyond the last is accepted.",
    },
    # Computed phase I
    {
        "name": "count-does-not-fall",
        "file": "routing/two_phase.py",
        "old": "count - 1, 0",
        "new": "count, 0",
        "network": COMPUTED,
        "why": "A link A or B is taken for ever.",
    },
    {
        "name": "forward-and-back-swapped",
        "file": "routing/two_phase.py",
        "old": "Mux(first, m1[-1], m2[-1])",
        "new": "Mux(first, m2[-1], m1[-1])",
        "network": COMPUTED,
        "why": "The sign of the other count decides between a link and its inverse.",
    },
    {
        "name": "negative-step-not-negated",
        "file": "circulant.py",
        "old": "kept.eq(sign * x)",
        "new": "kept.eq(x)",
        "network": COMPUTED,
        "why": "Candidates of the second half of Table II keep their sign.",
    },
    {
        "name": "longer-way-chosen",
        "file": "circulant.py",
        "old": "second.eq(b[0] < a[0])",
        "new": "second.eq(b[0] > a[0])",
        "network": COMPUTED,
        "why": "Of two candidates the longer one is taken.",
    },
)
"""What the unit bench must find."""
