"""AXI4-Stream terminals: a network inside a design in Amaranth, and latency between endpoints.

Contracts have the rest: formal.axi_stream.
"""

import json
import re
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from amaranth import Module

import fingerpost
from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.export.generate import generate
from tests.hdl.simulators import icarus, listed, simulate
from tests.networks import only

MESH: dict[str, Any] = {
    "name": "mesh-2x2",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
    "terminal": {"kind": "axi-stream"},
}
SPARSE = {"faults": "node:2", "routing": {"algorithm": "table"}}
SEVERAL = {"topology": MESH["topology"] | {"terminals": {0: 2, 1: 1, 2: 3}}}
FLOW = {"terminal": {"kind": "axi-stream", "flow_control": "end-to-end"}}
STORE = {"terminal": {"kind": "axi-stream", "store": 16}}
TABLES = {"routing": {"algorithm": "acyclic", "virtual_channels": 1, "table": "ram"}}


@pytest.mark.parametrize(
    "more",
    [SPARSE, SEVERAL, pytest.param(FLOW, marks=pytest.mark.regress), STORE, TABLES],
    ids=["sparse", "several at a router", "flow", "store", "tables"],
)
def test_packets_between_all_terminals(more: dict[str, Any]) -> None:
    """In order from each source, with data, bytes in use and marks, to the right destination."""
    network, rng = build(MESH | more), Random(3)
    design = Module()
    design.submodules.network = dut = fingerpost.component(network)
    sent: dict[tuple[int, int], list[list[tuple[int, int, int]]]] = {}
    for source in dut.terminals:
        for to in dut.terminals:
            packets = []
            for length in (1, 3):
                beats = [(rng.getrandbits(32), 15, 0) for _ in range(length)]
                beats[-1] = (beats[-1][0] & 0xFFFF, 3, int(rng.random() < 0.3))
                packets.append(beats)
            sent[source, to] = packets
    got: dict[tuple[int, int], list[list[tuple[int, int, int]]]] = {key: [] for key in sent}

    async def sender(ctx: Any, place: int) -> None:
        port, source = dut.send[place], dut.terminals[place]
        for i in range(2):
            for to in dut.terminals:
                packet = sent[source, to][i]
                for k, (word, keep, bad) in enumerate(packet):
                    last = k == len(packet) - 1
                    beat = {"data": word, "keep": keep, "last": last, "dest": to, "bad": bad}
                    ctx.set(port.payload, beat)
                    ctx.set(port.valid, 1)
                    await ctx.tick().until(port.ready)
                ctx.set(port.valid, 0)

    async def receiver(ctx: Any, place: int) -> None:
        port, to = dut.receive[place], dut.terminals[place]
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

    drivers = product((sender, receiver), range(len(dut.terminals)))
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


BENCH = Path(__file__).with_name("latency.v").read_text()

WAYS: tuple[dict[str, Any], ...] = {}, {"flow_control": "end-to-end", "eager": 4}, {"store": 8}
SOURCE, TO = 1, 14


def seen(folder: Path, beats: int, *, own: bool, send: int = 1000, take: int = 1000) -> float:
    """Return the cycles of the network, of 2,000 steps, from the first beat to the last.

    Clocks of both endpoints, if they have their own, have `send` and `take` steps in half a period.
    """
    idle = "".join(f", .s_axis_{n}_tvalid(1'b0)" for n in range(16) if n != SOURCE)
    for number in range(16) if own else ():
        clock = {SOURCE: "send_clk", TO: "take_clk"}.get(number, "clk")
        idle += f", .axis_{number}_clk({clock}), .axis_{number}_rst(rst)"
    given = {"source": SOURCE, "to": TO, "beats": beats, "idle": idle, "send": send, "take": take}
    given |= {"sender": "send_clk" if own else "clk", "taker": "take_clk" if own else "clk"}
    bench = re.sub(r"@(\w+)@", lambda name: str(given[name[1]]), BENCH)
    (folder / "bench.v").write_text(bench)
    [line] = icarus(folder, "bench", [*listed(folder), folder / "bench.v"])
    source, steps = map(int, line.split(" after "))
    assert source == SOURCE
    return steps / 2000


