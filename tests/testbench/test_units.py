"""Routing units against golden: every algorithm, on networks of all sizes.

Some hundred questions are asked in Amaranth's simulator, and every question of smaller networks in
Icarus or Verilator, of one unit or some, and of as many side by side as there are bits of a vector.
`agreement.yaml` has units among routers and networks.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import yaml
from amaranth import Module, Mux, Signal, Value

from fingerpost.golden.network.network import build, routed
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.routing.walk import hops
from fingerpost.hdl.routing import UNITS, header_generator, routing_unit
from fingerpost.testbench.benches.questions import Examination, Questions, UnitBench, strange
from fingerpost.testbench.context import Context
from tests.golden.graphs import Edges, minimal
from tests.hdl.simulators import simulate
from tests.networks import CASES
from tests.testbench.faults.plant import agree


def mismatches(
    topology: dict[str, Any], routing: dict[str, Any], *, count: int = 200
) -> dict[str, Any]:
    """Return what comes of so many questions to some nodes, asked in Amaranth's simulator."""
    golden: Any = routed({"name": "test", "topology": topology, "routing": routing})
    routing_, rng = golden.routing, np.random.default_rng(0)
    terminals = golden.topology.terminals
    # A quarter are headers at terminals, random but for some fields; the rest are of routes.
    source, goal = rng.choice(terminals, (2, count))
    met = [np.stack(at[1:4]) for at in hops(routing_, source, goal, seed=0)]
    node, arrival, header = np.concatenate(met, axis=1)
    some = rng.permutation(len(node))[: count - count // 4]
    at = np.sort(rng.choice(terminals, count // 4))
    odd = np.array([rng.choice(strange(routing_, v, rng)) for v in at.tolist()])
    node = np.concatenate([node[some], at])
    arrival = np.concatenate([arrival[some], np.full(len(at), golden.topology.local)])
    header = np.concatenate([header[some], odd])
    selection = rng.integers(1 << routing_.selection_width, size=len(node))
    asked = [
        Questions(v, *(column[node == v] for column in (arrival, header, selection)))
        for v in np.unique(node).tolist()
    ]

    m = Module()
    m.submodules.header_generator = maker = header_generator(routing_)
    m.submodules.unit = unit = routing_unit(routing_)
    given, straps = Signal(routing_.header.width), Signal(routing_.straps.width)
    origin, error = Signal(), Signal()
    m.d.comb += [
        Value.cast(maker.header).eq(given),
        Value.cast(maker.straps).eq(straps),
        Value.cast(unit.straps).eq(straps),
        origin.eq(unit.arrival == golden.topology.local),
        Value.cast(unit.header).eq(Mux(origin, Value.cast(maker.next_header), given)),
        error.eq(unit.error | (origin & maker.error)),
    ]
    outputs = {"port": unit.port, "next_header": Value.cast(unit.next_header), "error": error}
    examination = Examination(golden, {"nodes": 0, "seed": 0})

    async def bench(ctx: Context) -> None:
        for each in asked:
            ctx.set(straps, routing_.straps.at(each.node))
            rows = []
            for came, header, told in zip(*(x.tolist() for x in each[1:]), strict=True):
                ctx.set(unit.arrival, came)
                ctx.set(given, header & (1 << routing_.header.width) - 1)
                if routing_.selection:
                    ctx.set(unit.selection, told)
                if routing_.node_table:  # here it answers at once: headers stay until they are read
                    address = np.array(ctx.get(maker.table.address))
                    answer = routing_.node_table.answers(np.array(each.node), address)
                    ctx.set(maker.table.entry, int(answer))
                if routing_.header_cycles:
                    await ctx.tick().repeat(routing_.header_cycles)
                else:
                    await ctx.delay(1e-9)
                rows.append({name: ctx.get(signal) for name, signal in outputs.items()})
            seen = {name: np.array([row[name] for row in rows]) for name in outputs}
            examination.compare(each, seen)

    simulate(m, bench)
    found = examination.report()
    assert found["decisions"] == len(node) > count // 4
    return found


BOREL_21 = "borel, p: 7, a: 2, A: [0, 1], B: [1, 1]"
BOREL_1081 = "borel, p: 47, a: 2, A: [1, 1], B: [7, 1]"
STEPS = "A: [1, 1], B: [1, 2]", "A: [1, 1], B: [2, 1]", "A: [2, 3], B: [1, 3]"
"""Of 21 nodes; no t is 0."""

SHORTEST = ", path: hop", ", table: first, path: hop", ", path: source", ", address: absolute"
RINGS = (
    *(f"chordal-ring, lookahead: {d}" for d in (1, 2, 3, 4)),
    *(f"chordal-ring, lookahead: {d}, rule: paper" for d in (1, 3)),
)
OF_BOREL = "adaptive", *(f"vertex-transitive{more}" for more in SHORTEST), *RINGS
OF_KYKLOS = "m", "h2", "p2", "modified-p2", "y2"
STARS = "greedy", "greedy, memory: none", "random", "near-minimal", "minimal"

CHAIN = nx.compose_all(
    [
        nx.path_graph([0, 1, 3, 5, 7]),
        nx.path_graph([0, 2, 4, 6]),
        nx.star_graph([6, 7, 8, 9, 10]),
        nx.path_graph([7, 8, 9, 10]),
        nx.star_graph([0, 11, 12, 13, 14]),
    ]
)
LINKS = [list(link) for link in sorted(CHAIN.edges)]
"""Node 7 sends what came from above to 10 by 8, and what did not by 6."""

SIZES = "[7]", "[8], wrap: true", "[5, 6]", "[5, 6], wrap: true", "[2, 2, 2, 2]"


def kyklos(*sizes: tuple[int, int, int], more: str = "") -> list[str]:
    return [f"kyklos, m: {m}, r: {r}, n: {n}{more}" for m, r, n in sizes]


Row = tuple[list[str], tuple[str, ...]]
"""Topologies, and the algorithms that are tried on each."""

QUICK: list[Row] = [
    ([BOREL_21], ("two-phase", "table", "up-down", *OF_BOREL)),
    ([f"borel, p: 7, a: 2, {each}" for each in STEPS], ("two-phase, phase1: computed",)),
    ([f"grid, sizes: {size}" for size in SIZES], ("dimension-order",)),
    (["grid, sizes: [3, 2, 4], wrap: [true, false, false]"], ("dimension-order",)),
    (["grid, sizes: [2, 2, 2]"], ("adaptive-table",)),
    ([f"edge-list, nodes: 15, links: {LINKS}", "grid, sizes: [2]"], ("up-down",)),
    (kyklos((2, 2, 2)), ("up-down",)),
    ([f"kautz, degree: {d}, diameter: {D}" for d, D in ((2, 1), (2, 4), (3, 3))], ("shift",)),
    (kyklos((2, 1, 4), (2, 3, 6)), OF_KYKLOS),
    (kyklos((3, 2, 4)), OF_KYKLOS[:-1]),
    (kyklos((2, 2, 6), more=", variant: original"), OF_KYKLOS),
    (kyklos((2, 2, 6), more=", variant: I"), ("m", "p2", "modified-p2")),
    ([f"rotator, n: {n}" for n in (2, 3, 5, 6)], ("rotator",)),
    (["star, n: 5", "scc, n: 5"], STARS),
    (
        [f"super-rotator, nodes: {n}" for n in (2, 3, 5, 7, 10, 24, 26, 49, 119)],
        ("class", "class, link: first"),
    ),
]
LONG: list[Row] = [
    ([BOREL_1081], (f"vertex-transitive{SHORTEST[1]}", RINGS[5])),
    (["kautz, degree: 9, diameter: 2"], ("shift",)),
    (kyklos((2, 2, 2), (2, 3, 3)), OF_KYKLOS),
    (kyklos((3, 3, 3), (4, 2, 2), (5, 1, 2)), OF_KYKLOS[:-1]),
    ([f"{family}, n: {n}" for family in ("star", "scc") for n in (7, 8, 9)], STARS[:4]),
]


EVERY: list[Row] = [
    ([BOREL_21], (f"vertex-transitive{SHORTEST[1]}", *RINGS[2:])),
    (kyklos((2, 2, 4)), ("table",)),
    (kyklos((2, 2, 4), more=", variant: original"), ("y2", "p2")),
    (kyklos((2, 2, 4), more=", variant: I"), ("m",)),
    (["super-rotator, nodes: 13"], ("class, link: first",)),
    (["super-rotator, nodes: 23"], ("table",)),
    ([BOREL_1081], tuple(f"vertex-transitive{more}" for more in (SHORTEST[0], *SHORTEST[2:]))),
    ([BOREL_1081], ("adaptive", "two-phase, phase1: computed", *RINGS[:4])),
    ([BOREL_1081], tuple(f"chordal-ring, lookahead: {d}, rule: paper" for d in (1, 2))),
    (kyklos((2, 2, 6), (2, 3, 6), (2, 4, 8)), OF_KYKLOS),
    (kyklos((3, 2, 4)), OF_KYKLOS[:-1]),
    ([f"rotator, n: {n}" for n in (3, 5)], ("rotator",)),
    ([f"super-rotator, nodes: {n}" for n in (26, 48, 96, 119, 120)], ("class",)),
    (["grid, sizes: [3, 6, 2]"], ("dimension-order", "up-down")),
    (["star, n: 3", "star, n: 5", "scc, n: 3", "scc, n: 5", "scc, n: 6"], STARS),
    (["scc, n: 7"], STARS[:2]),
]
"""Every question is asked of these; `LONG` has what is not here."""


def cases(table: list[Row], *marks: Any) -> Iterator[Any]:
    """Yield each topology of a row with each algorithm of it."""
    for topologies, algorithms in table:
        for topology, algorithm in product(topologies, algorithms):
            yield pytest.param(topology, algorithm, marks=marks)


def parsed(topology: str, algorithm: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what a network file has for both."""
    read = yaml.safe_load(f"[{{family: {topology}}}, {{algorithm: {algorithm}}}]")
    return read[0], read[1]


EXAMPLES = [
    pytest.param(case["topology"], case["routing"], id=name) for name, case in CASES.items()
]
"""Every algorithm on an example of each of its families."""


@pytest.mark.parametrize(
    ("topology", "algorithm"), [*EXAMPLES, *cases([*QUICK, *LONG], pytest.mark.regress)]
)
def test_decides_like_golden(topology: Any, algorithm: Any) -> None:
    written = isinstance(topology, str)
    family, routing = parsed(topology, algorithm) if written else (topology, algorithm)
    count = 3000 if family.get("n", 0) > 6 and family["family"] in ("star", "scc") else 200
    found = mismatches(family, routing, count=count)
    assert (found["mismatches"], found["message"]) == (0, "")


@pytest.mark.parametrize("algorithm", ["p2", "modified-p2"])
def test_refuses_a_rom_that_is_too_large(algorithm: str) -> None:
    (topology,) = kyklos((2, 1, 17))
    family, routing = parsed(topology, algorithm)
    network = routed({"name": "long", "topology": family, "routing": routing})
    message = f"^Routing by {algorithm} needs n <= 16 in hardware, not 17$"
    with pytest.raises(ValueError, match=message):
        header_generator(network.routing)


def test_every_algorithm_has_its_twins() -> None:
    lacking = set(ALGORITHMS) - set(UNITS)
    assert not lacking, f"{lacking} need a routing unit in fingerpost.hdl.routing.UNITS"
    lacking = set(UNITS) - set(ALGORITHMS)
    assert not lacking, f"{lacking} need a line in fingerpost.golden.routing.ALGORITHMS"


def test_every_algorithm_and_every_choice_is_tried() -> None:
    assert {case["routing"]["algorithm"] for case in CASES.values()} == set(ALGORITHMS)
    assert {"two-phase-borel-computed", "greedy-scc-none", "table-edge-list-first"} < set(CASES)


@pytest.mark.parametrize("make", [routing_unit, header_generator])
def test_an_algorithm_without_a_twin_is_told(make: Any) -> None:
    message = (
        r"^Hardware needs a routing unit for the algorithm rule in "
        r"fingerpost\.hdl\.routing\.UNITS, not those of two-phase, .* alone$"
    )
    with pytest.raises(ValueError, match=message):
        make(minimal(Edges(nx.path_graph(3))))


def check(topology: str, algorithm: str, folder: Path, *, nodes: int | None = None) -> int:
    """Ask every node, or so many, about all destinations and all that passes it; return how many.

    As many units are asked side by side as there are bits of a vector.
    """
    keys, routing = parsed(topology, algorithm)
    family, n = keys["family"], keys.get("n", 0)
    # Any order of the channels does, and to search for one takes long: this is about decisions.
    classes = {"scc": 2 * (n - 1), "star": 2, "super-rotator": keys.get("nodes", 0)}
    router = {"channel_order": list(range(classes[family]))} if family in classes else {}
    described = {"name": "asked", "topology": keys, "routing": routing, "router": router}
    network = build(described | ({"router": router | {"flit_width": 64}} if n > 5 else {}))
    bench = UnitBench(network, seed=1, nodes=nodes, engine="compiled")
    count = agree(bench, folder, "verilator").count
    terminals = len(network.topology.terminals)
    assert count > min(terminals, nodes or terminals) * terminals
    return count


def test_some_decisions(tmp_path: Path) -> None:
    """One unit in a simulator is asked as much."""
    compiled = check(BOREL_21, "adaptive", tmp_path, nodes=2)
    keys, routing = parsed(BOREL_21, "adaptive")
    network = build({"name": "asked", "topology": keys, "routing": routing})
    assert agree(UnitBench(network, seed=1, nodes=2), tmp_path).count == compiled


@pytest.mark.verilator
@pytest.mark.parametrize(("topology", "algorithm"), list(cases(EVERY, pytest.mark.regress)))
def test_all_decisions(topology: str, algorithm: str, tmp_path: Path) -> None:
    check(topology, algorithm, tmp_path, nodes=20 if topology == "scc, n: 7" else None)
