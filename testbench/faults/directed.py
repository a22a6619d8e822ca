"""Planted faults of the routing units of kyklos, rotator and super rotator networks."""

from typing import Any

from fingerpost.testbench.faults.fault import Fault

__all__ = ["FAULTS"]


def _network(algorithm: str, **topology: Any) -> dict[str, Any]:
    family = topology["family"]
    return {
        "name": f"{family}-{algorithm}",
        "topology": topology,
        "routing": {"algorithm": algorithm},
    }


def _kyklos(algorithm: str, m: int = 2, r: int = 2, n: int = 4) -> dict[str, Any]:
    return _network(algorithm, family="kyklos", m=m, r=r, n=n)


ROTATOR = _network("rotator", family="rotator", n=4)
SUPER_ROTATOR = _network("class", family="super-rotator", nodes=13)
"""Class 3 with two type B links to and from each node of class 1."""

FAULTS = (
    # The hop on KYKLOS
    Fault(
        "tree-climbed-again",
        "routing/kyklos.py",
        "level.any() & ~climbed",
        "level.any()",
        "unit",
        "A leaf sends a packet up the tree again that it came down by.",
        network=_kyklos("h2"),
    ),
    Fault(
        "levels-left-in-the-header",
        "routing/kyklos.py",
        'm.d.comb += self.next_header[f"L{t}"].eq(0)',
        "pass",
        "unit",
        "The levels of a tree that was climbed are not taken out of the header.",
        network=_kyklos("h2"),
    ),
    Fault(
        "trees-in-rising-order",
        "routing/kyklos.py",
        "for t in ((last + k) % r for k in range(r)):",
        "for t in ((last - k) % r for k in range(r)):",
        "unit",
        "The trees before the last are climbed in rising order, which can deadlock.",
        network=_kyklos("h2", r=3, n=3),
    ),
    Fault(
        "one-level-too-high",
        "routing/kyklos.py",
        "straps.level < limit",
        "straps.level <= limit",
        "unit",
        "Packets turn a level above the one that they should.",
        network=_kyklos("m"),
    ),
    Fault(
        "up-again-on-the-way-down",
        "routing/kyklos.py",
        "(self.arrival < children) & ",
        "",
        "unit",
        "A packet that comes down from its parent is sent up to it again.",
        network=_kyklos("m"),
    ),
    Fault(
        "no-digit-accepted",
        "routing/kyklos.py",
        "error.eq(Cat(digit >= topology.m",
        "error.eq(Cat(digit > topology.m",
        "unit",
        "A destination with a digit 3 in base 3 is not refused.",
        network=_kyklos("m", m=3, r=2, n=2),
    ),
    # The launch on KYKLOS
    Fault(
        "string-of-the-wrong-tree",
        "routing/kyklos.py",
        "for row in topology.z.tolist())[start]",
        "for row in topology.z[::-1].tolist())[start]",
        "unit",
        "The string is not that of the start tree.",
        network=_kyklos("h2"),
    ),
    Fault(
        "trees-not-turned-back",
        "routing/kyklos.py",
        "levels[(t - s) % r]",
        "levels[t]",
        "unit",
        "L counts the trees from the start tree.",
        network=_kyklos("modified-p2"),
    ),
    Fault(
        "last-does-not-wrap",
        "routing/kyklos.py",
        "Mux(last >= r, last - r, last)",
        "last",
        "unit",
        "The last tree has a number that no tree has.",
        network=_kyklos("h2", r=3, n=3),
    ),
    Fault(
        "longest-tree",
        "routing/kyklos_m.py",
        "least.eq(reduce(and_, lengths))",
        "least.eq(lengths[0])",
        "unit",
        "The start tree is climbed even if another one is shorter.",
        network=_kyklos("m"),
    ),
    Fault(
        "slice-too-short",
        "routing/kyklos_words.py",
        "string[: topology.h]",
        "string[: topology.h - 1]",
        "unit",
        "Level h of a tree is never climbed.",
        network=_kyklos("h2"),
    ),
    Fault(
        "tables-crossed",
        "routing/kyklos_p2.py",
        "entry[width * i :][:width] for i in range(r)]",
        "entry[width * i :][:width] for i in reversed(range(r))]",
        "unit",
        "The ROM's levels go to the wrong trees.",
        network=_kyklos("p2"),
    ),
    Fault(
        "no-way-round",
        "routing/kyklos_y2.py",
        "wraps = climbing[r] & ~fresh[0] & top[0]",
        "wraps = Const(0, 1)",
        "unit",
        "Step 7 is left out: the last tree never goes on into slice s.",
        network=_kyklos("y2", r=3, n=3),
    ),
    Fault(
        "full-slice-not-passed",
        "routing/kyklos_y2.py",
        "fresh[i] | climbing[i] & full[i]",
        "fresh[i]",
        "unit",
        "A tree does not go on beyond a slice of ones.",
        network=_kyklos("y2", r=3, n=3),
    ),
    Fault(
        "zeros-climbed",
        "routing/kyklos_y2.py",
        "bit_length(word & ~run[::-1])",
        "bit_length(word) - bit_length(run)",
        "unit",
        "A tree also climbs the f zeros below the ones that another tree has changed.",
        network=_kyklos("y2", r=2, n=6),
    ),
    # Rotator
    Fault(
        "suffix-not-strict",
        "routing/rotator.py",
        "a > b for a, b",
        "a < b for a, b",
        "unit",
        "The longest falling suffix is taken for the longest increasing one.",
        network=ROTATOR,
    ),
    Fault(
        "first-letter-too-deep",
        "routing/rotator.py",
        "(smaller << 1))[2 : n + 1]",
        "smaller)[2 : n + 1]",
        "unit",
        "The first letter comes to stand before a smaller one.",
        network=ROTATOR,
    ),
    Fault(
        "lowest-link",
        "lib/priority.py",
        "bit & ~word[i + 1 :].any()",
        "bit & ~word[:i].any()",
        "unit",
        "The shortest of the rotations is taken.",
        network=ROTATOR,
    ),
    Fault(
        "letter-twice",
        "routing/rotator.py",
        "for t in range(n))\n        m.d.comb += [self.next_header",
        "for t in range(1, n))\n        m.d.comb += [self.next_header",
        "unit",
        "A header without place 0, and with another one twice, is not refused.",
        network=ROTATOR,
    ),
    # Super rotator: the hop
    Fault(
        "component-that-is-not-there",
        "routing/super_rotator.py",
        "over & straps.across",
        "over",
        "unit",
        "A packet leaves for a component that does not exist.",
        network=SUPER_ROTATOR,
    ),
    Fault(
        "waiting-letter-lost",
        "routing/super_rotator.py",
        "Mux(over, 0, smaller << 1)",
        "(smaller << 1)",
        "unit",
        "A letter whose component does not exist is not put behind the others that wait.",
        network=SUPER_ROTATOR,
    ),
    Fault(
        "down-without-an-end",
        "routing/super_rotator.py",
        "self.next_header.stage.eq(HERE)",
        "self.next_header.stage.eq(DOWN)",
        "unit",
        "A packet that went down is not told that it is there.",
        network=SUPER_ROTATOR,
    ),
    # Super rotator: the launch
    Fault(
        "one-node-too-many",
        "routing/super_rotator.py",
        "at_least(destination, Const(topology.nodes))",
        "at_least(destination, Const(topology.nodes + 1))",
        "unit",
        "A destination that is no node, N, is not refused.",
        network=SUPER_ROTATOR,
    ),
    Fault(
        "longer-link",
        "routing/super_rotator.py",
        "mine <= other for",
        "mine >= other for",
        "unit",
        "Of two type B links the one with the longer way is taken.",
        network=SUPER_ROTATOR,
    ),
    Fault(
        "no-second-turn",
        "routing/super_rotator.py",
        "hops += [waiting, waiting & beyond]",
        "hops += [waiting]",
        "unit",
        "Letters whose component does not exist are counted once.",
        network=SUPER_ROTATOR,
    ),
    Fault(
        "tails-out-of-order",
        "routing/super_rotator.py",
        "int(self.routing.topology.end[i])) % size",
        "int(self.routing.topology.base[i])) % size",
        "unit",
        "The nodes above a destination are looked up for another destination.",
        network=_network("class", family="super-rotator", nodes=23),
    ),
)
