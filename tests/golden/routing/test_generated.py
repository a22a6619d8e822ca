"""What is let in of all that a terminal can send: only what encoded headers become."""

import re
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import Routing
from fingerpost.golden.routing.generated import CHUNK, encoded, generated_headers, raw_headers
from fingerpost.netfile.source import read
from tests.golden.test_raw_headers import NETWORKS, QUICK, SMALL
from tests.networks import CASES
from tests.quick import only

BOREL = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}
KYKLOS = {"family": "kyklos", "m": 3, "r": 2, "n": 2}  # some digits are none

OPTIONS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    *((case["topology"], case["routing"]) for case in CASES.values()),
    *((KYKLOS, {"algorithm": name}) for name in ("m", "h2", "p2", "modified-p2", "up-down")),
    (KYKLOS | {"r": 3, "n": 3, "variant": "I"}, {"algorithm": "m"}),
    ({"family": "super-rotator", "nodes": 23}, {"algorithm": "class", "link": "first"}),
    ({"family": "grid", "sizes": [5, 6, 2]}, {"algorithm": "dimension-order"}),
]

WIDER = [
    path.stem
    for path in sorted(NETWORKS.glob("*.yaml"))
    if path.stem not in SMALL and not path.stem.endswith("-deflection")  # these have no routes
]


LARGE = "scc-5", "metacyclic-7550", "borel-1081-set", "borel-15657", "borel-17525"
LONG = [name for name in WIDER if name.startswith(LARGE)]
"""As others, but larger, or with other generators."""


def of(topology: dict[str, Any], routing: dict[str, Any]) -> Routing:
    return routed({"name": "test", "topology": topology, "routing": routing}).routing


def of_file(name: str) -> Routing:
    return read(NETWORKS / f"{name}.yaml").routed().routing


def first_steps(routing: Routing, node: int, raw: Any) -> set[tuple[int, int]]:
    """Return the ports and next headers of what is let in, whatever the selection is."""
    at, local = np.full_like(raw, node), np.full_like(raw, routing.topology.local)
    steps = set()
    most = 1 << routing.selection_width
    for selection in range(0, most, max(1, most // 64)):
        port, header, error = routing.decide(at, local, raw, np.full_like(raw, selection))
        good = error == 0
        both = np.unique(np.stack([port[good], header[good]], axis=1), axis=0)
        steps |= {(int(p), int(h)) for p, h in both}
    return steps


def check_every_bit(routing: Routing, nodes: list[int]) -> None:
    """All that name no terminal are refused; the others go on as encoded ones do."""
    terminals = routing.topology.terminals
    width = routing.header.width
    for node in nodes:
        good = routing.encode(np.full_like(terminals, node), terminals)
        expected = first_steps(routing, node, good)
        for begin in range(0, 1 << width, CHUNK):
            raw = np.arange(begin, min(1 << width, begin + CHUNK))
            assert first_steps(routing, node, raw) <= expected
        for raw in raw_headers(routing):
            at, local = np.full_like(raw, node), np.full_like(raw, routing.topology.local)
            let_in = raw[routing.decide(at, local, raw).error == 0]
            assert set(let_in.tolist()) <= set(good.tolist())
        found = generated_headers(routing, node)
        assert found.tolist() == encoded(routing, node).tolist()
        assert len(found) == len(terminals)


@pytest.mark.parametrize(
    ("topology", "routing"), OPTIONS, ids=lambda part: "-".join(map(str, part.values()))
)
def test_every_header_of_every_algorithm(topology: dict[str, Any], routing: dict[str, Any]) -> None:
    it = of(topology, routing)
    terminals = it.topology.terminals
    check_every_bit(it, terminals[:: 3 if len(terminals) <= 24 else 11].tolist())


@pytest.mark.parametrize("name", only(QUICK, SMALL))
def test_every_header_of_a_network_file(name: str) -> None:
    routing = of_file(name)
    check_every_bit(routing, routing.topology.terminals[::3].tolist())


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=[pytest.mark.regress] if x in LONG else []) for x in WIDER]
)
def test_headers_of_a_large_network_file(name: str) -> None:
    # Where there are too many headers, all values of the fields that a terminal sends are tried,
    # and that all other bits are ignored.
    routing = of_file(name)
    terminals = routing.topology.terminals
    first = terminals[np.unique(routing.orbit[terminals], return_index=True)[1]]
    rng = np.random.default_rng(5)
    for node in first[:4].tolist():
        assert generated_headers(routing, node).tolist() == encoded(routing, node).tolist()
    sent = [routing.header[field] for field in routing.sent]
    mask = sum({1 << f.offset + i for f in sent for i in range(f.width)})
    raw = rng.integers(1 << routing.header.width, size=CHUNK)
    # Mostly those that are let in, with the other bits at random.
    node = rng.choice(terminals, CHUNK)
    good = routing.encode(node, rng.choice(terminals, CHUNK))
    raw = np.where(rng.random(CHUNK) < 0.8, good | raw & ~mask, raw)
    local = np.full_like(node, routing.topology.local)
    for one, other in zip(
        (*routing.generate_header(node, raw), *routing.decide(node, local, raw)),
        (*routing.generate_header(node, raw & mask), *routing.decide(node, local, raw & mask)),
        strict=True,
    ):
        assert (one == other).all()


def test_raw_headers_are_all_values_of_what_is_sent() -> None:
    routing = of(BOREL | {"A": [1, 1], "B": [2, 4]}, {"algorithm": "two-phase"})
    found = np.concatenate(list(raw_headers(routing))).tolist()
    values = [
        tuple(int(routing.header.cut(name, np.array(raw))) for name in ("phase", "c", "x"))
        for raw in found
    ]
    assert sorted(values) == [(p, c, x) for p in range(2) for c in range(4) for x in range(8)]


def test_too_many_headers_are_refused() -> None:
    routing = of({"family": "rotator", "n": 8}, {"algorithm": "rotator"})
    assert routing.header.width == 24
    assert next(raw_headers(routing)).tolist() == list(range(CHUNK))
    routing = of({"family": "star", "n": 9}, {"algorithm": "near-minimal"})
    message = "Launch needs headers with at most 24 bits sent to be tried out, not 36"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        next(raw_headers(routing))
