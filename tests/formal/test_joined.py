from types import ModuleType

import pytest

import fingerpost.hdl.router.credit_counter
import fingerpost.hdl.router.input_port
from fingerpost.formal.joined import joined
from tests.formal.planted import breaks, plant

SENDER, RECEIVER = (
    (fingerpost.hdl.router.credit_counter, "CreditCounter"),
    (fingerpost.hdl.router.input_port, "InputPort"),
)


@pytest.mark.parametrize(
    ("claim", "where", "old", "new"),
    [
        ("room", SENDER, "Mux(self.sent, left, self.has_credit)", "self.has_credit"),
        ("room", RECEIVER, "credit[v].eq(buffer.pop)", "credit[v].eq(buffer.pop | push[v])"),
        ("none_made", SENDER, "Mux(self.sent_q, at_least_3, at_least_2)", "at_least_2"),
        ("none_lost", SENDER, "self.has_credit) | self.credit", "self.has_credit | self.credit)"),
        ("none_lost", RECEIVER, "credit[v].eq(buffer.pop)", "credit[v].eq(self.granted)"),
        ("none_lost", RECEIVER, "credit[v].eq(buffer.pop)", "credit[0].eq(buffer.pop)"),
    ],
)
def test_finds_faults(
    claim: str,
    where: tuple[ModuleType, str],
    old: str,
    new: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plant(monkeypatch, *where, old, new)
    breaks(joined(channels=2, depth=2), claim)
