import pytest

import hdl.arbiter
from formal.arbiter import arbiter
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("each_other_once", "(turn | self.served[j]) & ~self.served[i]", "turn"),
        ("one_at_a_time", "self.request[j] & ~first", "self.request[j] & 0"),
        ("somebody", "self.request[i] & first", "self.request[j] & turn"),
        ("who_requests", "self.grant[i].eq(self.request[i])", "self.grant[i].eq(1)"),
        ("guest_before", "& ~self.before", ""),
        ("guest_after", "(turn | self.after)", "turn"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.arbiter, "Arbiter", old, new)
    breaks(arbiter(3, guest=True), claim)
