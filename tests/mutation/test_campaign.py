"""Mutants before contracts and decisions, what explains those that live, and injected faults."""

import inspect
import json
import pkgutil
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from amaranth.hdl import Fragment
from amaranth.lib import wiring

import fingerpost.hdl
from fingerpost.formal.arbiters import arbiter
from fingerpost.formal.contract import Contract
from fingerpost.formal.proofs import PROOFS, Proof
from fingerpost.formal.prove import prove
from fingerpost.golden.network.network import build
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.hdl.emit.routers import node
from fingerpost.testbench.benches import LEVELS
from mutation import __main__ as command
from mutation.campaign import FILE, Explained, Fate, Killed, Subject, campaign, healthy, read
from mutation.contracts import Contracted, ContractHunt
from mutation.injected import INJECTED
from mutation.mutated import Mutant
from mutation.nodes import Nodes
from mutation.subjects import CONTRACTS, NOT_MUTATED, SUBJECTS
from mutation.units import Decision, Units
from tests.formal.test_planted import planted
from tests.networks import only
from tests.testbench.faults.plant import Fault, catch

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


def test_outputs_are_compared_where_they_mean_something(tmp_path: Path) -> None:
    named = {subject.name: subject for subject in SUBJECTS}
    hunt = named["cells"].hunt(count=1, seed=1, cache=tmp_path)
    assert isinstance(hunt, ContractHunt)
    widths = {(len(valid), len(bits)) for valid, bits in hunt.graphs[0].groups}
    assert len(hunt.graphs[0].groups) == 7  # valid, byte; valid, flit, credit, bad packet, bad cell
    assert {(1, 8), (2, 26)} < widths  # with their valid bits


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


UNITS = {subject.name: subject for subject in SUBJECTS if isinstance(subject, Units)}


def test_every_algorithm_is_mutated() -> None:
    mutated = {unit.description["routing"]["algorithm"] for unit in UNITS.values()}
    assert mutated == {*ALGORITHMS} - {"random"}


def components() -> set[type]:
    """Return the components of hdl/, but for routing units and what others only extend."""
    found = set[type]()
    for module in pkgutil.walk_packages(fingerpost.hdl.__path__, "fingerpost.hdl."):
        if not module.name.startswith("fingerpost.hdl.routing"):
            every: Iterable[Any] = vars(import_module(module.name)).values()
            classes: list[type] = [
                x for x in every if inspect.isclass(x) and x.__module__ == module.name
            ]
            found |= {x for x in classes if issubclass(x, wiring.Component)}
    return found - {base for each in found for base in each.__mro__[1:]}


def mutated(subject: Subject) -> Iterator[type]:
    """Yield the components of which mutants are made."""
    if isinstance(subject, Contracted):
        contract, without = subject.proof.make(), subject.without.split()
        yield from _parts(Fragment.get(contract.m, contract.platform), without)
        assert not without
    elif isinstance(subject, Units):
        yield from _parts(Fragment.get(Decision(build(subject.description)), None), [])
    elif isinstance(subject, Nodes):
        yield from _parts(Fragment.get(node(build(subject.description)), None), [])


def _parts(fragment: Any, without: list[str]) -> Iterator[type]:
    yield from map(type, fragment.origins or ())
    for part, name, _ in fragment.subfragments:
        if name in without:
            without.remove(name)
        else:
            yield from _parts(part, without)


def test_every_component_is_mutated_or_has_a_reason() -> None:
    subjects = [x for x in SUBJECTS if x.name == "two-phase-computed" or not isinstance(x, Units)]
    found = {part for subject in subjects for part in mutated(subject)}
    assert {part.__name__ for part in components() - found} == {*NOT_MUTATED}


@pytest.mark.parametrize("name", only(["two-phase-borel"], ["two-phase-borel", "adaptive-borel"]))
def test_decisions_that_differ_are_found(name: str, tmp_path: Path) -> None:
    hunt = UNITS[name].hunt(count=16, seed=5, cache=tmp_path)
    healthy(hunt)
    killed = [mutant.name for mutant in hunt.mutants if hunt.kill(mutant.number)]
    assert len(killed) > 8
    assert {mutant.component for mutant in hunt.mutants} <= {"header_generator", "routing"}


