from typing import Any

import pytest

import hdl.arbiter
import hdl.output_port
from formal.output_port import output_port
from golden.deadlock.lanes import Lanes
from tests.formal.planted import breaks, plant

SMALL: dict[str, Any] = {
    "channels": (2, 2, 1),
    "lanes": Lanes(2, 2),
    "depth": 2,
    "courtesies": (2, 0, 1),
}


@pytest.mark.parametrize(
    ("claim", "old", "new"),
    [
        ("room0", "Mux(sent, more, some)", "some"),
        ("credits0", "Mux(sent, more, some) | back", "Mux(sent, more, some) | (back & ~sent)"),
        ("grant", "(f.nominee & a).any()", "f.nominee.any()"),
        ("somebody", "self.grant.eq(arbiter.grant)", "self.grant.eq(arbiter.grant & 1)"),
        ("one_packet0", "~(busy | had[k])", "~had[k]"),
        ("unmixed1", "busy.eq(~ends)", "busy.eq(0)"),
        ("sent0", "departs[c].eq(sent)", "departs[c].eq(self.grant.any())"),
        ("passed", "~(busy | had[k])", "~busy"),
        # Only packets of those who are no guests are counted: guests pass each other for ever.
        ("endured", "self.through.eq(via &", "self.through.eq(via & 0b010 &"),
        ("begins0", "(~front.head[v] | ~(busy | had[k]))", "(~front.head[v] | had[k])"),
        ("stays", "~front.head[v] | ~(busy | had[k])", "~(busy & had[k])"),
        *(
            pytest.param(*case, marks=pytest.mark.regress)
            for case in (
                ("room1", "front.wants[v] & here & some", "front.wants[v] & here"),
                (
                    "sent1",
                    "self.link.valid.eq(departs)",
                    "self.link.valid.eq(departs | departs[0] << 1)",
                ),
                ("begins1", "busy.eq(~ends)", "busy.eq(1)"),
            )
        ),
    ],
)
def test_finds_faults(claim: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, hdl.output_port, "OutputPort", old, new)
    breaks(output_port(**SMALL), claim)


ONE: dict[str, Any] = {"channels": (1, 1, 1), "lanes": Lanes(1, 1), "depth": 2}
DEEP: dict[str, Any] = {"channels": (2, 2), "lanes": Lanes(2, 2), "depth": 4, "terminal": False}
"""One channel alone has credits for every cycle."""


@pytest.mark.parametrize(("claim", "size"), [("passed", ONE), ("served", DEEP)])
def test_finds_an_arbiter_that_forgets(
    claim: str, size: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = "(turn | self.served[j]) & ~self.served[i]", "turn"
    plant(monkeypatch, hdl.arbiter, "Arbiter", old, new)
    breaks(output_port(**size), claim)
