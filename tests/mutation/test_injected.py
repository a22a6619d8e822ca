"""What the default co-simulation and the short proofs must find."""

from pathlib import Path

import pytest

from fingerpost.formal.proofs import PROOFS
from fingerpost.formal.prove import prove
from fingerpost.testbench.benches import LEVELS
from mutation.injected import INJECTED
from tests.formal.planted import planted
from tests.quick import only
from tests.testbench.faults.fault import Fault
from tests.testbench.faults.plant import catch

SHORT = {str(proof): proof for proof in PROOFS if not proof.long}

SEEN = [fault for fault in INJECTED if fault.by]

NAMES = (
    *("tails-of-two-classes", "generation-stalls", "no-increments-after-overrun"),
    *("last-word-discarded", "one-credit-of-classes"),
)
"""`make test` plants these, `make regress` all."""

QUICK = [fault for fault in SEEN if fault.name in NAMES]


@pytest.mark.parametrize("fault", only(QUICK, SEEN), ids=lambda fault: fault.name)
def test_default_checks_find_it(
    fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault.by in LEVELS:
        assert catch(fault, tmp_path).mismatches
        return
    proof = SHORT[fault.by]
    planted(monkeypatch, fault.file.removesuffix(".py").replace("/", "."), fault.old, fault.new)
    verdict = prove(proof.make(), depth=proof.depth)
    assert verdict.proven is False
