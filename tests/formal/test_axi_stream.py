import pytest

import fingerpost.hdl.terminal.axi_receiver
import fingerpost.hdl.terminal.axi_sender
from fingerpost.formal.axi_receiver import axi_receiver
from fingerpost.formal.axi_sender import axi_sender
from tests.formal.planted import breaks, faults, plant

SHORT = {"room", "ready", "closed", "stable", "user"}
"""Claims of which `make test` breaks one; `make regress` breaks all."""


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("room", "goes.eq(some & held & opened)", "goes.eq(held & opened)"),
        ("head_first", "opened.eq(opens | (opened", "opened.eq(opens & (opened"),
        ("has_beats", "inject.flit.tail.eq(closes | (goes & last))", "inject.flit.tail.eq(last)"),
        ("head", "drops.eq(held & (dropping | (~opened & ~known)))", "drops.eq(held & dropping)"),
        ("as_it_is", "with m.If(takes):", "with m.If(stream.tvalid):"),
        ("as_it_is", "self.stream.tlast & self.stream.tkeep[byte]", "self.stream.tkeep[byte]"),
        ("none_lost", "leaves.eq(drops | goes)", "leaves.eq(drops | goes | opens)"),
        ("ready", "stream.tready.eq(~held | leaves)", "stream.tready.eq(~held)"),
        ("dropped_at_once", "leaves.eq(drops | goes)", "leaves.eq((drops & some) | goes)"),
        ("in_time", "Mux(late, quiet, quiet + 1)", "Mux(late, quiet, quiet + late)"),
        ("in_time", "late = quiet == self.timeout", "late = quiet == self.timeout - 1"),
        ("closed", "closing.error.eq(1)", "closing.error.eq(0)"),
        ("head", "dropping.eq(closes | Mux(", "dropping.eq(Mux("),
        ("counted", "drops & ~dropping", "drops"),
    ),
)
def test_finds_faults_of_the_sender(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.axi_sender, "AxiSender", old, new)
    breaks(axi_sender(credits=2, timeout=2), claim)


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    faults(
        SHORT,
        ("credit", "eject.credit.eq(goes)", "eject.credit.eq(goes | stream.tready)"),
        ("one_credit", "eject.credit.eq(goes)", "eject.credit.eq(goes & ~front.head)"),
        ("stays", "stream.tvalid.eq(queue.r_rdy", "stream.tvalid.eq(~eject.valid & queue.r_rdy"),
        ("stable", "Cat(bad, source)", "Cat(bad, source ^ eject.valid)"),
        ("of_nothing", "tvalid.eq(queue.r_rdy & ~front.head)", "tvalid.eq(~front.head)"),
        ("no_head", "stream.tvalid.eq(queue.r_rdy & ~front.head)", "stream.tvalid.eq(queue.r_rdy)"),
        ("data", "goes.eq(queue.r_rdy & (front.head | stream.tready))", "goes.eq(queue.r_rdy)"),
        ("last", "stream.tlast.eq(front.tail)", "stream.tlast.eq(front.tail & ~bad)"),
        ("keep", "~front.tail | (body", "(body"),
        ("user", "body.error | status.any()", "body.error"),
        ("user", "with m.If(queue.r_rdy & front.head):", "with m.If(queue.r_rdy & ~front.head):"),
    ),
)  # fmt: skip
def test_finds_faults_of_the_receiver(
    claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, fingerpost.hdl.terminal.axi_receiver, "AxiReceiver", old, new)
    breaks(axi_receiver(depth=2, status=2), claim)
