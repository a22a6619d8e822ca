"""Every key of every answer is on the page that documents them, and no other is."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.jobs.console import SCHEMA
from fingerpost.testbench.benches.bench import Bench
from scripts.answers import ANSWERS, COMMON, entries, page
from tests.fingerpost.answers.test_cosim import Result
from tests.fingerpost.boards import test_board
from tests.fingerpost.common import NETWORKS, Run

NET, OS_LINK = NETWORKS / "borel-21.yaml", NETWORKS / "borel-21-os-link.yaml"
DEFLECTION = NETWORKS / "borel-21-deflection.yaml"

FAULTS = "--faults", "links=1", "--routing", "up-down"

CASES: dict[str, list[tuple[object, ...]]] = {
    "examples": [(), ("petersen", "-o", "copies")],
    "info": [(NET,), (OS_LINK,), (NET, *FAULTS), (DEFLECTION,)],
    "route": [(NET, 0, 16), (NET, 0, 16, *FAULTS)],
    "loads": [(NET,), (NET, "--traffic", "hotspot:nodes=3"), (NET, *FAULTS)],
    "survive": [
        (NET, "--samples", 64, "--link-failure", 0),
        (NET, "--samples", 64, "--link-failure", 0.1, "--copies", 1),
        (NETWORKS / "braided-ring-16.yaml", "--node-failure", 0),
    ],
    "simulate": [
        (
            NET,
            "--cycles",
            50,
            "--traffic",
            "shuffle",
            "--by",
            "hops",
            "--by",
            "flow",
            "--by",
            "class",
            "--classes",
            1,
        ),
        (NET, "--cycles", 50, *FAULTS),
        (DEFLECTION, "--cycles", 50),
    ],
    "sweep": [(NET, "--cycles", 20, "--loads", 0.1, "--resolution", 0, "--classes", 1)],
    "soak": [(NET, "--flits", 10, "--packet-length", 1)],
    "cosim": [
        *((NET, "--level", level) for level in ("unit", "path", "network")),
        (NET, *FAULTS),
        (OS_LINK, "--level", "clocks"),
        (DEFLECTION, "--level", "network"),
        *(
            (NET, "--level", level, "--simulator", "verilator", "--engine", "compiled")
            for level in ("network", "router")
        ),
    ],
    "cost": [
        (NET, "--seeds", 1),
        (NET, "--seeds", 1, "--depth", "2,4"),
        (DEFLECTION, "--seeds", 1),
    ],
    "board": [
        ("small.yaml", "-o", "board"),
        ("linked.yaml", "-o", "node", "--part", "node", "--node", 1, "--files"),
    ],
    "order": [(NET, "--steps", 0)],
    "prove": [(NET, "--output", "certificate.json", "--rtl"), (DEFLECTION,)],
    "reproduce": [("two-phase-1995/table-1",)],
    "search": [
        ("--diameter", 3, "--p-max", 13),
        ("--diameter", 3, "--family", "metacyclic", "--max-nodes", 30),
    ],
    "survey": [(NET,)],
}
WITH_NETWORK = {*CASES} - {"examples", "reproduce", "search", "soak", "survey", "sweep"}


def keys(*makers: Any) -> set[str]:
    """The keys that docstrings describe, without those of objects in the answer."""
    return {
        name
        for maker in makers
        for entry in entries(maker)
        for name in entry.names
        if "." not in name
    }


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tools: SimpleNamespace) -> None:
    def cosim(bench: Bench, *, simulator: str, **_: Any) -> Result:
        details = dict.fromkeys((bench.counted, *bench.facts), 1)
        return Result(bench, simulator, details=details)

    monkeypatch.setattr("fingerpost.testbench.cosim.run", cosim)
    monkeypatch.setattr("fingerpost.answers.cosim.versions", lambda *_, **__: {})
    monkeypatch.setattr("fingerpost.search.results", lambda *_, **__: nullcontext(()))
    monkeypatch.setattr("fingerpost.survey.survey.results", here)
    monkeypatch.setattr("fingerpost.formal.network.findings", lambda *_: [])
    monkeypatch.setattr("fingerpost.sweeps.sweep.results", here)
    monkeypatch.setattr("fingerpost.golden.measure.soak.PACKETS", 300)
    monkeypatch.setattr("fingerpost.boards.board.run_tool", test_board.tools)
    monkeypatch.setattr("fingerpost.boards.board.find_tool", lambda name: name)
    (tmp_path / "small.yaml").write_text(test_board.SMALL)
    (tmp_path / "linked.yaml").write_text(test_board.LINKED)
    monkeypatch.chdir(tmp_path)


@contextmanager
def here(
    work: Any, ready: Any, arguments: Any, *_: Any, **__: Any
) -> Iterator[Iterator[tuple[Any, Any]]]:
    """Do the work of a cluster in this process."""

    def worked() -> Iterator[tuple[Any, Any]]:
        while units := ready(1):
            yield units[0], work(*arguments(units[0]))

    yield worked()


@pytest.mark.parametrize("command", CASES)
@pytest.mark.usefixtures("stand_ins")
def test_every_key_is_documented(run: Run, command: str) -> None:
    found: set[str] = set()
    for arguments in CASES[command]:
        ended = run(command, *arguments, "--json")
        assert ended.status == 0
        assert ended.json["schema"] == SCHEMA
        assert ("network" in ended.json) == (command in WITH_NETWORK)
        found |= set(ended.json)
    assert found == keys(*ANSWERS[command]) | {"schema"}


def test_every_command_is_described() -> None:
    assert [*ANSWERS] == [*CASES]
    assert all(f"\n## {command}\n" in page() for command in CASES)


def test_every_key_has_a_meaning() -> None:
    common = keys(COMMON)
    for command, makers in ANSWERS.items():
        for entry in (entry for maker in makers for entry in entries(maker)):
            assert entry.meaning or {*entry.names} <= common, (command, entry.names)


def test_common_keys_are_those_of_more_than_one_command() -> None:
    sections = [keys(*makers) for makers in ANSWERS.values()]
    for key in keys(COMMON) - {"schema"}:
        assert sum(key in section for section in sections) > 1, key
