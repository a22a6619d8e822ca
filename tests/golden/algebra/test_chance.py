import numpy as np

from fingerpost.golden.algebra import chance


def test_register_goes_through_all_states_but_0() -> None:
    # 16 steps at once: as 16 and 2^16 - 1 have no common factor, the period is the same.
    state, seen = chance.SEED, set()
    while state not in seen:
        seen.add(state)
        state = chance.advance(state)
    assert len(seen) == (1 << 16) - 1
    assert 0 not in seen


def test_one_step_is_that_of_the_polynomial() -> None:
    # x^16 + x^15 + x^13 + x^4 + 1: the new bit is the sum of those 16, 15, 13 and 4 steps ago.
    history = [chance.SEED >> i & 1 for i in reversed(range(16))]
    for _ in range(32):
        history.append(history[-16] ^ history[-15] ^ history[-13] ^ history[-4])
    twice = chance.advance(chance.advance(chance.SEED))
    assert [twice >> i & 1 for i in reversed(range(16))] == history[-16:]


def test_nodes_have_chances_of_their_own() -> None:
    selections = chance.selection(chance.SEED, np.arange(100))
    assert len(set(selections.tolist())) == 100
    assert selections.max() < 1 << 16
