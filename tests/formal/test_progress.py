from typing import Any

import pytest

import hdl.output_port
from formal.progress import progress
from formal.proofs import PROOFS
from golden.deadlock.lanes import Lanes
from tests.formal.planted import breaks, plant

GUEST: dict[str, Any] = {
    "channels": (1, 1, 1), "lanes": Lanes(1, 1), "depth": 2, "courtesies": (0, 0, 2),
}  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(~front.head[v] | ~(busy | had[k]))", "~front.head[v]"),  # heads are never able
        ("busy.eq(~ends)", "busy.eq(1)"),  # no channel ever becomes free
        ("self.through.eq(via &", "self.through.eq(0 &"),  # no guest ever insists
    ],
)
def test_finds_who_waits_for_ever(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "able[i, v].append(possible & " if "front.head" in old else ""
    plant(monkeypatch, hdl.output_port, "OutputPort", source + old, source + new)
    breaks(progress(bound=40, **GUEST), "leaves")


@pytest.mark.regress
@pytest.mark.parametrize(
    "size", [p.size for p in PROOFS if p.contract is progress and not p.long], ids=str
)
def test_bounds_are_the_least(size: dict[str, Any]) -> None:
    breaks(progress(**{**size, "bound": size["bound"] - 1}), "leaves")
