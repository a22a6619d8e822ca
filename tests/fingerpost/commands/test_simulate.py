"""`simulate` and `loads`, the traffic that they take, and the page that documents it."""

import re
import shlex
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.golden.measure import Outcome
from fingerpost.golden.traffic import ARRIVALS, LENGTHS, PATTERNS
from fingerpost.netfile.source import load
from tests.fingerpost.common import NETWORKS, Run


def test_json(run: Run, borel21: Path) -> None:
    arguments = ("simulate", borel21, "--load", 0.2, "--cycles", 2000, "--seed", 3, "--json")
    ended = run(*arguments)
    assert (ended.status, ended.err) == (0, "")
    facts = ended.json
    given = {"load": 0.2, "cycles": 2000, "precision": 0.02, "seed": 3, "packet_length": 1}
    assert given.items() <= facts.items()
    assert (facts["outcome"], facts["engine"]) == ("stable", "compiled")
    assert facts["offered"] == pytest.approx(0.2, abs=0.03)
    assert facts["accepted"] == pytest.approx(0.2, abs=0.03)
    assert 0.1 < facts["accepted_least"] < facts["accepted"]
    low, high = facts["accepted_interval"]
    assert low < facts["accepted"] < high
    latency = facts["latency"]
    low, high = latency["interval"]
    assert low < latency["mean"] < high
    percentiles = [latency[name] for name in ("median", "p90", "p95", "p99", "p999", "max")]
    assert percentiles == sorted(percentiles)
    assert percentiles[0] > 3
    assert 0 < facts["link_load"]["mean"] < facts["link_load"]["max"] < 1
    assert (facts["warm_up"] + facts["measured"], facts["precise"]) == (2000, True)
    assert "latency_by_hops" not in facts
    again = run(*arguments).json
    assert again.pop("seconds") != facts.pop("seconds")
    assert again == facts


def test_latency_by_hops_and_by_flow(run: Run, borel21: Path) -> None:
    arguments = ("simulate", borel21, "--cycles", 300, "--by", "hops", "--by", "flow")
    facts = run(*arguments, "--json").json
    for rows in (facts["latency_by_hops"], facts["latency_by_flow"]):
        assert sum(row["packets"] for row in rows) == facts["packets"]
        total = sum(row["packets"] * row["mean"] for row in rows)
        assert total / facts["packets"] == pytest.approx(facts["latency"]["mean"])
        assert max(row["max"] for row in rows) == facts["latency"]["max"]
    assert [row["hops"] for row in facts["latency_by_hops"]] == [1, 2, 3, 4]
    shown = run(*arguments).out.splitlines()
    assert len(shown) == 7 + 4 + len(facts["latency_by_flow"])
    assert "  1 hops   mean " in shown[7]


def test_latency_by_message_class_with_shares(run: Run) -> None:
    net = Path("networks/mesh-4x4-classes.yaml")
    arguments = ("simulate", net, "--cycles", 300, "--classes", "3,1", "--by", "class")
    facts = run(*arguments, "--json").json
    rows = facts["latency_by_class"]
    assert facts["classes"] == [3, 1]
    assert [row["class"] for row in rows] == [0, 1]
    assert sum(row["packets"] for row in rows) == facts["packets"]
    assert rows[0]["packets"] / facts["packets"] == pytest.approx(0.75, abs=0.05)
    assert run(*arguments).out.splitlines()[7].startswith("class 0    mean ")


