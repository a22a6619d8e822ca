"""`simulate` and `loads`, the traffic that they take, and the page that documents it."""

import inspect
import re
import shlex
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.commands import simulate, sweep
from fingerpost.golden.measure import CYCLES, PRECISION, Outcome
from fingerpost.golden.traffic import ARRIVALS, LENGTHS, PATTERNS
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


PAGE = (NETWORKS.parent / "docs/reference/traffic.md").read_text(encoding="utf-8")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text("cycle,source,destination,flits\n7,0,3,2\n8,20,4,1\n9,5,5,4\n")
    return path


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


def test_simulate_says_what_was_sent(run: Run, borel21: Path) -> None:
    words = ("--traffic", "hotspot:0;5,0.2", "--arrivals", "on-off", "--packet-length", "1..3")
    facts = run("simulate", borel21, "--cycles", 300, *words, "--json").json
    assert facts["traffic"] == "hotspot:nodes=0;5,share=0.2"
    assert (facts["arrivals"], facts["packet_length"]) == ("on-off", "1..3")
    assert facts["offered"] == pytest.approx(0.1, rel=0.2)


def test_a_trace_needs_no_load(run: Run, borel21: Path, trace: Path) -> None:
    facts = run("simulate", borel21, "--cycles", 30, "--traffic", f"trace:{trace}", "--json").json
    assert facts["traffic"] == f"trace:file={trace}"
    assert (facts["load"], facts["arrivals"], facts["packet_length"]) == (None, None, None)
    assert facts["offered"] == pytest.approx(7 / facts["measured"] / 21)


def test_loads_of_a_hot_spot(run: Run, borel21: Path) -> None:
    facts = run("loads", borel21, "--traffic", "hotspot:nodes=3", "--json").json
    assert facts["full"] == {"what": "ejection", "node": 3, "port": 4}
    assert facts["saturation"] == facts["terminal_saturation"] == pytest.approx(1 / 21)
    assert facts["saturation"] < facts["link_saturation"]


def test_loads_of_uniform_traffic_are_never_above_1(run: Run, borel21: Path) -> None:
    facts = run("loads", borel21, "--json").json
    assert (facts["saturation"], facts["full"]["what"]) == (1, "injection")
    assert facts["link_saturation"] > 1


def test_loads_of_what_stays_where_it_is(run: Run, borel21: Path, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("source,destination,weight\n4,4,1\n")
    ended = run("loads", borel21, "--traffic", f"matrix:{path}", "--json")
    assert (ended.status, ended.json["link_saturation"], ended.json["bound"]) == (0, None, None)
    assert ended.json["saturation"] == pytest.approx(1 / 21)
    assert (
        "links       carry no traffic" in run("loads", borel21, "--traffic", f"matrix:{path}").out
    )


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("", {"traffic": "uniform", "arrivals": "bernoulli", "lengths": (1, 4), "load": 0.2}),
        (
            "--traffic shuffle --arrivals on-off --packet-length 2 --load 0.4",
            {"traffic": "shuffle", "arrivals": "on-off", "lengths": "2", "load": 0.4},
        ),
        ("--traffic trace:TRACE", {"load": None}),
    ],
)
def test_cosim_takes_the_same_words(
    words: str,
    taken: dict[str, object],
    run: Run,
    borel21: Path,
    trace: Path,
    bench: SimpleNamespace,
) -> None:
    given = words.replace("TRACE", str(trace)).split()
    assert run("cosim", borel21, "--level", "network", *given).status == 0
    assert {name: getattr(bench.calls[0][0], name) for name in taken} == taken


def test_json_of_loads(run: Run, borel21: Path) -> None:
    ended = run("loads", borel21, "--json")
    assert (ended.status, ended.err) == (0, "")
    facts = ended.json
    # 4 links a node; two-phase routes have 2.5 hops on average (two-phase-1995, Table I's graph).
    assert (facts["links"], facts["terminals"]) == (84, 21)
    assert facts["bound"] == pytest.approx(4 / 2.1)
    assert facts["mean_hops"] == pytest.approx(2.5)
    assert facts["link_load"]["mean"] == pytest.approx(2.5 / 4)
    assert facts["link_saturation"] == pytest.approx(1 / facts["link_load"]["max"])
    assert sum(facts["histogram"]["links"]) == 84
    assert sum(facts["link_load_by_port"].values()) == pytest.approx(2.5)


def test_balanced_table_comes_within_a_percent_of_the_bound(run: Run) -> None:
    facts = run("loads", NETWORKS / "borel-1081-shortest.yaml", "--json").json
    assert facts["bound"] == pytest.approx(4 / 5.54, rel=1e-3)  # Table III prints 5.54
    assert facts["saturation"] >= 0.99 * facts["bound"]


def test_human_answer_has_a_histogram(run: Run) -> None:
    ended = run("loads", NETWORKS / "petersen.yaml")
    assert (ended.status, ended.err) == (0, "")
    assert "petersen, table, uniform: 30 links, 10 terminals" in ended.out
    assert "reached     100.0% of the bound" in ended.out
    assert ended.out.count("#") == 40  # all links carry the same


def test_picture(run: Run, borel21: Path, tmp_path: Path) -> None:
    picture = tmp_path / "loads.svg"
    ended = run("loads", borel21, "-o", picture)
    assert (ended.status, ended.err) == (0, f"fingerpost: wrote {picture}\n")
    text = picture.read_text(encoding="utf-8")
    assert "<svg" in text
    run("loads", borel21, "-o", picture)
    assert picture.read_text(encoding="utf-8") == text
