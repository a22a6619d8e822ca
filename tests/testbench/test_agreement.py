"""Hardware and model agree: the table of networks, levels, engines, simulators and traffic.

It is `agreement.yaml`; groups of networks that are made by rule are here.
"""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fingerpost.golden.network.kinds import build_any
from fingerpost.golden.network.network import Network, build
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.network_script import NetworkTurn
from fingerpost.testbench.compiled import build as building
from fingerpost.testbench.cosim import run
from tests.golden.service.endless import endless, hot_spot
from tests.networks import CASES, EXAMPLES, TOPOLOGIES, deflection, load
from tests.testbench.faults import networks
from tests.testbench.faults.networks import BOREL_21, RING_8, TURNING
from tests.testbench.faults.plant import ROTATOR, agree, bench_of

Description = dict[str, Any]

TABLE = Path(__file__).with_name("agreement.yaml")

KEYS = (
    "name",
    "topology",
    "routing",
    "router",
    "link",
    "terminal",
    "counters",
    "memory_map",
    "faults",
    "boards",
)
"""What a case says of the network; the rest is for the bench."""

SAME = "cycles", "packets", "delivered", "flits", "errors", "pairs"
"""What all engines report."""

BOREL = {"family": "borel", **EXAMPLES["borel"]}

ALGORITHMS: dict[str, Description] = {
    **CASES,
    "mesh": {
        "topology": {"family": "grid", "sizes": [3, 4]},
        "routing": {"algorithm": "dimension-order"},
    },
    "hypercube": {
        "topology": {"family": "grid", "sizes": [2] * 4},
        "routing": {"algorithm": "dimension-order"},
    },
    **{
        f"chordal-ring-{steps}": {
            "topology": BOREL,
            "routing": {"algorithm": "chordal-ring", "lookahead": steps},
        }
        for steps in (1, 2)
    },
    "super-rotator-23": {
        "topology": {"family": "super-rotator", "nodes": 23},
        "routing": {"algorithm": "class"},
    },
    "kyklos-up-down": {
        "topology": {"family": "kyklos", "m": 2, "r": 2, "n": 4},
        "routing": {"algorithm": "up-down"},
    },
    **{
        family: {"topology": {"family": family, **keys}, "routing": {"algorithm": "table"}}
        for family, keys in EXAMPLES.items()
        if not any(case["topology"]["family"] == family for case in CASES.values())
    },
}
"""Topology and routing of every case: each algorithm, and each family that has none of its own."""

FIRST = {case["topology"]["family"]: name for name, case in reversed(ALGORITHMS.items())}

DEFLECTION: dict[str, Description] = {
    f"{name} {table}": {
        "network": f"deflection {name}",
        "router": {
            "kind": "deflection",
            "hop_cycles": 3 + i % 2,
            "ejections": 1 + i // 2 % 2,
            "table": table,
            "epoch": 6,
            "wait_limit": 4 + i % 3,
            "link_up": (table == "luts") == bool(i % 2) and name not in ("kautz", "digraph"),
        },
    }
    for i, name in enumerate(TOPOLOGIES)
    for table in ("ram", "luts")
}

LARGE = "borel-17525", "borel-15657", *(f"borel-15657-set{i}" for i in (2, 3, 4))
"""Network files for `python -m benchmarks.lock_step`."""

SLOW: Description = {"cycles": 30_000, "loads": (0.002, 0.02)}
"""What bits from chip to chip carry."""


def files() -> Iterator[tuple[str, Description]]:
    """Yield the network files with nothing around the nodes, but the largest."""
    for file in sorted((Path(__file__).parents[2] / "networks").glob("*.yaml")):
        keys = yaml.load(file.read_text(), yaml.CSafeLoader)
        if file.stem not in LARGE and "terminal" not in keys and "deflection" not in file.stem:
            slow = SLOW if "os-link" in str(keys.get("link")) else {}
            yield file.stem, {"network": file.stem, **slow}


FAMILIES = (*EXAMPLES, "borel-21-adaptive", "mesh-4x4-axi", "petersen-up-down")

