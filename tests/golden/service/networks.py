"""Networks with no more channels than they need, and buffers as deep as by default."""

from functools import cache
from typing import Any

from fingerpost.golden.network.network import Network, build
from tests.golden.model.networks import ORDER

BOREL = {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]}


@cache
def borel21(depth: int | None = None) -> Network:
    router: dict[str, Any] = {"channel_order": ORDER, "virtual_channels": 2}
    return build(
        {
            "name": "borel-21",
            "topology": BOREL,
            "routing": {"algorithm": "two-phase"},
            "router": router | ({} if depth is None else {"buffer_depth": depth}),
        }
    )
