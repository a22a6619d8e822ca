"""`fingerpost soak`: pieces of several networks, from a state, and the same from any worker."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.golden.measure.soak import Soak, SoakError, Totals
from fingerpost.golden.network.network import Network, build
from fingerpost.netfile.source import load
from fingerpost.soak.pieces import Done, Pieces
from fingerpost.soak.soak import facts
from tests.fingerpost.common import NETWORKS, Run

GIVEN: dict[str, Any] = {"flits": 3000, "arrivals": "bernoulli", "packet_length": "1..3"}


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.golden.measure.soak.PACKETS", 400)


def without_seconds(answer: dict[str, Any]) -> dict[str, Any]:
    timed = "seconds", "cpu_seconds"
    rows = [
        {key: value for key, value in row.items() if key not in timed} for row in answer["networks"]
    ]
    return {key: value for key, value in answer.items() if key not in timed} | {"networks": rows}


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
    network: Network, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, other = tmp_path / "soak.jsonl", load(NETWORKS / "scc-4.yaml")
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

    # Pieces hold the same from any worker and any state.
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(Soak, "piece", never)
    again = facts([other, network], **GIVEN, state=state)
    assert without_seconds(again) == without_seconds(several)
    with pytest.raises(AssertionError):
        facts([network], **GIVEN | {"flits": 1}, seed=1, state=state)


def test_killed_soak_goes_on_to_the_same_end(
    network: Network, cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = without_seconds(facts([network], **GIVEN, cluster=cluster))
    done = SimpleNamespace(pieces=0)
    finish = Pieces.finish

    def killed(self: Pieces, *given: Any) -> bool:
        done.pieces += 1
        if done.pieces > 2:
            raise KeyboardInterrupt
        return finish(self, *given)

    state = tmp_path / "soak.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr(Pieces, "finish", killed)
        with pytest.raises(KeyboardInterrupt):
            facts([network], **GIVEN, cluster=cluster, state=state)
    assert len(state.read_text().splitlines()) == 1 + 2
    again = facts([network], **GIVEN, cluster=cluster, state=state)
    assert without_seconds(again) == whole


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


def totals(flits: int) -> Done:
    return Done(Totals(flits=flits), 1.0)


def test_as_many_pieces_as_it_takes_whatever_their_order() -> None:
    def done(pieces: Pieces, order: Callable[[list[int]], list[int]]) -> Pieces:
        while units := list(pieces.ready(3)):
            for number in order([number for _, number in units]):
                assert pieces.finish((0, number), totals(90).record)
        return pieces

    one = done(Pieces(1000, [100.0], [{}]), lambda units: units)
    other = done(
        Pieces(1000, [100.0], [{2: totals(90), 40: totals(90)}]), lambda units: units[::-1]
    )
    assert one.counts == other.counts == [12]  # 1080 flits
    assert one.sum(0) == other.sum(0) == Done(Totals(flits=1080), 12.0)
    assert (one.left, one.sent) == (0, 1000)


def test_network_that_fails_gets_no_more_pieces_and_others_do() -> None:
    pieces = Pieces(1000, [100.0, 500.0], [{}, {}])
    assert pieces.ready(2) == [(0, 0), (0, 1)]
    assert not pieces.finish((0, 1), {"message": "a"})
    assert pieces.finish((0, 0), totals(100).record)
    assert not pieces.finish((0, 2), {"message": "b"})
    assert pieces.messages == ["a", ""]
    assert pieces.ready(9) == [(1, 0), (1, 1)]


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        (
            "borel-21-os-link",
            {"rtl": Path("nowhere")},
            "Soak in RTL needs networks that the compiled model runs, not borel-21-os-link: .*",
        ),
        (
            "petersen-transputers",
            {},
            "Soak needs terminals of kind credit, axi-stream or mailbox, whose .* not os-link",
        ),
        ("borel-21", {"traffic": "trace:x.csv"}, "Soak needs traffic made by chance, not trace"),
    ],
)
def test_refuses(name: str, given: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("cycle,source,destination,flits\n0,0,1,1\n")
    if "traffic" in given:
        given = {"traffic": f"trace:{tmp_path / 'x.csv'}"}
    with pytest.raises(ValueError, match=f"^{message}$"):
        facts([load(NETWORKS / f"{name}.yaml")], **GIVEN, **given)


@pytest.mark.parametrize(
    "around",
    [
        {"counters": {"kind": "axi-lite"}},
        {"terminal": {"kind": "axi-stream", "flow_control": "end-to-end"}},
    ],
    ids=["counters", "flow control"],
)
def test_refuses_what_stands_around_nodes_in_rtl(
    around: dict[str, Any], network: Network, tmp_path: Path
) -> None:
    message = (
        "^Soak in RTL needs networks with nothing around their nodes: credit terminals and no "
        "counters, not borel-21$"
    )
    with pytest.raises(ValueError, match=message):
        facts([build({**network.description, **around})], **GIVEN, rtl=tmp_path)


def test_refuses_two_networks_of_a_name(network: Network) -> None:
    with pytest.raises(ValueError, match=r"^Soak needs networks of different names, not borel-21 "):
        facts([network, network], **GIVEN)


def test_state_of_another_soak_is_refused(network: Network, tmp_path: Path) -> None:
    state = tmp_path / "soak.jsonl"
    facts([network], **GIVEN | {"flits": 1}, state=state)
    message = f"{state}: is the state of a soak with stall 0.1, not 0.2"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        facts([network], **GIVEN, stall=0.2, state=state)
    deeper = build({**network.description, "router": {"buffer_depth": 5}})
    facts([deeper], **GIVEN | {"flits": 1}, state=state)
    assert len(state.read_text().splitlines()) == 1 + 2  # nothing is taken from the other one's
    for content in ("notes\n", '{"traffic": 1}\n', state.read_text().replace("piece", "peace")):
        state.write_text(content)
        message = f"{state}: is "
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            facts([network], **GIVEN, state=state)
