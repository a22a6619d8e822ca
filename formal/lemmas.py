"""Claims that PDR does not prove together, one by one: what is proven helps to prove the others."""

from collections.abc import Callable, Iterable

from fingerpost.formal.contract import Contract
from fingerpost.formal.prove import Verdict, prove_each

__all__ = ["HELPED", "prove_one_by_one"]

ALONE, HELPED = 10, 240
"""Seconds of processor time for a claim by itself, and with what has been proven before."""


def prove_one_by_one(
    claims: Iterable[str], make: Callable[[], Contract], progress: Callable[[str], None]
) -> dict[str, Verdict]:
    """Return the verdict of each claim of a contract, by name.

    A claim that is proven is assumed from then on, so each proof rests on earlier ones only. It
    ends when nothing is left, or nothing more is proven.

    Parameters
    ----------
    claims : iterable of str
        Their names.
    make : callable
        Makes the contract, anew for every graph.
    progress : callable
        Called with the claim that is looked at.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    found: dict[str, Verdict] = {}
    proven: list[str] = []
    seconds, left = ALONE, list(claims)
    while left:
        contract, tried = make(), left
        verdicts = prove_each(
            [_one(contract, name, proven) for name in tried], seconds=seconds, cache=True
        )
        for name in tried:
            progress(name)
            found[name] = next(verdicts)
        news = [name for name in tried if found[name].proven]
        left = [name for name in tried if found[name].proven is None]
        if not news and seconds == HELPED:
            return found
        proven, seconds = proven + news, HELPED
    return found


def _one(contract: Contract, name: str, proven: list[str]) -> Contract:
    """Return a contract of one claim, with others as assumptions."""
    alone = contract.beside()
    alone.possible, alone.claims = contract.possible, {name: contract.claims[name]}
    for lemma in proven:
        alone.assume(contract.claims[lemma])
    return alone
