import pytest

import hdl.arbiter
from formal.arbiter import arbiter
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("guests", "claim", "old", "new"),
    [
        (1, "each_other_once", "(turn | self.served[j]) & ~self.served[i]", "turn"),
        (1, "one_at_a_time", "self.request[j] & ~first", "self.request[j] & 0"),
        (1, "somebody", "self.request[i] & first", "self.request[j] & turn"),
        (1, "who_requests", "self.grant[i].eq(self.request[i])", "self.grant[i].eq(1)"),
        (1, "guest_before", "& ~later", ""),
        (1, "guest_after", "(turn | earlier)", "turn"),
        (2, "guest_before", "before[j] & ~before[i]", "before[j] & 0"),
        (2, "each_other_once", "before[i] & ~before[j]", "before[i]"),
        (3, "each_other_once", "after[j] & ~after[i]", "after[j]"),
    ],
)
def test_finds_faults(
    guests: int, claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, hdl.arbiter, "Arbiter", old, new)
    breaks(arbiter(3, guests=guests), claim)