PACES = {"idle": 0.0, "pause": 0.0}, {"idle": 0.5, "pause": 0.1}, {"idle": 0.1, "pause": 0.7}

RULES: dict[str, dict[str, Description]] = {
    "every algorithm": {name: {"network": name} for name in ALGORITHMS},
    # Without the choices that an algorithm leaves: what they change is decisions alone.
    "plain algorithms": {
        name: {"network": name} for name, case in ALGORITHMS.items() if len(case["routing"]) == 1
    },
    # Routes are made of decisions, which are all compared besides.
    "every family": {name: {"network": name} for name in FIRST.values()},
    "deflection routers": DEFLECTION,
    "network files": dict(files()),
    "families": {x: {"network": x, "stall": 0.6 * (i % 2)} for i, x in enumerate(FAMILIES)},
    "families with drivers": {
        x: {"network": x, **PACES[i % len(PACES)]} for i, x in enumerate(FAMILIES)
    },
}
"""Cases by what the table calls them."""


def cases() -> Iterator[Any]:
    """Yield what is changed of a network or for the bench, which the group says, and the case."""
    for group in yaml.load(TABLE.read_text(encoding="utf-8"), yaml.CSafeLoader):
        every = RULES[group["every"]] if "every" in group else group["cases"]
        for (name, case), tool in product(every.items(), group.get("simulators", [""])):
            given = {"network": group.get("network"), **group["stimulus"], **case}
            given |= {"simulator": tool} if tool else {}
            marks = [] if name in group.get("short", ()) else [pytest.mark.regress]
            if given.get("simulator") == "verilator":
                marks.append(pytest.mark.verilator)
            where = f", {tool}" if tool else ""
            yield pytest.param(given, id=f"{group['of']}: {name}{where}", marks=marks)


OWN_ALGORITHM = {case["topology"]["family"]: case for case in reversed(CASES.values())}


def described(name: str) -> Description:
    """Return a network by its name in the table, or that of its family."""
    if name.isupper():
        found: Description = getattr(networks, name)
        return found
    if name in ALGORITHMS or name in EXAMPLES:
        return {**(ALGORITHMS.get(name) or OWN_ALGORITHM[name]), "name": name, "router": {}}
    kind, _, example = name.rpartition(" ")
    return dict((deflection(example) if kind else load(name)).description)


def check(
    folder: Path,
    *,
    network: str,
    level: str = "network",
    engine: str = "cocotb",
    simulator: str = "icarus",
    least: int = 21,
    seen: Description | None = None,
    above: Description | None = None,
    loads: tuple[float, ...] = (),
    **options: Any,
) -> None:
    """Run a bench; only malformed packets and those without credit count as errors.

    With loads it runs for each; with engine "both" it runs in cocotb and compiled, and both report
    the same.
    """
    tried: Any = build_any(described(network) | {k: options.pop(k) for k in KEYS if k in options})
    ways = ["cocotb", "compiled"] if engine == "both" else [engine]
    for traffic in [{"load": each} for each in loads] or [{}]:
        found = []
        for way in ways:
            with_engine = {"engine": way} if way == "compiled" else {}
            tool = "verilator" if way == "compiled" else simulator
            result = agree(
                bench_of(tried, level, **with_engine, **options, **traffic), folder, tool
            )
            found.append(result)
        facts, surplus = found[0].details, options.get("surplus", 0)
        for other in found:
            assert [other.details.get(x) for x in SAME] == [facts.get(x) for x in SAME]
        if "packets" in facts and not surplus:
            assert facts["delivered"] == facts["packets"] >= least
        assert found[0].count >= facts.get("routes", 0)
        assert (facts.get("overruns", 0) > 0) == (surplus > 0) or level == "router"
        some = surplus or options.get("malformed", 0) or level == "router"
        reports = tried.terminal.kind in ("credit", "single-flit")
        assert (reports and some) or not facts.get("errors", 0)
        assert {name: facts[name] for name in seen or {}} == (seen or {})
        assert all(facts[name] > count for name, count in (above or {}).items())
        if level == "axi_stream" and "packets" not in (seen or {}):
            terminals = len(tried.topology.terminals)
            assert facts["packets"] == terminals * (terminals - 1)
        if level == "path" and "start" not in options:
            assert facts["routes"] == len(tried.topology.terminals) ** 2
        if level == "unit" and tried.algorithm == "deflection":  # numbers of no terminal, too
            asked = 1 << tried.destination_width
            assert all(other.count > tried.links * (asked - 1) for other in found)


