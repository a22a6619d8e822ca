"""Traffic on the command line, the page that documents it, and the loads that follow."""

import re
import shlex
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.golden.traffic import ARRIVALS, LENGTHS, PATTERNS
from tests.fingerpost.common import NETWORKS, Run

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


def test_json(run: Run, borel21: Path) -> None:
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
