import pytest

import hdl.rounds
from formal.prove import prove
from formal.rounds import LIMIT, rounds
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize("sources", [2, 3, 4, 5, pytest.param(9, marks=pytest.mark.regress)])
def test_everybodys_turn_comes(sources: int) -> None:
    verdict = prove(rounds(sources))
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize("courtesy", [1, 3])
@pytest.mark.parametrize("sources", [3, pytest.param(7, marks=pytest.mark.regress)])
def test_a_guest_shuts_nobody_out(sources: int, courtesy: int) -> None:
    verdict = prove(rounds(sources, guest=True, courtesy=courtesy))
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize("sources", [2, 3])
def test_no_less_can_be_promised(sources: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("formal.rounds.LIMIT", LIMIT - 1)
    breaks(rounds(sources), "served")


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("served", "several | (some & ~begins)", "several"),
        ("served", "(self.had | self.goes) &", "self.had &"),
        ("somebody_is_due", "several | (some & ~begins)", "some"),
        ("served", "due[k] & due[:k].any()", "due[k] & due[:1].any()"),
        ("served", "self.begins & (self.insists | ~self.goes[-1])", "self.begins"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.rounds, "Rounds", old, new)
    breaks(rounds(4, guest="insists" in old), claim)