def test_a_deadlock_has_an_exit_status_of_its_own(
    run: Run, borel21: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forged(path: Path, **options: object) -> object:
        network = load(path)
        object.__setattr__(network, "virtual_channels", 1)  # and it is not proven again
        return network

    monkeypatch.setattr("fingerpost.cli.options.load_any", forged)
    many = "--load 1 --packet-length 9 --cycles 6000 --precision 0 --json"
    ended = run("simulate", borel21, *many.split())
    assert (ended.json["outcome"], ended.status) == ("deadlocked", 4)
    named = {"stable", "not stable", "undecided", "deadlocked", "complete"}
    assert {outcome.value for outcome in Outcome} == named


PAGE = (NETWORKS.parent / "docs/reference/traffic.md").read_text(encoding="utf-8")


def test_every_name_and_parameter_is_documented() -> None:
    for kinds in (PATTERNS, ARRIVALS):
        rows = dict(re.findall(r"^\| `([\w-]+)` \|(.*)$", PAGE, flags=re.M))
        for name, kind in kinds.items():
            known: Any = kind
            for each in fields(known):
                assert f"`{each.name}`" in rows[name], (name, each.name)
    assert all(f"{name}:" in PAGE for name in LENGTHS)


def test_commands_of_the_page_are_understood(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(NETWORKS.parent)
    commands = re.findall(r"^fingerpost (?:simulate|loads) .*$", PAGE, flags=re.M)
    assert len(commands) == 3
    for command in commands:
        more = ["--cycles", "60"] if "simulate" in command else []
        assert run(*shlex.split(command)[1:], *more, "--json").status in {0, 5}  # 5: undecided


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("", {"traffic": "uniform", "arrivals": "bernoulli", "lengths": (1, 4), "load": 0.2}),
        (
            "--traffic shuffle --arrivals on-off --packet-length 2 --load 0.4",
            {"traffic": "shuffle", "arrivals": "on-off", "lengths": "2", "load": 0.4},
        ),
        ("--traffic trace:trace.csv", {"load": None}),
    ],
)
def test_cosim_takes_the_same_words(
    words: str,
    taken: dict[str, object],
    run: Run,
    borel21: Path,
    here: None,
    bench: SimpleNamespace,
) -> None:
    Path("trace.csv").write_text("cycle,source,destination,flits\n7,0,3,2\n8,20,4,1\n9,5,5,4\n")
    assert run("cosim", borel21, "--level", "network", *words.split()).status == 0
    assert {name: getattr(bench.calls[0][0], name) for name in taken} == taken


def test_histogram_and_sums_of_loads(run: Run, borel21: Path) -> None:
    facts = run("loads", borel21, "--json").json
    assert sum(facts["histogram"]["links"]) == 84
    assert sum(facts["link_load_by_port"].values()) == pytest.approx(2.5)


LARGE = "1081", "2943", "15657", "17525", "scc-5", "32x32"
"""Never simulated here."""

QUICK = "mesh-4x4-classes", "rotator-4", "super-rotator-13"
"""`make test` simulates these: tests of golden simulate all families."""

FILES = [
    pytest.param(path.stem, marks=[] if path.stem in QUICK else [pytest.mark.regress])
    for path in sorted(NETWORKS.glob("*.yaml"))
    if not any(size in path.stem for size in LARGE)
]


@pytest.mark.parametrize("name", FILES)
def test_every_network_can_be_simulated(run: Run, name: str) -> None:
    # A flit takes a cycle on a link in a chip, and some hundreds on an OS-Link. With flow control
    # over deflection routers, senders wait at first until the network is drained.
    slow = {
        "borel-21-os-link": (0.003, 20_000),
        "petersen-transputers": (0.001, 20_000),
        "borel-21-axi-deflection": (0.05, 4000),
    }
    load, cycles = slow.get(name, (0.05, 400))
    net = NETWORKS / f"{name}.yaml"
    ended = run("simulate", net, "--load", load, "--cycles", cycles, "--seed", 1, "--json")
    assert ended.err == ""
    facts = ended.json
    # So few cycles do not always tell.
    assert (facts["outcome"], ended.status) in {("stable", 0), ("undecided", 5)}
    assert facts["accepted"] == pytest.approx(facts["offered"], rel=0.25)
    assert facts["latency"]["median"] <= facts["latency"]["p99"]
