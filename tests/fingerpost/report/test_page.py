"""The page without a browser: what is in it, that it asks for nothing else, and the command.

With `--full` what no file was given for is measured, and nothing else.
"""

import json
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost import report
from fingerpost.cli import saved_answers
from fingerpost.commands.report import look
from fingerpost.golden.network.network import routed
from fingerpost.golden.traffic import spelling
from fingerpost.jobs.console import SCHEMA
from fingerpost.report.evidence import verification
from fingerpost.testbench.toolchain import ToolError
from tests.fingerpost.common import NETWORKS, Page, Run

EVIL = "</script><img src=x onerror=alert(1)>&amp;"

NET, STAR = NETWORKS / "borel-21.yaml", NETWORKS / "star-4.yaml"


def shown(folder: Path, name: str = "borel-21") -> Page:
    return Page((folder / f"{name}.html").read_text(encoding="utf-8"))


def stored(folder: Path, name: str, **answer: Any) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"schema": SCHEMA, **answer}))
    return path


CURVE = {
    "network": "borel-21", "routing": "two-phase", "virtual_channels": 2, "bound": 0.9,
    "zero_load_latency": 12.5, "saturation": 0.625, "points": [
        {"load": 0.1, "outcome": "ok", "accepted": 0.1, "accepted_least": 0.09, "latency": 13.0,
         "latency_interval": None, "accepted_interval": None},
    ],
}  # fmt: skip
SWEEP = {
    "traffic": "uniform", "arrivals": "bernoulli", "packet_length": 4, "cycles": 777,
    "precision": 0.02, "curves": [CURVE, CURVE | {"network": "elsewhere"}],
}  # fmt: skip
COST = {
    "network": "borel-21", "node": 7, "device": "ECP5-25k", "fmax_mhz": {"median": 123.4},
    "sites": 4321, "parts": {"buffers": {"lut4": 987}},
}  # fmt: skip
COSIM = {
    "network": "borel-21", "level": "network", "simulator": "icarus", "mismatches": 0,
    "cycles": 2468, "message": "",
}  # fmt: skip
PROOF = {
    "component": "arbiter", "parameters": "", "properties": ["fair"], "verdict": "proven",
    "seconds": 1.6,
}  # fmt: skip
MUTANT = {"network": "torus", "component": "queue", "verdict": "killed by router"}


def measured(folder: Path) -> list[object]:
    """Return the options for stored answers of all that `--full` would measure."""
    answers = {"sweep": SWEEP, "cost": COST, "cosim": COSIM}
    given = [(f"--{name}", stored(folder, name, **answer)) for name, answer in answers.items()]
    return [word for option in given for word in option]


