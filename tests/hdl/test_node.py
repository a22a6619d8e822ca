"""A node with OS-Links tells what is wrong on a wire."""

from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.verilog import router
from fingerpost.hdl.node import additions, node
from fingerpost.testbench.context import Context
from tests.hdl.simulators import simulate


def pair(**link: Any) -> Network:
    return build(
        {
            "name": "pair",
            "topology": {"family": "edge-list", "nodes": 2, "links": [(0, 1)]},
            "routing": {"algorithm": "table"},
            "router": {"flit_width": 24},
            "link": link,
        }
    )


@pytest.mark.parametrize("high", [0, 30])
def test_with_os_links_what_is_wrong_on_a_wire_is_told(high: int) -> None:
    """A stop bit that is high: the error stays."""
    network = pair(kind="os-link", clocks_per_bit=4)
    assert additions(network) == ["OS-Links"]
    dut: Any = node(network, router(network))
    told: list[int] = []

    async def bench(ctx: Context) -> None:
        for bit in (*[0] * 40, *[1] * high, *[0] * 20):
            ctx.set(dut.link_in, bit)
            await ctx.tick().repeat(4)
            told.append(ctx.get(dut.link_errors))

    simulate(dut, bench)
    assert not any(told[:40])
    assert (told[-1] != 0) == (high > 0)
