import re

import pytest

from fingerpost.sweeps import ranges


def test_lists_and_ranges() -> None:
    assert ranges.loads("0.3,0.1") == [0.1, 0.3]
    # Decimal, and not 0.30000000000000004.
    assert ranges.loads("0.1..0.7:0.1") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert ranges.loads("0.1..0.35:0.1,0.2,0.9") == [0.1, 0.2, 0.3, 0.9]
    assert ranges.seeds("4,0..2") == [0, 1, 2, 4]
    assert ranges.seeds("0..9:3") == [0, 3, 6, 9]


@pytest.mark.parametrize(
    "text", ["", "x", "0.1,", "0.1..0.5", "0.5..0.1:0.1", "0..1:0", "0..1:-1", "0..1:1e-9", "nan",
             "0.1:0.2", "inf", "0..inf:1"],
)  # fmt: skip
def test_refuses_what_is_no_list(text: str) -> None:
    message = f"Sweep needs loads as in 0.1,0.2 or 0.1..1:0.1, not {text!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ranges.loads(text)


@pytest.mark.parametrize("text", ["0.5", "-1"])
def test_refuses_seeds_that_are_not_whole(text: str) -> None:
    message = f"Sweep needs seeds that are whole numbers, as in 0,1 or 0..4, not {text}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ranges.seeds(text)
