"""Claims that are proven one by one, with those before as lemmas."""

import pytest
from amaranth import Signal

from fingerpost.formal import loaded
from fingerpost.formal.contract import Contract
from fingerpost.formal.loaded import prove_one_by_one
from fingerpost.formal.prove import Verdict

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


def test_only_what_is_proven_is_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim is assumed neither of itself nor before it is proven; it ends when nothing helps."""
    assumed: list[tuple[str, tuple[str, ...]]] = []
    one = loaded._one

    def noted(contract: Contract, name: str, proven: list[str]) -> Contract:
        assumed.append((name, tuple(proven)))
        return one(contract, name, proven)

    answers = {("first_below_5", ()): True, ("second_below_5", ("first_below_5",)): True}

    def prove_each(contracts: object, *, seconds: int, cache: bool) -> object:
        del seconds, cache
        for name, proven in assumed[-len(list(contracts)) :]:  # type: ignore[call-overload]
            yield Verdict(answers.get((name, proven)))

    monkeypatch.setattr(loaded, "_one", noted)
    monkeypatch.setattr(loaded, "prove_each", prove_each)
    found = prove_one_by_one(CLAIMS, counters, lambda claim: None)
    assert [name for name, verdict in found.items() if verdict.proven] == [
        "first_below_5",
        "second_below_5",
    ]
    rounds = [assumed[i : i + n] for i, n in ((0, 4), (4, 3), (7, 2))]
    assert [{proven for _, proven in some} for some in rounds] == [
        {()},
        {("first_below_5",)},
        {("first_below_5", "second_below_5")},
    ]
    assert len(assumed) == 9
