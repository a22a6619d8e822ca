"""More virtual channels than needed: no source gets less than with one, as a part of the mean."""

from itertools import product

import numpy as np
import pytest

from fingerpost.golden.arrays import IntArray
from fingerpost.golden.compiled import engine
from fingerpost.golden.network.network import Network
from fingerpost.golden.service.endless import endless
from fingerpost.golden.service.flows import hot_spot, permutation
from fingerpost.golden.traffic import Traffic
from tests.golden.model.networks import built
from tests.quick import only

LEAST = 0.9
"""Of the part that the least served source has with one channel."""

CYCLES = 16_000


def mesh(virtual_channels: int) -> Network:
    topology = {"family": "grid", "sizes": [4, 4]}
    return built(topology, "dimension-order", virtual_channels=virtual_channels)


def least(network: Network, destination: IntArray, length: int) -> float:
    """Return what the least served source gets, as a part of the mean."""
    pattern = endless(network, destination, length=length, cycles=CYCLES)
    model = engine(network, [Traffic(network, None, 1, pattern=pattern)])
    model.run(CYCLES)
    run = model.runs[0]
    late = run.traffic.source[run.delivered >= CYCLES // 4]
    packets = np.bincount(late, minlength=network.topology.nodes)[destination >= 0]
    return float(packets.min() / packets.mean())


@pytest.mark.parametrize(("virtual_channels", "length"), only([(4, 1)], product((4, 8), (1, 2, 4))))
def test_lanes_leave_everybody_its_part(virtual_channels: int, length: int) -> None:
    one, many = mesh(1), mesh(virtual_channels)
    patterns = [hot_spot(one, 5), *(permutation(one, seed) for seed in (0, 2, 6, 7))]
    for destination in patterns:
        expected = least(one, destination, length)
        assert least(many, destination, length) >= LEAST * expected
