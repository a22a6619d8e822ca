import numpy as np
import pytest
from scipy import stats

from fingerpost.golden.traffic.spelling import lengths


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("3", {3: 1.0}),
        ("fixed:3", {3: 1.0}),
        ("2..5", {2: 0.25, 3: 0.25, 4: 0.25, 5: 0.25}),
        ("bimodal:1,5,0.2", {1: 0.8, 5: 0.2}),
        ("bimodal:short=2,long=2,share=1", {2: 1.0}),
    ],
)
def test_lengths(text: str, shares: dict[int, float]) -> None:
    kind = lengths(text)
    assert kind.mean == pytest.approx(sum(flits * share for flits, share in shares.items()))
    assert kind.most == max(shares)
    found = kind.draw(np.random.default_rng(3), 20_000)
    assert set(found.tolist()) == set(shares)
    counts = [(found == flits).sum() for flits in shares]
    expected = [20_000 * share for share in shares.values()]
    assert len(shares) == 1 or stats.chisquare(counts, expected).pvalue > 1e-3


def test_numbers_and_pairs() -> None:
    assert str(lengths(4)) == "4"
    assert str(lengths((1, 4))) == "1..4"
