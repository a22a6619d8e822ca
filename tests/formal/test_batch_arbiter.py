import pytest

import fingerpost.hdl.router.batch_arbiter
from fingerpost.formal.batch_arbiter import LIMIT, batch_arbiter
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize("sources", [2, 3])
def test_no_less_can_be_promised(sources: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fingerpost.formal.batch_arbiter.LIMIT", LIMIT - 1)
    breaks(batch_arbiter(sources), "bounded_bypass")


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("bounded_bypass", "two_pending | (any_pending & ~starts)", "two_pending"),
        ("bounded_bypass", "(self.served | self.granted) &", "self.served &"),
        ("one_is_pending", "two_pending | (any_pending & ~starts)", "any_pending"),
        ("bounded_bypass", "pending[k] & pending[:k].any()", "pending[k] & pending[:1].any()"),
        ("bounded_bypass", "self.starts & ~unasked.any()", "self.starts"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, fingerpost.hdl.router.batch_arbiter, "BatchArbiter", old, new)
    breaks(batch_arbiter(4, yielding=2 * ("unasked" in old)), claim)
