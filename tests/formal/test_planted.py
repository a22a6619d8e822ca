"""For each claim of each contract there is a fault that breaks it: none holds for nothing."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

from fingerpost.formal.proofs import PROOFS

HERE = Path(__file__).parent
COMPONENTS = sorted({proof.component for proof in PROOFS})


def kind(claim: str) -> str:
    """Return a claim without the number of its channel or input."""
    return re.sub(r"\d+(_\d+)?$", "", claim)


def planted() -> dict[str, set[str]]:
    """Return by contract what the tests say that plant something: claims are among it."""
    said: dict[str, set[str]] = defaultdict(set)
    for path in HERE.glob("test_*.py"):
        tree = ast.parse(path.read_text())
        names = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        if "breaks" not in names:
            continue
        words = {
            kind(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        for name in names & {*COMPONENTS}:
            said[name] |= words
    return said


@pytest.mark.parametrize("component", COMPONENTS)
def test_each_claim_has_a_fault_that_breaks_it(component: str) -> None:
    contracts = (p.contract(**p.size) for p in PROOFS if p.component == component)
    claims = {kind(claim) for contract in contracts for claim in contract.claims}
    assert not claims - planted()[component]
