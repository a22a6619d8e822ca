"""Mutants before contracts and decisions: what is killed differs, and what is equal lives."""

import json
from pathlib import Path

import pytest

from fingerpost.formal.arbiters import arbiter
from fingerpost.formal.contract import Contract
from fingerpost.formal.proofs import PROOFS, Proof
from fingerpost.golden.routing import ALGORITHMS
from mutation.campaign import Killed, campaign, healthy
from mutation.contracts import Contracted, ContractHunt
from mutation.subjects import CONTRACTS, SUBJECTS
from mutation.units import Units

WHOLE = Contracted(Proof(arbiter, {"requests": 2}, resets=True))


def half(*, requests: int) -> Contract:
    """Return what an arbiter promises, but for fairness."""
    contract = arbiter(requests)
    del contract.claims["each_other_once"]
    return contract


HALF = Contracted(Proof(half, {"requests": 2}, resets=True))


def test_a_contract_kills_what_differs_and_no_more(tmp_path: Path) -> None:
    hunt = WHOLE.hunt(count=12, seed=1, cache=tmp_path)
    assert isinstance(hunt, ContractHunt)
    healthy(hunt)
    assert all(mutant.lines[-1].startswith("hdl/") for mutant in hunt.mutants)
    killed = {mutant.number for mutant in hunt.mutants if hunt.kill(mutant.number)}
    differ = {mutant.number for mutant in hunt.mutants if not hunt.equivalent(mutant.number)}
    assert len(killed) > 6
    assert killed == differ
    assert hunt.equivalent(0)


def test_without_a_claim_some_that_differ_live(tmp_path: Path) -> None:
    fates = campaign(HALF, count=12, seed=1, cache=tmp_path)
    assert any(fate.killed for fate in fates)
    assert any(fate.equivalent is False for fate in fates)
    assert not any(fate.killed and fate.equivalent is not None for fate in fates)


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some = campaign(WHOLE, count=12, seed=1, cache=tmp_path, sample=4, prove=False)
    assert len(some) == 4
    file = tmp_path / "fates.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines) + '\n{"digest": "cut sho')
    asked: list[int] = []
    kill = ContractHunt.kill

    def ask(hunt: ContractHunt, number: int) -> Killed | None:
        asked.append(number)
        return kill(hunt, number)

    monkeypatch.setattr(ContractHunt, "kill", ask)
    every = campaign(WHOLE, count=12, seed=1, cache=tmp_path, prove=False)
    assert [fate for fate in every if fate.mutant in [x.mutant for x in some]] == some
    assert len(asked) == 1 + 12 - 4  # that without a mutant, and the others
    campaign(WHOLE, count=12, seed=1, cache=tmp_path, prove=False)
    assert len(asked) == 1 + 12 - 4
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(rows) == 12


def test_hardware_that_breaks_its_contract_is_refused(tmp_path: Path) -> None:
    def never(*, requests: int) -> Contract:
        contract = arbiter(requests)
        contract.claim("never", ~contract.seen["grant"].any())
        return contract

    subject = Contracted(Proof(never, {"requests": 2}))
    message = r"^Hardware differs in contract, cycle \d+, without a mutant$"
    with pytest.raises(RuntimeError, match=message):
        campaign(subject, count=2, seed=1, cache=tmp_path)


def test_proofs_of_components_are_there() -> None:
    assert {*CONTRACTS} <= {str(proof) for proof in PROOFS}


UNITS = {subject.name: subject for subject in SUBJECTS if isinstance(subject, Units)}


def test_every_algorithm_is_mutated() -> None:
    mutated = {unit.description["routing"]["algorithm"] for unit in UNITS.values()}
    assert mutated == {*ALGORITHMS} - {"random"}


@pytest.mark.parametrize("name", ["two-phase-borel", "adaptive-borel"])
def test_decisions_that_differ_are_found(name: str, tmp_path: Path) -> None:
    hunt = UNITS[name].hunt(count=16, seed=5, cache=tmp_path)
    healthy(hunt)
    killed = [mutant.name for mutant in hunt.mutants if hunt.kill(mutant.number)]
    assert len(killed) > 8
    assert {mutant.component for mutant in hunt.mutants} <= {"header_generator", "routing"}
