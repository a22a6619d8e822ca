import pytest

import fingerpost.hdl.router.input_port
import fingerpost.hdl.router.route_stage
import fingerpost.hdl.router.vc_buffer
from fingerpost.formal.input_port import input_port
from tests.formal.planted import breaks, plant


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("candidate", "self.candidate.eq(arbiter.grant)", "self.candidate.eq(arbiter.request)"),
        ("chosen", "with m.If(arbiter.request.any())", "with m.If(arbiter.request.all())"),
        ("kept", "ends | ~(self.eligible & self.candidate).any()", "1"),
        ("turn", "self.candidate & self.granted.replicate(self.channels)", "0"),
        ("credits", "link.credit[v].eq(buffer.pop)", "link.credit[v].eq(self.granted)"),
        ("valid", "buffer.push.eq(push[v])", "buffer.push.eq(push.any())"),
        ("full", "self.full[v].eq(buffer.full)", "self.full[v].eq(buffer.valid)"),
        (
            "data",
            'select(self.candidate, rows["read_ptr"])',
            'select(self.eligible, rows["read_ptr"])',
        ),
        ("marks", "tail.eq((self.candidate & self.tail).any())", "tail.eq(self.tail.any())"),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, fingerpost.hdl.router.input_port, "InputPort", old, new)
    several = claim in ("candidate", "turn")  # of two others, once one is nominated
    breaks(input_port(channels=3 if several else 2, depth=2), claim)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("in_packet", "(self.flit.head | continues_packet) & ~self.flit.tail", "~self.flit.tail"),
        ("error", "self.refused | unit.error", "self.refused & unit.error"),
        ("error", "(continues_packet | ~self.route.any())", "continues_packet"),
        ("no_error", "with m.If(self.valid.any())", "with m.If(1)"),
        ("passes", "self.flit.tail | orphan", "self.flit.tail & ~orphan"),
        ("no_blame", "with m.If(self.valid[v])", "with m.If(self.valid[v] & ~unroutable)"),
        ("route", "self.flit.head & ~unroutable", "self.flit.head"),
        ("tail", "self.flit.tail | orphan", "self.flit.tail"),
        ("data", "self.data.eq(self.flit.data)", "self.data.eq(self.flit.data >> 1)"),
    ],
)
def test_finds_faults_of_the_route_stage(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.router.route_stage, "RouteStage", old, new)
    breaks(input_port(channels=2, depth=2), claim)


def test_finds_faults_of_the_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(
        monkeypatch,
        fingerpost.hdl.router.vc_buffer,
        "VcBuffer",
        "self.head.eq(self.tail)",
        "self.head.eq(1)",
    )
    breaks(input_port(channels=2, depth=2), "head")
