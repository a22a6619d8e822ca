"""Frames over OS-Links with one inverted bit time each: docs/design/os-link-internals.md."""

from collections import Counter

import pytest

from fingerpost.golden.link import OsLinkParameters
from fingerpost.testbench.os_link.line import (
    Effect,
    Links,
    effects,
    first_wrong,
    judge,
    traffic,
)

LANES = 300

PERCENT = {
    # docs/design/os-link-internals.md: 3000 single inverted bit times on one wire
    Effect.WRONG: 67,
    Effect.HANG_FLAG: 19,
    Effect.HANG: 8.5,
    Effect.COUNT_FLAG: 6,
}


@pytest.fixture(scope="module")
def raw() -> Links:
    links = Links(
        OsLinkParameters(),
        traffic(2 * LANES, count=6, longest=12, seed=1),
        seed=2,
        window=(170, 2500),
    )
    links.run(9000)
    return links


def test_faults_have_the_published_effects(raw: Links) -> None:
    """Within three standard deviations of a sample of this size."""
    counts = Counter(effects(raw))
    for effect, percent in PERCENT.items():
        share = percent / 100
        deviation = (share * (1 - share) * LANES) ** 0.5
        assert abs(counts[effect] - share * LANES) < 3 * deviation + 1
    assert sum(counts[effect] for effect in PERCENT) >= 0.98 * LANES


def test_no_wrong_frame_passes(raw: Links) -> None:
    found, verdicts = effects(raw), judge(raw)
    for lane, effect in enumerate(found):
        ends = verdicts[lane], verdicts[lane + LANES]
        assert all(end.false == end.collisions for end in ends)
        if effect in {Effect.WRONG, Effect.WRONG_FLAG}:
            assert sum(end.missing for end in ends) >= 1
            assert sum(end.bad for end in ends) + sum(not end.complete for end in ends) >= 1
        if effect in {Effect.NONE, Effect.FLAG}:
            assert all(end.complete and not end.missing for end in ends)
    # A byte that is wrong, but neither LEN nor on a link that hangs, costs its frame alone.
    alone = [lane for lane, effect in enumerate(found) if effect is Effect.WRONG]
    costs = Counter(verdicts[lane].missing + verdicts[lane + LANES].missing for lane in alone)
    assert costs[1] > 0.8 * len(alone)


def test_direction_without_a_fault_gets_all_unless_the_link_hangs(raw: Links) -> None:
    verdicts, wrong = judge(raw), first_wrong(raw) < raw.traffic.data.shape[1]
    for lane, effect in enumerate(effects(raw)):
        if effect is Effect.WRONG:
            assert wrong[lane] ^ wrong[lane + LANES]
            whole = verdicts[lane + LANES if wrong[lane] else lane]
            assert whole.complete
            assert whole.missing == 0


@pytest.mark.parametrize(
    ("n", "lanes", "frames"),
    [(5, 60, 16), *(pytest.param(n, 600, 32, marks=pytest.mark.regress) for n in (4, 8))],
)
def test_every_fault_is_overcome_with_breaks(n: int, lanes: int, frames: int) -> None:
    """Neither hang nor lost LEN lasts: the last frame of each direction comes through."""
    links = Links(
        OsLinkParameters(clocks_per_bit=n, breaks=True, timeout=100),
        traffic(2 * lanes, count=frames, longest=10, seed=3),
        seed=4,
        window=(120 * n, 500 * n),
    )
    links.run(375 * frames * n)
    assert not links.unsent.any()
    verdicts = judge(links)
    assert all(verdict.complete for verdict in verdicts)
    assert all(verdict.false == verdict.collisions for verdict in verdicts)
    pairs = zip(verdicts[:lanes], verdicts[lanes:], strict=True)
    missing = sorted(here.missing + there.missing for here, there in pairs)
    assert sum(missing) >= 0.9 * lanes  # there were faults
    # A break costs the frame that was hit and what both ends have begun in the meantime.
    assert missing[lanes * 9 // 10] <= 4
