"""A network file that is right, and what is said of those that are not."""

from pathlib import Path

import pytest

from fingerpost.netfile.source import NetfileError, load

GOOD = """\
name: tiny
topology: {family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}
routing: {algorithm: two-phase}
"""
KEYS = "the keys here are"
PARTS = "name, topology, routing, router, link, terminal, counters, faults"
NAME = "1 to 64 of the characters a-z 0-9 _ -, a letter first: it names files and modules"


def refusal(text: str) -> str:
    Path("x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(NetfileError) as caught:
        load("x.yaml")
    return str(caught.value)


def with_change(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)
