"""AXI4-Stream terminals: a network inside a design in Amaranth, and latency between endpoints.

Contracts have the rest: formal.axi_stream.
"""

import json
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from amaranth import Module

import fingerpost
from fingerpost.golden.network.network import build
from fingerpost.hdl.export.generate import generate
from tests.hdl.simulators import icarus, listed, simulate

MESH: dict[str, Any] = {
    "name": "mesh-2x2",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
    "terminal": {"kind": "axi-stream"},
}
SPARSE = {"faults": "node:2", "routing": {"algorithm": "table"}}
FLOW = {"terminal": {"kind": "axi-stream", "flow_control": "end-to-end"}}
STORE = {"terminal": {"kind": "axi-stream", "store": 16}}
TABLES = {"routing": {"algorithm": "acyclic", "virtual_channels": 1, "table": "ram"}}


@pytest.mark.parametrize(
    "more",
    [SPARSE, pytest.param(FLOW, marks=pytest.mark.regress), STORE, TABLES],
    ids=["sparse", "flow", "store", "tables"],
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


BENCH = """
module bench;
  reg clk = 0, rst = 1, valid = 0;
  integer cycle = 0, sent = 0, begun = -1;
  wire ready, comes, last;
  wire [4:0] user;
  always #5 clk = !clk;
  four_endpoints network(.clk(clk), .rst(rst),
    .s_axis_{source}_tvalid(valid), .s_axis_{source}_tready(ready),
    .s_axis_{source}_tdata(sent), .s_axis_{source}_tkeep(4'd15),
    .s_axis_{source}_tlast(sent == {beats} - 1), .s_axis_{source}_tuser(1'b0),
    .s_axis_{source}_tdest(4'd{to}), .m_axis_{to}_tvalid(comes), .m_axis_{to}_tlast(last),
    .m_axis_{to}_tuser(user), .m_axis_{to}_tready(1'b1){idle});
  always @(posedge clk) begin
    cycle <= cycle + 1;
    rst <= cycle < 3;
    if (cycle == 40) valid <= 1;
    if (valid && ready) begin
      if (begun < 0) begun <= cycle;
      sent <= sent + 1;
      if (sent == {beats} - 1) valid <= 0;
    end
    if (comes && last) begin
      $display("%0d cycles from %0d", cycle - begun, user >> 1);
      $finish;
    end
    if (cycle == 400) $finish;
  end
endmodule
"""


@pytest.mark.parametrize(
    "flow", [{}, {"flow_control": "end-to-end", "eager": 4}, {"store": 8}], ids=str
)
def test_latency_is_that_of_the_manifest(flow: dict[str, Any], tmp_path: Path) -> None:
    """A packet of endpoint 1 of node 0 to endpoint 2 of node 3, two links away and two back."""
    network = build({
        "name": "four",
        "topology": {"family": "grid", "sizes": [2, 2]},
        "routing": {"algorithm": "dimension-order"},
        "terminal": {"kind": "axi-stream", "endpoints": 4, **flow},
    })  # fmt: skip
    generate(network, tmp_path)
    latency = json.loads((tmp_path / "four.json").read_text())["latency"]
    named = {key: value for key, value in latency.items() if key.endswith("cycles")}
    source, to = 1, 14
    idle = "".join(f", .s_axis_{n}_tvalid(1'b0)" for n in range(16) if n != source)
    for beats in (1, 4, 5):
        bench = BENCH.format(source=source, to=to, beats=beats, idle=idle)
        (tmp_path / "bench.v").write_text(bench)
        seen = icarus(tmp_path, "bench", [*listed(tmp_path), tmp_path / "bench.v"])
        which = "formula" if beats <= latency.get("longest", beats) else "longer"
        due = eval(latency[which], {}, named | {"hops": 2, "hops_back": 2, "beats": beats})
        assert seen == [f"{due} cycles from {source}"], beats