def told(folder: Path, beats: int, **given: float) -> float:
    """Return what the manifest says, of a packet to a terminal two links away, and two back."""
    latency = json.loads((folder / "four.json").read_text())["latency"]
    named = {key: value for key, value in latency.items() if key.endswith("cycles")}
    which = "formula" if beats <= latency.get("longest", beats) else "longer"
    named |= {"hops": 2, "hops_back": 2, "beats": beats, **given}
    return float(eval(latency[which], {}, named))


def four(**terminal: Any) -> Network:
    return build({
        "name": "four",
        "topology": {"family": "grid", "sizes": [2, 2]},
        "routing": {"algorithm": "dimension-order"},
        "terminal": {"kind": "axi-stream", "endpoints": 4, **terminal},
    })  # fmt: skip


@pytest.mark.parametrize("flow", WAYS, ids=str)
def test_latency_is_that_of_the_manifest(flow: dict[str, Any], tmp_path: Path) -> None:
    """A packet of endpoint 1 of node 0 to endpoint 2 of node 3, two links away and two back."""
    generate(four(**flow), tmp_path)
    for beats in (1, 4, 5):
        assert seen(tmp_path, beats, own=False) == told(tmp_path, beats), beats


@pytest.mark.parametrize("flow", only(WAYS[:1], WAYS), ids=str)
def test_latency_between_clocks_is_within_that_of_the_manifest(
    flow: dict[str, Any], tmp_path: Path
) -> None:
    """Each crossing takes 2 to 3 cycles of the clock behind it, whatever the phases."""
    generate(four(**flow, clock="own"), tmp_path)
    rng, off = Random(5), list[float]()
    for beats in (1, 1, 1, 1, 4, 5):
        send, take = (rng.randrange(300, 2500 if beats == 1 else 1000) for _ in range(2))
        least, most = (
            told(tmp_path, beats, crossing_cycles=each, period=take / 1000) for each in (2, 3)
        )
        found = seen(tmp_path, beats, own=True, send=send, take=take)
        assert least < found <= most, (beats, send, take)
        off.append(found - least)
    assert len(set(off)) > 1


STUCK = Path(__file__).with_name("stuck.v").read_text()

SHARED = {
    ".w_valid(crossed_m_axis_3_1_tvalid), .w_ready(crossed_m_axis_3_1_tready)":
    ".w_valid(crossed_m_axis_3_1_tvalid && crossed_m_axis_3_0_tready), .w_ready(room)",
    "  four_crossing_out crossing_out_3_1(": "  wire room; "
    "assign crossed_m_axis_3_1_tready = room && crossed_m_axis_3_0_tready;\n"
    "  four_crossing_out crossing_out_3_1(",
}  # fmt: skip
"""Both classes then find room in the queue of class 0 alone."""


@pytest.mark.parametrize("fault", [{}, SHARED], ids=["sound", "shared"])
def test_no_class_waits_for_another_between_clocks(fault: dict[str, str], tmp_path: Path) -> None:
    """Terminal 3 takes nothing of class 0, until all queues on the way are full."""
    network = build({
        **MESH, "name": "four", "router": {"classes": 2},
        "terminal": {"kind": "axi-stream", "clock": "own"},
    })  # fmt: skip
    generate(network, tmp_path)
    streams = tmp_path / "four_streams.v"
    text = streams.read_text()
    for old, new in fault.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    streams.write_text(text)
    others = [f"{v}_{c}" for v in range(4) for c in range(2)]
    idle = "".join(f".s_axis_{x}_tvalid(1'b0), " for x in others if x[0] != "0")
    (tmp_path / "bench.v").write_text(STUCK.replace("@idle@", idle))
    [line] = icarus(tmp_path, "bench", [*listed(tmp_path), tmp_path / "bench.v"])
    said = re.fullmatch(r"class 0 ready: 0, of class 1: (\d+)", line)
    assert said
    assert (int(said[1]) > 150) == (not fault), line