FOUND, SAME, LIVES = (
    Mutant(number, "inv", f"input0.queue0.${number}", "A[0]", ("hdl/router/vc_buffer.py:1",))
    for number in (1, 2, 3)
)
FATES = [
    Fate(FOUND, Killed("router", 7)), Fate(SAME, None, True), Fate(LIVES, None, False),
]  # fmt: skip


def run(
    monkeypatch: pytest.MonkeyPatch, explained: tuple[Explained, ...], *options: str
) -> int:  # fmt: skip
    monkeypatch.setattr(command, "campaign", lambda *_, **__: FATES)
    monkeypatch.setattr(command, "read", lambda: explained)
    return command.main(["rotator", *options])


def entry(*mutants: Mutant) -> tuple[Explained, ...]:
    return (Explained("rotator", tuple(mutant.name for mutant in mutants), "because"),)


def test_one_that_lives_needs_a_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, options = tmp_path / "build" / "mutation.json", ["--directory", str(tmp_path)]
    assert run(monkeypatch, (), *options, "--json", str(file)) == 1
    said = capsys.readouterr().out
    alive = r"^alive: rotator, 3: inv input0\.queue0\.\$3 A\[0\] hdl/router/vc_buffer"
    assert re.search(alive, said, re.M)
    assert re.search(r"queue +3( +0){3} +1 +1 +0 +1 +50\.0", said)
    rows = json.loads(file.read_text())["mutants"]
    assert [row["verdict"] for row in rows] == ["killed by router", "equivalent", "alive"]
    assert [row["cycle"] for row in rows] == [7, None, None]
    assert run(monkeypatch, entry(LIVES), *options) == 0
    assert re.search(r"queue +3( +0){3} +1 +1 +1 +0 +50\.0", capsys.readouterr().out)
    assert run(monkeypatch, entry(LIVES, SAME), *options) == 0
    assert run(monkeypatch, entry(LIVES, FOUND), *options) == 1
    assert f"explained, and killed: rotator: {FOUND.name}" in capsys.readouterr().out


def test_names_what_it_knows(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["nowhere"])
    assert "SUBJECT needs to be part of a name that --list prints, not nowhere" in (
        capsys.readouterr().err
    )
    assert command.main(["borel-21", "axi_receiver", "--list"]) == 0
    assert capsys.readouterr().out == "borel-21\naxi_receiver\n"


def test_explanations_are_of_what_is_mutated(tmp_path: Path) -> None:
    entries = read(FILE)
    assert {entry.subject for entry in entries} <= {subject.name for subject in SUBJECTS}
    assert {*CONTRACTS} <= {str(proof) for proof in PROOFS}
    assert all(entry.because and entry.mutants for entry in entries)
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("- {subject: rotator, mutants: [x]}\n")
    message = r"^wrong\.yaml needs subject, mutants, because in each entry, not subject, mutants$"
    with pytest.raises(ValueError, match=message):
        read(wrong)


@pytest.mark.regress
@pytest.mark.parametrize(
    "subject",
    [x for x in SUBJECTS if x.name in {entry.subject for entry in read()}],
    ids=lambda subject: subject.name,
)
def test_explanations_are_of_mutants_that_are_made(subject: Subject, tmp_path: Path) -> None:
    # If lines of hdl/ move or other mutants are drawn, mend the file, too.
    explained = {x for entry in read() if entry.subject == subject.name for x in entry.mutants}
    hunt = subject.hunt(count=command.COUNT, seed=command.SEED, cache=tmp_path)
    assert not explained - {mutant.name for mutant in hunt.mutants}


SHORT = {str(proof): proof for proof in PROOFS if not proof.long}

SEEN = [fault for fault in INJECTED if fault.by]

NAMES = "tails-of-two-classes", "generation-stalls", "last-word-discarded"
"""`make test` plants these, `make regress` all; test_fault_is_caught plants one for a bench."""

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
