import pytest

from fingerpost.formal.proofs import PROOFS, Proof, run


def case(proof: Proof) -> object:
    return pytest.param(proof, id=str(proof), marks=[pytest.mark.regress] if proof.long else [])


@pytest.mark.parametrize("proof", [case(proof) for proof in PROOFS])
def test_holds(proof: Proof) -> None:
    outcome = next(run([proof]))
    assert outcome.claims
    assert outcome.verdict.proven, str(outcome.verdict)
