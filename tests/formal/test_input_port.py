import pytest

import hdl.admission
import hdl.input_port
import hdl.queue
from formal.input_port import input_port
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("nominee", "self.nominee.eq(choice.grant)", "self.nominee.eq(choice.request)"),
        ("somebody", "with m.If(choice.request.any())", "with m.If(choice.request.all())"),
        ("kept", "self.granted | ~(self.ready & self.nominee).any()", "1"),
        ("turn", "self.nominee & self.granted.replicate(self.channels)", "0"),
        ("credits", "link.credit[v].eq(queue.goes)", "link.credit[v].eq(self.granted)"),
        ("waits", "queue.arrives.eq(arrives[v])", "queue.arrives.eq(arrives.any())"),
        ("full", "self.full[v].eq(queue.full)", "self.full[v].eq(queue.waits)"),
        ("data", 'select(self.nominee, rows["oldest"])', 'select(self.ready, rows["oldest"])'),
        ("marks", "(self.nominee & self.last).any()", "self.last.any()"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.input_port, "InputPort", old, new)
    choice = claim in ("nominee", "turn")  # of two others, once one is nominated
    breaks(input_port(channels=3 if choice else 2, depth=2), claim)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("inside", "(self.flit.head | follows) & ~self.flit.tail", "~self.flit.tail"),
        ("error", "self.refused | unit.error", "self.refused & unit.error"),
        ("error", "(follows | ~self.way.any())", "follows"),
        ("no_error", "with m.If(self.valid.any())", "with m.If(1)"),
        ("passes", "self.flit.tail | stray", "self.flit.tail & ~stray"),
        ("no_blame", "with m.If(self.valid[v])", "with m.If(self.valid[v] & ~lost)"),
        ("way", "self.flit.head & ~lost", "self.flit.head"),
        ("tail", "self.flit.tail | stray", "self.flit.tail"),
        ("data", "self.data.eq(self.flit.data)", "self.data.eq(self.flit.data >> 1)"),
    ],
)
def test_finds_faults_of_admission(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, hdl.admission, "Admission", old, new)
    breaks(input_port(channels=2, depth=2), claim)


def test_finds_faults_of_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.queue, "Queue", "self.head.eq(self.last)", "self.head.eq(1)")
    breaks(input_port(channels=2, depth=2), "head")
