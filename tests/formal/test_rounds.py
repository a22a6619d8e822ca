import pytest

import hdl.rounds
from formal.rounds import LIMIT, rounds
from tests.formal.planted import breaks, plant


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
        ("served", "self.begins & ~unasked.any()", "self.begins"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.rounds, "Rounds", old, new)
    breaks(rounds(4, guests=2 * ("unasked" in old)), claim)