@pytest.mark.parametrize("options", list(cases()))
def test_agrees(
    options: Description,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """In `make test` the model is plain Python: test_forms tells that the other is the same."""
    if not request.node.get_closest_marker("regress"):
        request.getfixturevalue("plain")
    if options.get("cycles", 0) < 1000:  # what runs for a second need not run fast
        monkeypatch.setattr(building, "OPTIMISE", "-O0")
    check(folder, **options)


BOREL_1081: Description = {
    "topology": {"family": "borel", "p": 47, "a": 2, "A": (1, 1), "B": (7, 1)}, "router": {},
}  # fmt: skip
"""Set 1 of Table III of two-phase-1995."""


@pytest.mark.verilator
@pytest.mark.regress
@pytest.mark.parametrize(
    ("changes", "ends", "mean"),
    [
        # two-phase-1995, Table III, set 1; the CR figures are those of node 0.
        ({"routing": {"algorithm": "two-phase"}}, {}, 7.67),
        ({"routing": {"algorithm": "vertex-transitive"}}, {}, 5.54),
        ({"routing": {"algorithm": "chordal-ring", "lookahead": 1}}, {"start": [0]}, 24.50),
        ({"routing": {"algorithm": "chordal-ring", "lookahead": 2}}, {"start": [0]}, 13.67),
        # star-connected-cycles-1995, Table 2: to <2, 12345>, over all 480 nodes.
        (
            {"topology": {"family": "scc", "n": 5}, "routing": {"algorithm": "greedy"}},
            {"start": list(range(480)), "end": [119 * 4]},
            8.812 * 480 / 479,
        ),
        # kyklos-1988: of a slice of 3 bits the mean length is 17/8; two slices, up and down.
        (
            {
                "topology": {"family": "kyklos", "m": 2, "r": 2, "n": 6},
                "routing": {"algorithm": "h2"},
            },
            {},
            8.5 * 64 / 63,
        ),
    ],
)
def test_averages_of_the_papers_measured_on_the_verilog(
    changes: Description, ends: Description, mean: float, tmp_path: Path
) -> None:
    network = build_any({"name": "paper", **BOREL_1081, **changes})
    result = agree(bench_of(network, "path", **ends), tmp_path, "verilator")
    assert result.details["mean_hops"] == pytest.approx(mean, abs=0.005)


@pytest.mark.regress
def test_clocks_of_nodes_too_far_apart_are_found(tmp_path: Path) -> None:
    link = {"kind": "os-link", "clocks_per_bit": 4}
    bench = bench_of(build_any(networks.PAIR | {"link": link}), "clocks", offset=0.06, patience=3)
    result = run(bench, simulator="icarus", directory=tmp_path)
    assert result.mismatches
    assert result.message


@pytest.mark.parametrize(
    ("level", "message"),
    [
        ("axi_stream", r"Bench needs AXI4-Stream, as in terminal: \{kind: axi-stream\}"),
        ("clocks", r"Level clocks needs OS-Links, as in link: \{kind: os-link\}"),
        ("counters", r"Bench needs counters, as in counters: \{kind: axi-lite\}"),
        ("mailbox", r"Bench needs mailboxes, as in terminal: \{kind: mailbox\}"),
        ("os_link_terminals", r"Bench needs OS-Links, as in terminal: \{kind: os-link\}"),
    ],
)
def test_bench_needs_its_kind(level: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        bench_of(load("borel-21"), level)


TORUS = TURNING | {
    "name": "torus",
    "router": {"virtual_channels": 2, "buffer_depth": 2, "bypass_limit": 3, "turn_bypass_limit": 2},
}

NETWORKS = {each["name"]: build(each) for each in (ROTATOR, BOREL_21, TORUS)}

MOST = 9
"""Flits of a packet."""

TRIES = 40

SILENT = {
    "cycles": 3, "load": 0.5, "lengths": (1, 3), "malformed": 0.5, "stall": 0.0, "surplus": 0,
    "traffic": "uniform", "arrivals": "bernoulli", "seed": 19947,
}  # fmt: skip
"""On the rotator all packets are malformed, so nothing comes out."""


@st.composite
def shapes(draw: Callable[..., Any]) -> dict[str, Any]:
    """Draw what terminals do."""
    least = draw(st.integers(1, MOST))
    arrivals, most = draw(st.sampled_from([("bernoulli", 1.0), ("on-off", 0.5)]))
    return {
        "cycles": draw(st.integers(1, 400)),
        "load": draw(st.floats(0.01, most)),
        "lengths": (least, draw(st.integers(least, MOST))),
        "malformed": draw(st.sampled_from([0.0, 0.02, 0.5])),
        "stall": draw(st.sampled_from([0.0, 0.3, 0.9])),
        "surplus": draw(st.sampled_from([0, 0, 1, 3])),
        "traffic": draw(st.sampled_from(["uniform", "bitcomp", "tornado", "randperm", "neighbor"])),
        "arrivals": arrivals,
        "seed": draw(st.integers(0, 1 << 20)),
    }


@pytest.mark.regress
@pytest.mark.parametrize("network", NETWORKS.values(), ids=[*map(str, NETWORKS)])
def test_any_shape_of_traffic_stays_in_step(network: Network, folder: Path) -> None:
    seen = {"flits": 0, "errors": 0, "overruns": 0}

    @settings(
        max_examples=TRIES, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(shapes())
    @example(SILENT)
    def tried(shape: dict[str, Any]) -> None:
        bench = make(network, "network", engine="compiled", **shape)
        result = agree(bench, folder, "verilator")
        for name in seen:
            seen[name] += result.details[name]
        if not (shape["malformed"] or shape["surplus"]):
            assert result.details["delivered"] == result.details["packets"]
            assert result.details["errors"] == result.details["overruns"] == 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "OPTIMISE", "-O0")
        tried()
    # It has been through traffic, errors and senders without credits.
    assert all(seen.values())


def ended(network: Network, given: dict[str, Any], most: int) -> NetworkTurn:
    """Go through a turn, at most so many cycles at once, as engines do."""
    turn = NetworkTurn(network, given)
    while turn.chunk(most).cycles:
        pass
    assert turn.lacking() == ""
    return turn


@pytest.mark.parametrize("most", [1, 1000])
def test_all_to_one_terminal_have_time_to_end(most: int) -> None:
    """When the senders stop, each has a packet to end, and one terminal takes them all."""
    network = build(RING_8)
    length = 500
    bench: dict[str, Any] = {
        "cycles": 100,
        "load": None,
        "seed": 0,
        "lengths": (length, length),
        "malformed": 0.0,
        "traffic": endless(network, hot_spot(network, 0), length=length, cycles=length),
        "arrivals": "bernoulli",
        "stall": 0.0,
        "surplus": 0,
    }
    turn = ended(network, bench, most)
    facts = turn.report()
    assert facts["delivered"] == facts["packets"] == 7
    assert turn.cycle > bench["cycles"] + 2 * length + 1


@pytest.mark.parametrize("most", [1, 1000])
def test_a_run_without_a_good_packet_ends(most: int) -> None:
    """Routers discard all that was sent, so no terminal receives, and none gives a credit back."""
    facts = ended(build(ROTATOR), SILENT | {"malformed": 1.0}, most).report()
    assert (facts["packets"], facts["flits"]) == (0, 0)
    assert facts["errors"] > 0
