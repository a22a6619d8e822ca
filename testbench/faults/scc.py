"""Planted faults of the routing units of star graphs and star-connected cycles."""

from typing import Any

from fingerpost.testbench.faults.fault import Fault

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

FAULTS = (
    # What all have in common
    Fault(
        "half-a-ring-the-wrong-way",
        "routing/star.py",
        "2 * k == ring and t > i",
        "2 * k == ring and t < i",
        "unit",
        "Halfway round, + leads to the smaller position.",
        network=GREEDY,
    ),
    Fault(
        "lateral-link-changes-nothing",
        "routing/star.py",
        "lateral.eq(Mux(taken, 1 << self.straps.i, 1))",
        "lateral.eq(1)",
        "unit",
        "A lateral link leaves the permutation as it is.",
        network=NEAR_MINIMAL,
    ),
    Fault(
        "position-1-accepted",
        "routing/star.py",
        "wrong |= (header.i_d == 0) | (header.i_d >= n)",
        "wrong |= header.i_d >= n",
        "unit",
        "A packet to ring position 1, which there is not, is let in.",
        network=NEAR_MINIMAL,
    ),
    Fault(
        "any-symbols-accepted",
        "routing/star.py",
        "wrong = ~is_permutation(p)",
        "wrong = is_permutation(p) & 0",
        "unit",
        "A symbol may come twice.",
        network=STAR,
    ),
    Fault(
        "r-cycle-of-symbol-1-cut-short",
        "routing/star_cycles.py",
        "for step in range(2, n // 2 + 1):",
        "for step in range(2, n // 2):",
        "unit",
        "Symbols far from symbol 1 in its r-cycle seem to be apart from it.",
        network=GREEDY,
    ),
    Fault(
        "memory-of-the-terminal-believed",
        "routing/star.py",
        "self.next_header[self.routing.memory].eq(0)",
        "[]",
        "unit",
        "An anchor that a terminal sends begins a route that no proof has seen.",
        network=SMALL_GREEDY,
    ),
    # Greedy
    Fault(
        "anchor-stays",
        "routing/scc_greedy.py",
        "Mux(anchor == link, 0, anchor)",
        "anchor",
        "unit",
        "The anchor is not lifted when its r-cycle is complete.",
        network=SMALL_GREEDY,
    ),
    Fault(
        "anchor-forgotten",
        "routing/scc_greedy.py",
        "Mux(self.header.anchor.any() & ~p[0][0], p[0], link)",
        "link",
        "unit",
        "An r-cycle under way is left for a nearer link.",
        network=GREEDY,
    ),
    Fault(
        "ties-go-minus",
        "routing/scc_nearest.py",
        "~minus | _plus_comes_first(m, p, i, d)",
        "~minus",
        "unit",
        "Of two links that are equally near, always the one by - is taken.",
        network=_network("scc", 4, "greedy", memory="none"),
    ),
    Fault(
        "ties-by-position-alone",
        "routing/scc_nearest.py",
        "p_turned[r][end] if r in farther else r == end for r",
        "r == end for r",
        "unit",
        "Of two links that are equally near, the smaller, wherever their r-cycle begins.",
        network=GREEDY,
    ),
    Fault(
        "largest-leads",
        "routing/scc_greedy.py",
        "lowest(misplaced(p))",
        "lowest(misplaced(p)[::-1])[::-1]",
        "unit",
        "The last of the r-cycles is begun first.",
        network=STAR,
    ),
    # Random
    Fault(
        "draw-off-by-one",
        "routing/scc_random.py",
        "is_low.eq(place < low)",
        "is_low.eq(place <= low)",
        "unit",
        "A link is drawn too early, or none.",
        network=RANDOM,
    ),
    Fault(
        "target-not-kept",
        "routing/scc_random.py",
        "Mux(kept, 1 << self.header.target, drawn)",
        "drawn",
        "unit",
        "Every node draws afresh.",
        network=RANDOM,
    ),
    Fault(
        "target-stays",
        "routing/scc_random.py",
        "Mux(taken, 0, encode(target))",
        "encode(target)",
        "unit",
        "The target stays after its link is taken.",
        network=RANDOM,
    ),
    # Near-minimal
    Fault(
        "way-home-ignored",
        "routing/scc_promise.py",
        "Cat(d, enter, leave, first, ~following)",
        "Cat(d, enter, Const(0, len(d)), first, ~following)",
        "unit",
        "Promises do not count the way from the last lateral link to the destination.",
        network=NEAR_MINIMAL,
    ),
    Fault(
        "farther-of-equals",
        "routing/scc_promise.py",
        "keys.append(Cat(count(m, d), promise, ~b[k]))",
        "keys.append(Cat(promise, ~b[k]))",
        "unit",
        "Of equal promises the smallest link is taken, even if another is nearer.",
        network=_network("scc", 5, "near-minimal"),
    ),
    Fault(
        "link-outside-b",
        "routing/scc_promise.py",
        "promise, ~b[k]",
        "promise",
        "unit",
        "Links that do not lower the star distance are taken too.",
        network=NEAR_MINIMAL,
    ),
    # Minimal
    Fault(
        "position-one-off",
        "routing/scc_minimal.py",
        "here.word_select((header.i_d - 1)",
        "here.word_select((header.i_d - 2)",
        "unit",
        "The port is that to the ring position before.",
        network=MINIMAL,
    ),
    Fault(
        "number-kept",
        "routing/scc_minimal.py",
        "self.port == topology.lateral,",
        "self.port == topology.minus,",
        "unit",
        "The number of the permutation changes on the ring and not behind it.",
        network=MINIMAL,
    ),
    Fault(
        "one-number-too-many",
        "routing/scc_minimal.py",
        "wrong = header.number >= len(topology.labels)",
        "wrong = header.number > len(topology.labels)",
        "unit",
        "A number that no permutation has is let in.",
        network=MINIMAL,
    ),
)
"""Every fault of these units; the bench of level unit finds each."""
