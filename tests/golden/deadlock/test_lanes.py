import itertools
import re

import pytest

from fingerpost.golden.deadlock.lanes import Lanes

EVERY = [(classes, channels) for channels in range(1, 13) for classes in range(1, channels + 1)]


def shared_out(classes: int, channels: int) -> list[list[int]]:
    """Deal out channels as cards, then number them class by class."""
    size = [0] * classes
    for card in range(channels):
        size[card % classes] += 1
    numbers = itertools.count()
    return [[next(numbers) for _ in range(lanes)] for lanes in size]


@pytest.mark.parametrize(("classes", "channels"), EVERY)
def test_channels_are_dealt_out(classes: int, channels: int) -> None:
    lanes, groups = Lanes(classes, channels), shared_out(classes, channels)
    assert lanes.count.tolist() == [len(group) for group in groups]
    assert lanes.first.tolist() == [group[0] for group in groups]


@pytest.mark.parametrize(("classes", "channels"), EVERY)
def test_a_raised_packet_goes_one_class_up_and_keeps_its_lane(classes: int, channels: int) -> None:
    next_vc, groups = Lanes(classes, channels).next_vc.tolist(), shared_out(classes, channels)
    for below, above in itertools.pairwise(groups):
        for lane, channel in enumerate(below):
            assert next_vc[channel] in above
            if lane < len(above):
                assert next_vc[channel] == above[lane]
        # All lanes of a class are used by packets from below, if there are enough.
        assert {next_vc[channel] for channel in below} == set(above[: len(below)])
    assert [next_vc[channel] for channel in groups[-1]] == groups[-1]


@pytest.mark.parametrize(("classes", "channels"), [(0, 1), (3, 2), (0, 0)])
def test_refuses_fewer_channels_than_classes(classes: int, channels: int) -> None:
    message = f"Lanes needs 1 <= classes <= channels, not {classes} and {channels}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Lanes(classes, channels)
