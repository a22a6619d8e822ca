from types import ModuleType
from typing import Any

import pytest

import fingerpost.hdl.router.output_port
import fingerpost.hdl.router.vc_state
from fingerpost.formal.progress import progress
from fingerpost.formal.proofs import PROOFS
from fingerpost.golden.deadlock.lanes import Lanes
from tests.formal.planted import breaks, plant

VC, OUTPUT = (
    (fingerpost.hdl.router.vc_state, "VcState"),
    (fingerpost.hdl.router.output_port, "OutputPort"),
)

YIELDING: dict[str, Any] = {
    "channels": (1, 1, 1), "lanes": Lanes(1, 1), "depth": 2, "bypass_limits": (0, 0, 2),
}  # fmt: skip


@pytest.mark.parametrize(
    ("where", "old", "new"),
    [
        (VC, "possible & allowed)", "possible & ~front.head)"),  # heads are never eligible
        (VC, "busy.eq(~self.sent_tail)", "busy.eq(1)"),  # no channel ever becomes free
        (OUTPUT, "tail_passed.eq(grant_q &", "tail_passed.eq(0 &"),  # no head is ever promoted
    ],
)
def test_finds_starvation(
    where: tuple[ModuleType, str], old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, *where, old, new)
    breaks(progress(bound=40, **YIELDING), "leaves")


@pytest.mark.regress
@pytest.mark.parametrize(
    "size", [p.size for p in PROOFS if p.contract is progress and not p.long], ids=str
)
def test_bounds_are_the_least(size: dict[str, Any]) -> None:
    breaks(progress(**{**size, "bound": size["bound"] - 1}), "leaves")
