"""A short proof of each component; `make formal` runs all of the list."""

import pytest

from fingerpost.formal.proofs import PROOFS, Proof, run

SHORT = {proof.component: proof for proof in reversed(PROOFS) if not proof.long}
"""The first of each component."""


@pytest.mark.parametrize("proof", SHORT.values(), ids=str)
def test_holds(proof: Proof) -> None:
    outcome = next(run([proof]))
    assert outcome.claims
    assert outcome.verdict.proven, str(outcome.verdict)
