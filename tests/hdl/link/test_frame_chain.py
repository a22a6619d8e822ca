"""Frames from port to port: docs/design/os-link-internals.md."""

from typing import Any

import pytest

from fingerpost.golden.link import OsLinkParameters
from fingerpost.golden.link.frame import encode
from fingerpost.testbench.os_link.frame_chain import Chain, send

FRAME = encode(b"\x12\x34", bytes(range(15)))


@pytest.mark.parametrize(
    ("relay", "fifo", "limit"),
    [
        ({}, 2, 311),
        ({"rewrite": True}, 3, 311),
        pytest.param({"store": True}, 2, 1103, marks=pytest.mark.regress),
    ],
)
def test_frame_takes_as_long_as_published(relay: dict[str, Any], fifo: int, limit: int) -> None:
    """20 bytes over 5 links, N = 5; no link can be faster than 11 bit times a byte."""
    times = send(Chain(5, OsLinkParameters(fifo=fifo), route_bytes=2, **relay), FRAME, 20)
    assert bytes(times.data) == FRAME
    frame = (times.available[-1] - times.edges[0]) / 5
    assert limit - 4 < frame <= limit
    hops = [(b - a) / 5 for a, b in zip(times.edges, times.edges[1:], strict=False)]
    at_most = 5 * [{"": 11.6, "rewrite": 22.6, "store": 220.8}["".join(relay)]]
    assert all(11 <= hop <= most for hop, most in zip(hops, at_most, strict=False))


@pytest.mark.parametrize(
    "relay",
    [{}, *(pytest.param({k: True}, marks=pytest.mark.regress) for k in ("rewrite", "store"))],
)
def test_frames_follow_each_other_at_the_rate_of_the_link(relay: dict[str, Any]) -> None:
    """11 bit times a byte, as long as the receiver has room for what waits for the CRC."""
    times = send(Chain(2, OsLinkParameters(fifo=3), route_bytes=2, **relay), FRAME * 3, 60)
    assert bytes(times.data) == FRAME * 3
    assert times.available[59] - times.available[19] == 40 * 11 * 5
