"""Every key of every answer is on the page that documents them, and no other is."""

import shlex
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.jobs.console import SCHEMA
from scripts.answers import ANSWERS, COMMON, entries, page
from tests.fingerpost.commands import test_board
from tests.fingerpost.common import InProcess, Run, words

EVERY = """
examples
examples petersen -o copies
info borel-21.yaml
info borel-21-os-link.yaml
info borel-21.yaml FAULTS
info borel-21-deflection.yaml
route borel-21.yaml 0 16
route borel-21.yaml 0 16 FAULTS
loads borel-21.yaml
loads borel-21.yaml --traffic hotspot:nodes=3
loads borel-21.yaml FAULTS
survive borel-21.yaml --samples 64 --link-failure 0
survive borel-21.yaml --samples 64 --link-failure 0.1 --copies 1
survive braided-ring-16.yaml --node-failure 0
simulate borel-21.yaml --cycles 50 --traffic shuffle --by hops --by flow --by class --classes 1
simulate borel-21.yaml --cycles 50 FAULTS
simulate borel-21-deflection.yaml --cycles 50
sweep borel-21.yaml --cycles 20 --loads 0.1 --resolution 0.5 --latency-limit 3 --classes 1
soak borel-21.yaml --flits 10 --packet-length 1
cosim borel-21.yaml --level unit
cosim borel-21.yaml --level path
cosim borel-21.yaml --level network
cosim borel-21.yaml FAULTS
cosim borel-21-os-link.yaml --level clocks
cosim borel-21-deflection.yaml --level network
cosim borel-21.yaml --level network --simulator verilator --engine compiled
cosim borel-21.yaml --level router --simulator verilator --engine compiled
cost borel-21.yaml --seeds 1
cost borel-21.yaml --seeds 1 --depth 2,4
cost borel-21-deflection.yaml --seeds 1
board small.yaml -o board
board linked.yaml -o node --part node --node 1 --files
order borel-21.yaml --steps 0
prove borel-21.yaml --output certificate.json --rtl
prove borel-21-deflection.yaml
reproduce two-phase-1995/table-1
search --diameter 3 --p-max 13
search --diameter 3 --family metacyclic --max-nodes 30
survey borel-21.yaml
"""
UNDECIDED = 5
EVERYWHERE = {"schema", "provenance"}
FAULTS = "--faults links=1 --routing up-down"
CASES = [line.replace("FAULTS", FAULTS) for line in EVERY.strip().splitlines()]
COMMANDS = dict.fromkeys(case.split()[0] for case in CASES)
WITH_NETWORK = {*COMMANDS} - {"examples", "reproduce", "search", "soak", "survey", "sweep"}


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
def stand_ins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tools: SimpleNamespace, bench: SimpleNamespace
) -> None:
    bench.details = lambda asked: dict.fromkeys((asked.counted, *asked.facts), 1)
    monkeypatch.setattr("fingerpost.commands.cosim.versions", lambda *_, **__: {})
    monkeypatch.setattr("fingerpost.jobs.runner.pool", lambda *_: nullcontext(InProcess()))
    monkeypatch.setattr("fingerpost.formal.network.findings", lambda *_: [])
    monkeypatch.setattr("fingerpost.golden.measure.soak.PACKETS", 300)
    monkeypatch.setattr("fingerpost.commands.board.run_tool", test_board.tools)
    monkeypatch.setattr("fingerpost.commands.board.find_tool", lambda name: name)
    (tmp_path / "small.yaml").write_text(test_board.SMALL)
    (tmp_path / "linked.yaml").write_text(test_board.LINKED)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("stand_ins")
def test_every_key_is_documented(run: Run, command: str) -> None:
    found: set[str] = set()
    for case in (case for case in CASES if case.split()[0] == command):
        ended = run(*words(case), "--json")
        assert ended.status == (UNDECIDED if command == "simulate" else 0)  # 50 cycles are few
        assert ended.json["schema"] == SCHEMA
        assert ("network" in ended.json) == (command in WITH_NETWORK)
        found |= set(ended.json)
        made = ended.json["provenance"]
        assert made["command"] == shlex.join(("fingerpost", *words(case), "--json"))
        assert bool(made["networks"]) == any(".yaml" in word for word in words(case)[:2])
    assert found == keys(*ANSWERS[command]) | EVERYWHERE


def test_every_command_is_described() -> None:
    assert [*ANSWERS] == [*COMMANDS]
    assert all(f"\n## {command}\n" in page() for command in COMMANDS)


def test_every_key_has_a_meaning() -> None:
    common = keys(COMMON)
    for command, makers in ANSWERS.items():
        for entry in (entry for maker in makers for entry in entries(maker)):
            assert entry.meaning or {*entry.names} <= common, (command, entry.names)


def test_common_keys_are_those_of_more_than_one_command() -> None:
    sections = [keys(*makers) for makers in ANSWERS.values()]
    for key in keys(COMMON) - EVERYWHERE:
        assert sum(key in section for section in sections) > 1, key
