"""The short proofs; `make formal` runs all of the list."""

import pytest

from fingerpost.formal.proofs import PROOFS, Proof, run


@pytest.mark.parametrize("proof", [proof for proof in PROOFS if not proof.long], ids=str)
def test_holds(proof: Proof) -> None:
    outcome = next(run([proof]))
    assert outcome.claims
    assert outcome.verdict.proven, str(outcome.verdict)
