"""`fingerpost soak`: pieces of several networks, from a state, and the same from any worker."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.measure.soak import Soak, SoakError, Totals
from fingerpost.golden.network.network import Network, build
from fingerpost.jobs.runner import Row
from fingerpost.netfile.source import load
from fingerpost.soak import Piece, Pieces, added, facts
from tests.fingerpost.common import NETWORKS, Run

GIVEN: dict[str, Any] = {"flits": 3000, "arrivals": "bernoulli", "packet_length": "1..3"}


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.measure.soak.PACKETS", 400)


def test_command(run: Run, borel21: Path, tmp_path: Path) -> None:
    state = tmp_path / "soak.jsonl"
    arguments = ("soak", borel21, "--flits", 500, "--seed", 2, "--malformed", 0.1)
    answer = run(*arguments, "--state", state, "--json").json
    (row,) = answer["networks"]
    assert row["flits"] == answer["flits"] >= 500
    assert row["flits"] == row["delivered"] + row["drained"]
    assert (row["pieces"], row["engine"], row["load"], answer["rtl"]) == (1, "compiled", 1, False)
    assert answer["message"] == ""
    shown = run(*arguments, "--state", state).out.splitlines()
    assert shown[0] == (
        f"model, seed 2: {row['flits']:,} flits, none lost, duplicated or misdelivered"
    )
    assert shown[4].split()[:3] == ["borel-21", "compiled", f"{row['flits']:,}"]


def test_few_flits_are_few(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the pieces are as long as ever
    assert 5 <= facts([network], **GIVEN | {"flits": 5})["flits"] < 200
    assert 3000 <= facts([network], **GIVEN)["flits"] < 6000


def test_state_serves_other_networks_seeds_and_more_flits(
    network: Network, cluster: str, state: Path
) -> None:
    other = load(NETWORKS / "scc-4.yaml")
    facts([network], **GIVEN | {"flits": 1}, state=state)
    told: list[tuple[int, int]] = []
    several = facts(
        [other, network], **GIVEN, state=state, cluster=cluster, progress=lambda *x: told.append(x)
    )
    assert told[-1] == (6000, 6000)
    kept = [json.loads(line) for line in state.read_text().splitlines()[1:]]
    assert [(line["network"], line["piece"]) for line in kept[:1]] == [("borel-21", 0)]
    assert len(kept) == sum(row["pieces"] for row in several["networks"])
    assert several["flits"] == sum(row["flits"] for row in several["networks"])
    assert all(row["flits"] >= 3000 for row in several["networks"])
    deeper = build({**network.description, "router": {"buffer_depth": 5}})
    for others, seed in (([network], 1), ([deeper], 0)):  # of whom it has nothing
        facts(others, **GIVEN | {"flits": 1}, seed=seed, state=state)
        kept.append({})
        assert len(state.read_text().splitlines()) == 1 + len(kept)


def test_what_is_wrong_is_told_with_status_1_and_not_kept(
    run: Run, borel21: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Soak, number: int) -> None:
        raise SoakError(f"piece {number}: 3 flits came out at node 2, not 4")

    monkeypatch.setattr(Soak, "piece", fail)
    state = tmp_path / "soak.jsonl"
    ended = run("soak", borel21, "--flits", 100, "--state", state)
    assert ended.status == 1
    lines = ended.out.splitlines()
    assert lines[0] == "model, seed 0: 0 flits, errors found"
    assert lines[-1] == "piece 0: 3 flits came out at node 2, not 4"
    assert len(state.read_text().splitlines()) == 1


def row(flits: int) -> Row:
    return asdict(Totals(flits=flits, longest_time=flits)) | {"cpu_seconds": 1.0}


def test_as_many_pieces_as_it_takes_whatever_their_order() -> None:
    def done(order: Callable[[Sequence[Piece]], Sequence[Piece]]) -> Pieces:
        pieces = Pieces(1000, [100.0])
        while units := pieces.ready(3):
            for piece in order(units):
                pieces.finish(piece, row(90))
        return pieces

    for pieces in (done(lambda units: units), done(lambda units: units[::-1])):
        assert pieces.planned == [12]  # 1080 flits
        assert added(pieces.done[0].values()) == row(90) | {"flits": 1080, "cpu_seconds": 12.0}
        assert pieces.counts() == (1000, 1000)


def test_network_that_fails_gets_no_more_pieces_and_others_do() -> None:
    pieces = Pieces(1000, [100.0, 500.0])
    assert pieces.ready(2) == [(0, 0), (0, 1)]
    pieces.finish((0, 1), {"message": "a"})
    pieces.finish((0, 0), row(100))
    pieces.finish((0, 2), {"message": "b"})
    assert pieces.messages == ["a", ""]
    assert pieces.ready(9) == [(1, 0), (1, 1)]
