import inspect
import re
from pathlib import Path

import pytest

from fingerpost.commands import simulate, sweep
from fingerpost.golden.measure import CYCLES, PRECISION, Outcome
from fingerpost.netfile.source import load
from tests.fingerpost.common import NETWORKS, Run


def test_json(run: Run, borel21: Path) -> None:
    arguments = ("simulate", borel21, "--load", 0.2, "--cycles", 2000, "--seed", 3, "--json")
    ended = run(*arguments)
    assert (ended.status, ended.err) == (0, "")
    facts = ended.json
    assert {
        "load": 0.2,
        "cycles": 2000,
        "precision": 0.02,
        "seed": 3,
        "packet_length": 1,
    }.items() <= facts.items()
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


def test_for_people(run: Run, borel21: Path) -> None:
    ended = run("simulate", borel21, "--packet-length", 3, "--warm-up", 60)
    lines = ended.out.splitlines()
    assert lines[0] == "borel-21, load 0.1, seed 0: stable"
    names = ["offered", "accepted", "latency", "link", "cycles", "seconds"]
    assert [line.split()[0] for line in lines[1:]] == names
    assert re.match(r"latency    mean \d+\.\d \u00b1 \d\.\d, median \d+, p90 ", lines[3])
    assert re.fullmatch(r"cycles     \d+ measured after 60", lines[5])
    short = run("simulate", borel21, "--cycles", 900, "--precision", 0.0001).out.splitlines()
    assert short[5].endswith(", precision 0.0001 not reached")


def test_what_is_not_stable_has_no_latency(run: Run, borel21: Path) -> None:
    arguments = ("simulate", borel21, "--load", 1, "--by", "hops", "--by", "class", "--by", "flow")
    ended = run(*arguments, "--json")
    assert (ended.json["outcome"], ended.status) == ("not stable", 3)
    assert set(ended.json["latency"].values()) == {None}
    assert {ended.json[f"latency_by_{each}"] for each in ("hops", "class", "flow")} == {None}
    assert 0.5 < ended.json["accepted"] < 0.9
    lines = run(*arguments).out.splitlines()
    assert lines[0] == "borel-21, load 1, seed 0: not stable"
    assert lines[3] == "latency    not stable"
    assert len(lines) == 7


def test_an_option_that_is_gone_names_what_to_use(run: Run, borel21: Path) -> None:
    ended = run("simulate", borel21, "--drain", 100)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert "--drain: there is no drain" in ended.err
    assert "--cycles" in ended.err


def test_defaults_of_the_command_are_those_of_the_function() -> None:
    for command in (simulate, sweep):
        defaults = inspect.signature(command.main).parameters
        assert defaults["cycles"].default == CYCLES
        assert defaults["precision"].default == PRECISION


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


def test_no_packets_means_no_latency_and_is_still_json(run: Run, borel21: Path) -> None:
    facts = run("simulate", borel21, "--load", 1e-9, "--cycles", 20, "--json").json
    names = "mean", "interval", "median", "p90", "p95", "p99", "p999", "max"
    assert facts["latency"] == dict.fromkeys(names)
    assert "latency    no packets" in run("simulate", borel21, "--load", 1e-9, "--cycles", 20).out


def test_every_outcome_has_its_word_and_exit_status(
    run: Run, borel21: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ("--json",)
    for options, word, status in (
        (("--load", 0.1), "stable", 0),
        (("--load", 1, "--packet-length", 5), "not stable", 3),
        (("--load", 0.2, "--cycles", 10), "undecided", 5),
    ):
        ended = run("simulate", borel21, *few, *options)
        assert (ended.json["outcome"], ended.status) == (word, status)

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


def test_network_file_across_os_links(run: Run) -> None:
    ended = run(
        "simulate", NETWORKS / "borel-21-os-link.yaml", "--load", 0.5, "--cycles", 100,
        "--warm-up", 0, "--json",
    )  # fmt: skip
    assert (ended.json["outcome"], ended.status) == ("undecided", 5)
    assert ended.json["engine"] == "compiled"
