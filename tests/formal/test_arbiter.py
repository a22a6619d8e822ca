import pytest

import fingerpost.hdl.router.arbiter
from fingerpost.formal.arbiter import arbiter
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("yielding", "claim", "old", "new"),
    [
        (1, "each_other_once", "(order | self.update[j]) & ~self.update[i]", "order"),
        (1, "one_at_a_time", "self.request[j] & ~first", "self.request[j] & 0"),
        (1, "work_conserving", "self.request[i] & first", "self.request[j] & order"),
        (1, "only_requests", "self.grant[i].eq(self.request[i])", "self.grant[i].eq(1)"),
        (1, "high_first", "& ~below", ""),
        (1, "low_last", "(order | above)", "order"),
        (2, "high_first", "high[j] & ~high[i]", "high[j] & 0"),
        (2, "high_first", "high[i] & ~high[j]", "high[i] & 0"),
        (2, "each_other_once", "high[i] & ~high[j]", "high[i]"),
        (3, "each_other_once", "low[j] & ~low[i]", "low[j]"),
    ],
)
def test_finds_faults(
    yielding: int, claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.router.arbiter, "Arbiter", old, new)
    breaks(arbiter(3, yielding=yielding), claim)
