"""A network inside a design in Amaranth: what is sent is what is received, in its simulator."""

from functools import partial
from itertools import product
from random import Random
from typing import Any

import pytest
from amaranth import Module

import fingerpost
from fingerpost.golden.network.network import build
from tests.hdl.simulators import simulate

MESH: dict[str, Any] = {
    "name": "mesh-2x2",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
    "terminal": {"kind": "axi-stream"},
}
SPARSE = {"faults": "node:2", "routing": {"algorithm": "table"}}
FLOW = {"terminal": {"kind": "axi-stream", "flow_control": "end-to-end"}}
STORE = {"terminal": {"kind": "axi-stream", "store": 16}}


@pytest.mark.parametrize(
    "more",
    [SPARSE, pytest.param(FLOW, marks=pytest.mark.regress), STORE],
    ids=["sparse", "flow", "store"],
)
def test_packets_between_all_terminals(more: dict[str, Any]) -> None:
    """In order from each source, with data, bytes in use and marks, to the right destination."""
    network, rng = build(MESH | more), Random(3)
    design = Module()
    design.submodules.network = dut = fingerpost.component(network)
    sent: dict[tuple[int, int], list[list[tuple[int, int, int]]]] = {}
    for source in dut.nodes:
        for to in dut.nodes:
            packets = []
            for length in (1, 3):
                beats = [(rng.getrandbits(32), 15, 0) for _ in range(length)]
                beats[-1] = (beats[-1][0] & 0xFFFF, 3, int(rng.random() < 0.3))
                packets.append(beats)
            sent[source, to] = packets
    got: dict[tuple[int, int], list[list[tuple[int, int, int]]]] = {key: [] for key in sent}

    async def sender(ctx: Any, place: int) -> None:
        port, source = dut.send[place], dut.nodes[place]
        for i in range(2):
            for to in dut.nodes:
                packet = sent[source, to][i]
                for k, (word, keep, bad) in enumerate(packet):
                    last = k == len(packet) - 1
                    beat = {"data": word, "keep": keep, "last": last, "dest": to, "bad": bad}
                    ctx.set(port.payload, beat)
                    ctx.set(port.valid, 1)
                    await ctx.tick().until(port.ready)
                ctx.set(port.valid, 0)

    async def receiver(ctx: Any, place: int) -> None:
        port, to = dut.receive[place], dut.nodes[place]
        ctx.set(port.ready, 1)
        beats: list[tuple[int, int, int]] = []
        while sum(map(len, got.values())) < 2 * len(got):
            _, _, valid, payload = await ctx.tick().sample(port.valid, port.payload)
            if valid:
                beats.append((payload.data, payload.keep, payload.bad))
                if payload.last:
                    got[payload.source, to].append(beats)
                    beats = []

    async def limit(ctx: Any) -> None:
        await ctx.tick().repeat(600)

    drivers = product((sender, receiver), range(len(dut.nodes)))
    simulate(design, limit, [partial(driver, place=place) for driver, place in drivers])
    masked = {
        key: [[(w & (0xFFFF if k == 3 else 0xFFFFFFFF), k, b) for w, k, b in p] for p in packets]
        for key, packets in got.items()
    }
    assert masked == sent


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"terminal": {"kind": "credit"}}, "Component needs terminal: "),
        ({"router": {"classes": 2}}, "Component needs one message class, not 2"),
        ({"terminal": {"kind": "axi-stream", "endpoints": 2}}, "Component needs endpoints: 1; "),
    ],
)
def test_refuses_other_networks(more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fingerpost.component(build(MESH | more))
