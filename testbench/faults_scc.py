"""Planted faults of the routing units of star graphs and star-connected cycles."""

from typing import Any

__all__ = ["FAULTS"]


def _network(family: str, n: int, algorithm: str, **options: str) -> dict[str, Any]:
    return {
        "name": "-".join([family, str(n), algorithm, *options.values()]),
        "topology": {"family": family, "n": n},
        "routing": {"algorithm": algorithm, **options},
    }


GREEDY = _network("scc", 5, "greedy")
SMALL_GREEDY = _network("scc", 4, "greedy")
RANDOM = _network("scc", 4, "random")
NEAR_MINIMAL = _network("scc", 4, "near-minimal")
MINIMAL = _network("scc", 4, "minimal")
STAR = _network("star", 4, "greedy")

FAULTS: tuple[dict[str, Any], ...] = (
    # What all have in common
    {
        "name": "half-a-ring-the-wrong-way",
        "file": "routing/star.py",
        "old": "2 * k == ring and t > i",
        "new": "2 * k == ring and t < i",
        "network": GREEDY,
        "why": "Halfway round, + leads to the smaller position.",
    },
    {
        "name": "lateral-link-changes-nothing",
        "file": "routing/star.py",
        "old": "lateral.eq(Mux(taken, 1 << self.straps.i, 1))",
        "new": "lateral.eq(1)",
        "network": NEAR_MINIMAL,
        "why": "A lateral link leaves the permutation as it is.",
    },
    {
        "name": "position-1-accepted",
        "file": "routing/star.py",
        "old": "wrong |= (header.i_d == 0) | (header.i_d >= n)",
        "new": "wrong |= header.i_d >= n",
        "network": NEAR_MINIMAL,
        "why": "A packet to ring position 1, which there is not, is let in.",
    },
    {
        "name": "any-symbols-accepted",
        "file": "routing/star.py",
        "old": "wrong = ~is_permutation(p)",
        "new": "wrong = is_permutation(p) & 0",
        "network": STAR,
        "why": "A symbol may come twice.",
    },
    {
        "name": "r-cycle-of-symbol-1-cut-short",
        "file": "star_cycles.py",
        "old": "for step in range(2, n // 2 + 1):",
        "new": "for step in range(2, n // 2):",
        "network": GREEDY,
        "why": "Symbols far from symbol 1 in its r-cycle seem to be apart from it.",
    },
    {
        "name": "memory-of-the-terminal-believed",
        "file": "routing/star.py",
        "old": "self.next_header[self.routing.memory].eq(0)",
        "new": "[]",
        "network": SMALL_GREEDY,
        "why": "An anchor that a terminal sends begins a route that no proof has seen.",
    },
    # Greedy
    {
        "name": "anchor-stays",
        "file": "routing/scc_greedy.py",
        "old": "Mux(anchor == link, 0, anchor)",
        "new": "anchor",
        "network": SMALL_GREEDY,
        "why": "The anchor is not lifted when its r-cycle is complete.",
    },
    {
        "name": "anchor-forgotten",
        "file": "routing/scc_greedy.py",
        "old": "Mux(self.header.anchor.any() & ~p[0][0], p[0], link)",
        "new": "link",
        "network": GREEDY,
        "why": "An r-cycle under way is left for a nearer link.",
    },
    {
        "name": "ties-go-minus",
        "file": "routing/scc_nearest.py",
        "old": "~minus | _plus_comes_first(m, p, i, d)",
        "new": "~minus",
        "network": _network("scc", 4, "greedy", memory="none"),
        "why": "Of two links that are equally near, always the one by - is taken.",
    },
    {
        "name": "ties-by-position-alone",
        "file": "routing/scc_nearest.py",
        "old": "p_turned[r][end] if r in farther else r == end for r",
        "new": "r == end for r",
        "network": GREEDY,
        "why": "Of two links that are equally near, the smaller, wherever their r-cycle begins.",
    },
    {
        "name": "largest-leads",
        "file": "routing/scc_greedy.py",
        "old": "lowest(misplaced(p))",
        "new": "lowest(misplaced(p)[::-1])[::-1]",
        "network": STAR,
        "why": "The last of the r-cycles is begun first.",
    },
    # Random
    {
        "name": "draw-off-by-one",
        "file": "routing/scc_random.py",
        "old": "is_low.eq(place < low)",
        "new": "is_low.eq(place <= low)",
        "network": RANDOM,
        "why": "A link is drawn too early, or none.",
    },
    {
        "name": "target-not-kept",
        "file": "routing/scc_random.py",
        "old": "Mux(kept, 1 << self.header.target, drawn)",
        "new": "drawn",
        "network": RANDOM,
        "why": "Every node draws afresh.",
    },
    {
        "name": "target-stays",
        "file": "routing/scc_random.py",
        "old": "Mux(taken, 0, encode(target))",
        "new": "encode(target)",
        "network": RANDOM,
        "why": "The target stays after its link is taken.",
    },
    # Near-minimal
    {
        "name": "way-home-ignored",
        "file": "routing/scc_promise.py",
        "old": "Cat(d, enter, leave, first, ~following)",
        "new": "Cat(d, enter, Const(0, len(d)), first, ~following)",
        "network": NEAR_MINIMAL,
        "why": "Promises do not count the way from the last lateral link to the destination.",
    },
    {
        "name": "farther-of-equals",
        "file": "routing/scc_promise.py",
        "old": "keys.append(Cat(count(m, d), promise, ~b[k]))",
        "new": "keys.append(Cat(promise, ~b[k]))",
        "network": _network("scc", 5, "near-minimal"),
        "why": "Of equal promises the smallest link is taken, even if another is nearer.",
    },
    {
        "name": "link-outside-b",
        "file": "routing/scc_promise.py",
        "old": "promise, ~b[k]",
        "new": "promise",
        "network": NEAR_MINIMAL,
        "why": "Links that do not lower the star distance are taken too.",
    },
    # Minimal
    {
        "name": "position-one-off",
        "file": "routing/scc_minimal.py",
        "old": "here.word_select((header.i_d - 1)",
        "new": "here.word_select((header.i_d - 2)",
        "network": MINIMAL,
        "why": "The port is that to the ring position before.",
    },
    {
        "name": "number-kept",
        "file": "routing/scc_minimal.py",
        "old": "self.port == topology.lateral,",
        "new": "self.port == topology.minus,",
        "network": MINIMAL,
        "why": "The number of the permutation changes on the ring and not behind it.",
    },
    {
        "name": "one-number-too-many",
        "file": "routing/scc_minimal.py",
        "old": "wrong = header.number >= len(topology.labels)",
        "new": "wrong = header.number > len(topology.labels)",
        "network": MINIMAL,
        "why": "A number that no permutation has is let in.",
    },
)
"""Every fault of these units; the bench of level unit finds each."""
