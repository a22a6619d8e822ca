import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fingerpost.golden.service.streams import Limit, water_fill

ONE = Fraction(1)


@pytest.mark.parametrize(
    ("limits", "rates"),
    [
        ([("abc", ONE)], {"a": 1 / 3, "b": 1 / 3, "c": 1 / 3}),
        # What a slow one leaves goes to the others.
        ([("abc", ONE), ("a", Fraction(1, 8))], {"a": 1 / 8, "b": 7 / 16, "c": 7 / 16}),
        # Two channels of an output, one with a credit every four cycles: a and b share that.
        ([("abc", ONE), ("ab", Fraction(1, 4)), ("c", ONE)], {"a": 1 / 8, "b": 1 / 8, "c": 3 / 4}),
        # Both inputs of a and b are shared with others; d has what is left of the second.
        (
            [("abc", Fraction(3, 10)), ("cd", ONE)],
            {"a": 1 / 10, "b": 1 / 10, "c": 1 / 10, "d": 9 / 10},
        ),
        ([("a", Fraction(0)), ("ab", ONE)], {"a": 0.0, "b": 1.0}),
    ],
)
def test_rates_worked_out_by_hand(limits: list[Limit], rates: dict[str, float]) -> None:
    assert water_fill(list(rates), limits) == pytest.approx(rates)


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, list[Limit]]:
    count = draw(st.integers(1, 6))
    some = st.sets(st.integers(0, count - 1), min_size=1)
    limit = st.tuples(some, st.fractions(0, 1, max_denominator=8))
    return count, [*draw(st.lists(limit, max_size=5)), (set(range(count)), ONE)]


@given(problems())
def test_nobody_gets_more_but_from_who_has_no_more(problem: tuple[int, list[Limit]]) -> None:
    # The bottleneck property, which max-min fair rates alone have: each stream has a limit that
    # is reached and in which no other has more (Data Networks, 6.5.2).
    count, limits = problem
    rates = water_fill(range(count), limits)
    used = [sum(rates[stream] for stream in members) for members, _ in limits]
    for stream in range(count):
        assert any(
            stream in members
            and total == pytest.approx(float(capacity))
            and all(rates[other] <= rates[stream] + 1e-9 for other in members)
            for (members, capacity), total in zip(limits, used, strict=True)
        )
    for (_, capacity), total in zip(limits, used, strict=True):
        assert total <= float(capacity) + 1e-9


def test_refuses_a_stream_without_a_limit() -> None:
    message = "Fair share needs a limit of every stream, not none of 'b'"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        water_fill("ab", [("a", ONE)])