def test_one_network(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "report"
    ended = run("report", NET, "-o", folder)
    size = (folder / "borel-21.html").stat().st_size
    assert ended.status == 0
    wrote, lacking = ended.err.splitlines()
    assert wrote == f"fingerpost: wrote {folder}/borel-21.html, {size / 1e6:.1f} MB"
    assert lacking == "fingerpost: not on the page: sweep, cost, cosim; --full runs them"
    assert [path.name for path in folder.iterdir()] == ["borel-21.html"]
    page = shown(folder)
    sections = ["what-it-is", "routes", "loads", "deadlock", "hardware", "waves"]
    assert [each["id"] for each in page.of("section")] == sections
    linked = [str(each["href"]) for each in page.of("a")]
    assert linked == ["#content", *(f"#{section}" for section in sections)]
    assert not re.search(r"\bNo [\w ,-]+ (was|were) given", page.text)
    assert len([each for each in page.of("svg") if each["role"] == "img"]) == 4 + 1
    for said in (
        "family borel, p 7, a 2, k 3",  # Table I of two-phase-1995
        "diameter [hops] 3",
        "mean distance [hops] 2.1000",  # 4 at 1, 10 at 2, 6 at 3
        "links, each direction counted 84",
        "virtual channels needed 2",
        "With 1 the dependencies form a cycle of 3 channels",
        "bottleneck",
        # 2.1 hops on shortest paths of 4 links, and 0.65 on the busiest link: 1 / 0.65 of 4 / 2.1
        "80.8 % of the throughput bound of shortest-path routing with equally loaded links",
    ):
        assert said in page.text, said
    labels = " ".join(str(each.get("aria-label")) for each in page.of("svg"))
    assert "borel-21: 20.0% at 1, 50.0% at 2, 30.0% at 3" in labels


@pytest.mark.regress
def test_several_side_by_side_with_what_is_stored(run: Run, tmp_path: Path) -> None:
    given = (
        *measured(tmp_path),
        *("--formal", stored(tmp_path, "formal", proofs=[PROOF])),
        *("--mutation", stored(tmp_path, "mutation", mutants=[MUTANT])),
    )
    ended = run("report", NET, STAR, "-o", tmp_path, "--traffic", "hotspot:nodes=3", *given)
    assert (ended.status, ended.out) == (0, "")
    page = shown(tmp_path, "borel-21_star-4")
    assert len([each for each in page.of("svg") if each["role"] == "img"]) == 1 + 2 + 4 + 1 + 1 + 2
    for said in (
        "nodes 21 24",
        "diameter [hops] 3 4",  # of the star graph: 3 (n - 1) / 2, rounded down
        "borel-21 two-phase 2 12.5 0.625 0.900",
        "precision 0.02",
        "borel-21 router 7 ECP5-25k 4,321 123.4",
        "borel-21 network icarus 2,468 cycles 0 none",
        "arbiter 1 1 1 0 0 2",
        "queue 1 1 0 0 0 100.0",
    ):
        assert said in page.text, said
    lacking = ended.err.splitlines()[-1]
    assert lacking.endswith(
        "page: sweep of star-4, cost of star-4, cosim of star-4; --full runs them"
    )
    assert re.search(r"hotspot\S* traffic; channel load at injection rate 1", page.text)
    assert "elsewhere" not in page.text
    assert "No " not in page.text


def test_nothing_is_fetched_and_all_can_be_reached(run: Run, tmp_path: Path) -> None:
    assert run("report", NET, STAR, "-o", tmp_path).status == 0
    text = (tmp_path / "borel-21_star-4.html").read_text(encoding="utf-8")
    page = Page(text)
    assert "http" not in re.sub(r"http-equiv|http://www.w3.org/2000/svg", "", text)
    for tag, attributes in page.elements:
        for name in ("src", "href", "data", "action"):
            value = attributes.get(name) or "#"
            assert value[0] == "#" or value == "data:,", (tag, value)
    repeated = Counter(
        attributes.get("id") for _, attributes in page.elements if "id" in attributes
    )
    assert [name for name, count in repeated.items() if count > 1] == []
    for _, attributes in page.elements:
        for target in re.findall(r"^#(.+)|url\(#(.+?)\)", str(attributes.get("href", ""))):
            assert "".join(target) in repeated
    assert page.of("html")[0]["lang"] == "en"
    assert all("scope" in each for each in page.of("th"))
    assert [tag for tag, _ in page.elements if re.match("h[1-6]$", tag)][:3] == ["h1", "h2", "h2"]
    assert all(each.get("aria-label") for each in page.of("svg"))
    assert all(each["tabindex"] == "0" and each["aria-label"]
               for each in page.of("div") if each.get("class") == "scroll")  # fmt: skip


def test_names_are_text_and_nothing_else(run: Run, tmp_path: Path) -> None:
    links = [[0, 1], [1, 2], [2, 0]]
    named = {"family": "edge-list", "links": links, "nodes": 3, "names": ["a", EVIL, "c"]}
    network = routed({"name": "x", "topology": named, "routing": {"algorithm": "table"}})
    network = replace(network, name=EVIL)  # which no file can have
    assert network.topology.name(1) == EVIL
    page = Page(report.text([look(network, spelling.pattern("uniform"), lambda step: None)]))
    assert not page.of("img")
    assert len(page.of("script")) == 2  # data, and the program
    assert EVIL in page.text
    answer = COSIM | {"message": EVIL, "simulator": EVIL}
    run("report", NET, "-o", tmp_path, "--cosim", stored(tmp_path, "cosim", **answer))
    page = shown(tmp_path)
    assert not page.of("img")
    assert len(page.of("script")) == 2
    assert page.text.count(EVIL) == 2


def test_steps_are_told() -> None:
    steps: list[str] = []
    network = routed({"name": "ring", "topology": {"family": "double-loop", "nodes": 7, "a": 1,
                      "b": 5}, "routing": {"algorithm": "table"}})  # fmt: skip
    subject = look(network, spelling.pattern("uniform"), steps.append)
    text = report.text([subject], tell=steps.append)
    assert "Not proven: too many routes." in text  # it was not built, so there is no proof
    told = [step for step in steps if "%" not in step]
    assert told == ["ring: distances", "ring: loads", "ring: routes", "pictures"]
    names, folder = [f"n{number}" for number in range(6)], Path("x")
    assert report.place(folder, names[:4]).name == "n0_n1_n2_n3.html"
    assert report.place(folder, names).name == "n0_and_5_more.html"
    assert report.place(folder / "page.html", names) == folder / "page.html"


Calls = list[tuple[str, list[str]]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """What is measured, of which networks; by programs that take no time."""
    made: Calls = []

    def sweep(networks: Any, **_: Any) -> SimpleNamespace:
        made.append(("sweep", [network.name for network in networks]))
        return SimpleNamespace(facts=SWEEP | {"curves": [CURVE]})

    def cosim(network: Any, level: str, **_: Any) -> SimpleNamespace:
        made.append((f"cosim {level}", [network.name]))
        return SimpleNamespace()

    def cost(network: Any, **_: Any) -> Any:
        made.append(("cost", [network.name]))
        raise ToolError("yosys is missing")

    wrong = COSIM | {"mismatches": 3, "message": "cycle 7"}
    monkeypatch.setattr("fingerpost.sweeps.sweep.sweep", sweep)
    monkeypatch.setattr("fingerpost.commands.cosim.cosim", cosim)
    monkeypatch.setattr("fingerpost.commands.cosim.facts", lambda _: wrong)
    monkeypatch.setattr("fingerpost.cost.cost.facts", cost)
    return made


@pytest.mark.regress
def test_all_that_is_lacking_is_measured(run: Run, calls: Calls, tmp_path: Path) -> None:
    ended = run("report", NET, "-o", tmp_path, "--full")
    assert ended.status == 0
    assert calls == [(kind, ["borel-21"]) for kind in ("sweep", "cosim network", "cost")]
    assert "borel-21: 3 mismatches: cycle 7\n" in ended.err
    assert "borel-21: no cost: yosys is missing\n" in ended.err
    assert "--full" not in ended.err
    page = shown(tmp_path)
    sections = [each["id"] for each in page.of("section")]
    assert {"latency-under-load", "verification"} <= {*sections}
    assert "borel-21 two-phase 2 12.5 0.625 0.900" in page.text
    assert "borel-21 network icarus 2,468 cycles" in page.text
    # What is given is not measured again.
    given = measured(tmp_path)
    for some, made in ((given, []), (given[2:], [("sweep", ["borel-21"])])):
        calls.clear()
        ended = run("report", NET, "-o", tmp_path, *some)
        assert ("not on the page: sweep; --full runs" in ended.err) == bool(made)
        assert run("report", NET, "-o", tmp_path, "--full", *some).status == 0
        assert calls == made


RUN = {
    "network": "ring", "level": "router", "simulator": "verilator", "mismatches": 1,
    "cycles": 2468, "message": "cycle 7 differs", "date": "2026-11-22T15:40:07+00:00",
    "versions": {"amaranth": "0.5.10", "verilator": "5.48.0"},
    "covered": 98, "coverable": 100, "missing": [f"turn {number}" for number in range(22)],
}  # fmt: skip


def proof(component: str, parameters: str, verdict: str, *broken: str) -> dict[str, Any]:
    return {
        "component": component, "parameters": parameters, "properties": ["fair", "one_hot"],
        "engine": "abc pdr", "verdict": verdict, "broken": list(broken), "seconds": 61.6,
    }  # fmt: skip


PROOFS = [
    proof("arbiter", "ports=2", "proven"), proof("arbiter", "ports=5", "broken", "fair"),
    proof("queue", "depth=3", "undecided"),
]  # fmt: skip


def mutant(component: str, verdict: str, network: str = "torus") -> dict[str, Any]:
    return {"network": network, "component": component, "verdict": verdict, "mutant": "and -> or"}


MUTANTS = [
    mutant("queue", "killed by network"), mutant("queue", "killed by router", "rotator"),
    mutant("queue", "equivalent"), mutant("queue", "explained"), mutant("queue", "alive"),
    mutant("arbiter", "equivalent"),
]  # fmt: skip


def evidence(*runs: Any, formal: Any = (), mutation: Any = ()) -> str:
    subject: Any = SimpleNamespace(name="ring")
    return Page(f"<main>{verification([subject], {'ring': runs}, formal, mutation)}</main>").text


def test_benches_with_date_tools_and_coverage() -> None:
    text = evidence(RUN, RUN | {"level": "path", "mismatches": 0, "message": ""})
    about = "2026-11-22 15:40 UTC amaranth 0.5.10, verilator 5.48.0"
    assert f"ring router verilator 2,468 cycles 1 cycle 7 differs {about}" in text
    assert f"ring path verilator 2,468 cycles 0 none {about}" in text
    assert "ring router 98 100 turn 0, turn 1," in text
    assert "turn 19 and 2 more" in text
    assert "Coverage" not in evidence({key: RUN[key] for key in RUN if key != "covered"})


def test_lines_by_module() -> None:
    row = {
        "module": "router.queue", "lines": 1200, "lines_seen": 1199, "toggles": 30,
        "toggles_seen": 27, "missing": ["line 7, 5: if", "full rises"],
    }  # fmt: skip
    text = evidence(RUN | {"lines": [row, row | {"module": "router"}]})
    assert "module lines lines seen toggles toggles seen not seen" in text
    assert "ring router router.queue 1,200 1,199 30 27 line 7, 5: if, full rises" in text
    assert "ring router all 2,400 2,398 60 54 4 in all" in text
    assert "Verilog gone through" not in evidence(RUN)


def test_proofs_by_component() -> None:
    text = evidence(
        formal=[{"proofs": PROOFS, "stored": "2026-11-20", "versions": {"abc": "1.01"}}]
    )
    assert "component proofs properties proven broken undecided seconds" in text
    assert "arbiter 2 2 1 1 0 123" in text
    assert "queue 1 2 0 0 1 62" in text
    assert "all 3 4 1 1 1 185" in text
    assert "Not proven: arbiter, ports=5: broken (fair) queue, depth=3: undecided" in text
    assert "file of 2026-11-20; abc 1.01" in text
    assert "Not proven" not in evidence(formal=[{"proofs": PROOFS[:1]}])


def test_mutants_by_component() -> None:
    text = evidence(mutation=[{"mutants": MUTANTS, "date": "2026-11-21T23:30:00-02:00"}])
    assert "Mutants of nodes of torus, rotator" in text
    assert "component made killed equivalent explained alive killed [%]" in text
    assert "queue 5 2 1 1 1 50.0" in text  # 2 of the 4 that are not equivalent
    assert "arbiter 1 0 1 0 0 none differs" in text
    assert "all 6 2 2 1 1 50.0" in text
    assert "Alive: torus, queue: and -> or" in text
    assert "2026-11-22 01:30 UTC" in text
    assert "Alive" not in evidence(mutation=[{"mutants": MUTANTS[:4]}])


def test_what_is_not_given_is_left_out() -> None:
    assert evidence() == ""
    assert "Mutants" not in evidence(RUN, formal=[{"proofs": PROOFS}])
    assert "Proofs" not in evidence(RUN, mutation=[{"mutants": MUTANTS}])


def test_files_are_read_with_their_day(tmp_path: Path) -> None:
    path = tmp_path / "formal.json"
    path.write_text(json.dumps({"proofs": PROOFS}))
    os.utime(path, (86400 * 365, 86400 * 365))
    assert saved_answers.rows("formal", [path]) == [{"stored": "1971-01-01", "proofs": PROOFS}]
