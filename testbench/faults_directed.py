"""Planted faults of the routing units of kyklos, rotator and super rotator networks."""

from typing import Any

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

FAULTS: tuple[dict[str, Any], ...] = (
    # The hop on KYKLOS
    {
        "name": "tree-climbed-again",
        "file": "routing/kyklos.py",
        "old": "level.any() & ~climbed",
        "new": "level.any()",
        "network": _kyklos("h2"),
        "why": "A leaf sends a packet up the tree again that it came down by.",
    },
    {
        "name": "levels-left-in-the-header",
        "file": "routing/kyklos.py",
        "old": 'm.d.comb += self.next_header[f"L{t}"].eq(0)',
        "new": "pass",
        "network": _kyklos("h2"),
        "why": "The levels of a tree that was climbed are not taken out of the header.",
    },
    {
        "name": "trees-in-rising-order",
        "file": "routing/kyklos.py",
        "old": "for t in ((last + k) % r for k in range(r)):",
        "new": "for t in ((last - k) % r for k in range(r)):",
        "network": _kyklos("h2", r=3, n=3),
        "why": "The trees before the last are climbed in rising order, which can deadlock.",
    },
    {
        "name": "one-level-too-high",
        "file": "routing/kyklos.py",
        "old": "straps.level < limit",
        "new": "straps.level <= limit",
        "network": _kyklos("m"),
        "why": "Packets turn a level above the one that they should.",
    },
    {
        "name": "up-again-on-the-way-down",
        "file": "routing/kyklos.py",
        "old": "(self.arrival < children) & ",
        "new": "",
        "network": _kyklos("m"),
        "why": "A packet that comes down from its parent is sent up to it again.",
    },
    {
        "name": "no-digit-accepted",
        "file": "routing/kyklos.py",
        "old": "error.eq(Cat(digit >= topology.m",
        "new": "error.eq(Cat(digit > topology.m",
        "network": _kyklos("m", m=3, r=2, n=2),
        "why": "A destination with a digit 3 in base 3 is not refused.",
    },
    # The launch on KYKLOS
    {
        "name": "string-of-the-wrong-tree",
        "file": "routing/kyklos.py",
        "old": "for row in topology.z.tolist())[start]",
        "new": "for row in topology.z[::-1].tolist())[start]",
        "network": _kyklos("h2"),
        "why": "The string is not that of the start tree.",
    },
    {
        "name": "trees-not-turned-back",
        "file": "routing/kyklos.py",
        "old": "levels[(t - s) % r]",
        "new": "levels[t]",
        "network": _kyklos("modified-p2"),
        "why": "L counts the trees from the start tree.",
    },
    {
        "name": "last-does-not-wrap",
        "file": "routing/kyklos.py",
        "old": "Mux(last >= r, last - r, last)",
        "new": "last",
        "network": _kyklos("h2", r=3, n=3),
        "why": "The last tree has a number that no tree has.",
    },
    {
        "name": "longest-tree",
        "file": "routing/kyklos_m.py",
        "old": "least.eq(reduce(and_, lengths))",
        "new": "least.eq(lengths[0])",
        "network": _kyklos("m"),
        "why": "The start tree is climbed even if another one is shorter.",
    },
    {
        "name": "slice-too-short",
        "file": "kyklos_words.py",
        "old": "string[: topology.h]",
        "new": "string[: topology.h - 1]",
        "network": _kyklos("h2"),
        "why": "Level h of a tree is never climbed.",
    },
    {
        "name": "tables-crossed",
        "file": "routing/kyklos_p2.py",
        "old": "entry[width * i :][:width] for i in range(r)]",
        "new": "entry[width * i :][:width] for i in reversed(range(r))]",
        "network": _kyklos("p2"),
        "why": "The ROM's levels go to the wrong trees.",
    },
    {
        "name": "no-way-round",
        "file": "routing/kyklos_y2.py",
        "old": "wraps = climbing[r] & ~fresh[0] & top[0]",
        "new": "wraps = Const(0, 1)",
        "network": _kyklos("y2", r=3, n=3),
        "why": "Step 7 is left out: the last tree never goes on into slice s.",
    },
    {
        "name": "full-slice-not-passed",
        "file": "routing/kyklos_y2.py",
        "old": "fresh[i] | climbing[i] & full[i]",
        "new": "fresh[i]",
        "network": _kyklos("y2", r=3, n=3),
        "why": "A tree does not go on beyond a slice of ones.",
    },
    {
        "name": "zeros-climbed",
        "file": "routing/kyklos_y2.py",
        "old": "bit_length(word & ~run[::-1])",
        "new": "bit_length(word) - bit_length(run)",
        "network": _kyklos("y2", r=2, n=6),
        "why": "A tree also climbs the f zeros below the ones that another tree has changed.",
    },
    # Rotator
    {
        "name": "suffix-not-strict",
        "file": "routing/rotator.py",
        "old": "a > b for a, b",
        "new": "a < b for a, b",
        "network": ROTATOR,
        "why": "The longest falling suffix is taken for the longest increasing one.",
    },
    {
        "name": "first-letter-too-deep",
        "file": "routing/rotator.py",
        "old": "(smaller << 1))[2 : n + 1]",
        "new": "smaller)[2 : n + 1]",
        "network": ROTATOR,
        "why": "The first letter comes to stand before a smaller one.",
    },
    {
        "name": "lowest-link",
        "file": "priority.py",
        "old": "bit & ~word[i + 1 :].any()",
        "new": "bit & ~word[:i].any()",
        "network": ROTATOR,
        "why": "The shortest of the rotations is taken.",
    },
    {
        "name": "letter-twice",
        "file": "routing/rotator.py",
        "old": "for t in range(n))\n        m.d.comb += [self.next_header",
        "new": "for t in range(1, n))\n        m.d.comb += [self.next_header",
        "network": ROTATOR,
        "why": "A header without place 0, and with another one twice, is not refused.",
    },
    # Super rotator: the hop
    {
        "name": "component-that-is-not-there",
        "file": "routing/super_rotator.py",
        "old": "over & straps.across",
        "new": "over",
        "network": SUPER_ROTATOR,
        "why": "A packet leaves for a component that does not exist.",
    },
    {
        "name": "waiting-letter-lost",
        "file": "routing/super_rotator.py",
        "old": "Mux(over, 0, smaller << 1)",
        "new": "(smaller << 1)",
        "network": SUPER_ROTATOR,
        "why": "A letter whose component does not exist is not put behind the others that wait.",
    },
    {
        "name": "down-without-an-end",
        "file": "routing/super_rotator.py",
        "old": "self.next_header.stage.eq(HERE)",
        "new": "self.next_header.stage.eq(DOWN)",
        "network": SUPER_ROTATOR,
        "why": "A packet that went down is not told that it is there.",
    },
    # Super rotator: the launch
    {
        "name": "one-node-too-many",
        "file": "routing/super_rotator.py",
        "old": "at_least(destination, Const(topology.nodes))",
        "new": "at_least(destination, Const(topology.nodes + 1))",
        "network": SUPER_ROTATOR,
        "why": "A destination that is no node, N, is not refused.",
    },
    {
        "name": "longer-link",
        "file": "routing/super_rotator.py",
        "old": "mine <= other for",
        "new": "mine >= other for",
        "network": SUPER_ROTATOR,
        "why": "Of two type B links the one with the longer way is taken.",
    },
    {
        "name": "no-second-turn",
        "file": "routing/super_rotator.py",
        "old": "hops += [waiting, waiting & beyond]",
        "new": "hops += [waiting]",
        "network": SUPER_ROTATOR,
        "why": "Letters whose component does not exist are counted once.",
    },
    {
        "name": "tails-out-of-order",
        "file": "routing/super_rotator.py",
        "old": "int(self.routing.topology.end[i])) % size",
        "new": "int(self.routing.topology.base[i])) % size",
        "network": _network("class", family="super-rotator", nodes=23),
        "why": "The nodes above a destination are looked up for another destination.",
    },
)
