import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fingerpost.soak import facts
from golden.measure.soak import Soak, SoakError
from golden.network import Network, build
from tests.fingerpost.common import Run

GIVEN: dict[str, Any] = {"flits": 3000, "arrivals": "bernoulli", "packet_length": "1..3"}


@pytest.fixture(autouse=True)
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.soak.ROUND", 400)


def without_seconds(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "seconds"}


def test_command(run: Run, borel21: Path, tmp_path: Path) -> None:
    state = tmp_path / "soak.npz"
    arguments = ("soak", borel21, "--flits", 2500, "--seed", 2, "--malformed", 0.1)
    answer = run(*arguments, "--state", state, "--json").json
    assert answer["flits"] >= 2500
    assert answer["flits"] == answer["delivered"] + answer["drained"]
    assert (answer["message"], answer["engine"]) == ("", "compiled")
    shown = run(*arguments).out.splitlines()
    assert shown[0].endswith(f"{answer['flits']:,} flits, none lost, doubled or misplaced")
    # More flits are taken from where it stood.
    more = (*arguments[:3], 5000, *arguments[4:], "--json")
    taken_up = run(*more, "--state", state).json
    assert without_seconds(taken_up) == without_seconds(run(*more).json)


def test_killed_soak_goes_on_to_the_same_end(
    network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "soak.npz"
    whole = without_seconds(facts(network, **GIVEN))
    steps = SimpleNamespace(left=4)
    advance = Soak.advance

    def killed(self: Soak) -> None:
        if not steps.left:
            raise KeyboardInterrupt
        steps.left -= 1
        advance(self)

    with monkeypatch.context() as patch:
        patch.setattr(Soak, "advance", killed)
        for _ in range(100):
            steps.left = 2
            with pytest.raises(KeyboardInterrupt):
                facts(network, **GIVEN, state=state, every=0)
            if state.stat().st_size:
                break
    told: list[tuple[int, int]] = []
    again = facts(network, **GIVEN, state=state, progress=lambda *x: told.append(x))
    assert without_seconds(again) == whole
    assert told[-1] == (3000, 3000)


def test_what_is_wrong_is_told_with_status_1(
    run: Run, borel21: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Soak) -> None:
        raise SoakError("3 flits came out at node 2, not 4")

    monkeypatch.setattr(Soak, "advance", fail)
    state = tmp_path / "soak.npz"
    ended = run("soak", borel21, "--state", state)
    assert ended.status == 1
    assert "0 flits, 3 flits came out at node 2, not 4" in ended.out
    assert not state.exists()


def test_state_of_another_soak_is_refused(network: Network, tmp_path: Path) -> None:
    state = tmp_path / "soak.npz"
    facts(network, **GIVEN | {"flits": 1}, state=state)
    message = f"{state}: is the state of a soak with seed 0, not 1"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        facts(network, **GIVEN, seed=1, state=state)
    deeper = build({**network.description, "router": {"buffer_depth": 5}})
    message = f"{state}: is the state of a soak of another network of that name"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        facts(deeper, **GIVEN, state=state)
    for content in (b"", b"notes", state.read_bytes()[:200]):
        state.write_bytes(content)
        message = f"{state}: is not the state of a soak"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            facts(network, **GIVEN, state=state)
