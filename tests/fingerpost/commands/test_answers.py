"""What commands answer to questions about networks of every family: a table, and one property."""

import inspect
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.commands import simulate, sweep
from fingerpost.golden.measure import CYCLES, PRECISION
from tests.fingerpost.common import NETWORKS, Run, like, words, written

ANSWERS: dict[str, dict[str, Any]] = yaml.load(
    (NETWORKS.parent / "tests/fingerpost/answers.yaml").read_text("utf-8"), yaml.CSafeLoader
)


def differs(expected: Any, found: Any, whole: Any, place: str = "") -> list[str]:
    """Return where an answer is not as the table has it."""
    if isinstance(expected, list) and "..." in expected:
        at = expected.index("...")
        head, tail = expected[:at], expected[at + 1 :]
        if "..." in tail:  # an item, wherever it is
            return [] if tail[0] in found else [place]
        expected, found = head + tail, found[:at] + found[len(found) - len(tail) :]
    if isinstance(expected, dict | list):
        keys = expected if isinstance(expected, dict) else range(len(expected))
        short = isinstance(expected, list) and len(expected) != len(found)
        return [place] * short or [
            x for key in keys for x in differs(expected[key], found[key], whole, f"{place} {key}")
        ]
    if isinstance(expected, str) and isinstance(found, int | float):
        if not expected.startswith("= "):
            low, high = map(float, expected.split(".."))
            return [] if low <= found <= high else [f"{place}: {found}"]
        expected = float(eval(expected[2:], {"found": whole}))
    if isinstance(expected, float):
        expected = pytest.approx(expected)
    return [] if expected == found else [f"{place}: {found}"]


@pytest.mark.parametrize("command", ANSWERS)
@pytest.mark.usefixtures("here")
def test_answers(run: Run, command: str) -> None:
    entry = ANSWERS[command]
    for name, text in entry.get("given", {}).items():
        written(Path(), text, name)
    asked, status = words(command), entry.get("status", 0)
    if {"json", "without"} & entry.keys():
        ended = run(*asked, "--json")
        assert (ended.status, like(entry.get("err", ""), ended.err.rstrip("\n"))) == (status, True)
        assert differs(entry.get("json", {}), ended.json, ended.json) == []
        assert {*entry.get("without", ())} & ended.json.keys() == set()
    if {"shown", "absent"} & entry.keys():
        ended = run(*asked)
        assert (ended.status, like(entry.get("err", ""), ended.err.rstrip("\n"))) == (status, True)
        lines = ended.out.splitlines()
        assert [line for line in lines if line != line.rstrip()] == []
        said = [" ".join(line.split()) for line in lines]
        assert [x for x in entry.get("shown", ()) if not any(like(x, line) for line in said)] == []
        assert [x for x in entry.get("absent", ()) if x in ended.out] == []


def test_a_network_too_large_for_a_proof_is_described_all_the_same(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fingerpost.golden.deadlock.state_graph.LARGEST", 100)
    big = NETWORKS / "braided-ring-16.yaml"
    assert "not known" not in run("info", NETWORKS / "petersen.yaml").out
    assert "not known: too many routes for a proof, so there is no hardware" in run("info", big).out
    assert run("info", big, "--json").json["virtual_channels"] is None
    refused = run("generate", big, "-o", "x")
    assert (refused.status, "needs at most 100 routes for the proof" in refused.err) == (2, True)


def test_defaults_are_those_of_the_functions() -> None:
    for command in (simulate, sweep):
        defaults = inspect.signature(command.main).parameters
        assert (defaults["cycles"].default, defaults["precision"].default) == (CYCLES, PRECISION)


@pytest.mark.usefixtures("here")
def test_the_placement_that_was_found_can_be_given(run: Run) -> None:
    topology = "topology: {family: circulant, nodes: 7, jumps: [1, 2]}"
    placed = "positions: {kind: placed, tiles: [4, 2], seed: 3}"
    first = run("info", written(Path(), f"name: x\n{topology}\n{placed}\n"), "--placement")
    tiles = yaml.safe_load(first.out)["positions"]["at"]
    assert len({*map(tuple, tiles)}) == 7
    assert all(0 <= x < 4 and 0 <= y < 2 for x, y in tiles)
    again = written(Path(), f"name: x\n{topology}\n{first.out}", "again.yaml")
    assert run("info", again, "--placement").out == first.out
