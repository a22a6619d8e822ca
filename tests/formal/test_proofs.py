"""A short proof of each component; `make formal` runs all of the list."""

import pytest

from fingerpost.formal.proofs import PROOFS, Proof, run
from tests.quick import only

SHORT = {proof.component: proof for proof in reversed(PROOFS) if not proof.long}
"""The first of each component."""

QUICK = [proof for name, proof in SHORT.items() if name not in ("flow_receiver", "os_link")]


@pytest.mark.parametrize("proof", only(QUICK, SHORT.values()), ids=str)
def test_holds(proof: Proof) -> None:
    outcome = next(run([proof]))
    assert outcome.claims
    assert outcome.verdict.proven, str(outcome.verdict)
