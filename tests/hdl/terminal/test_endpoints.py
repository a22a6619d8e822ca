"""Endpoints that share a terminal, queues, mailboxes: hardware beside its model in every clock."""

import json
from pathlib import Path
from typing import Any

import pytest
from amaranth import Value
from amaranth.lib.wiring import Out

from fingerpost.golden.network.network import build
from fingerpost.golden.terminal.mailbox_layout import MISUSES
from fingerpost.hdl.export.generate import generate
from fingerpost.testbench.terminals.endpoints import (
    ConcentratorStimulus,
    DistributorStimulus,
    PacketQueueStimulus,
    Sizes,
)
from fingerpost.testbench.terminals.mailbox import MailboxStimulus
from fingerpost.testbench.terminals.stimulus import Ports, Stimulus, port_name
from tests.hdl.simulators import icarus, listed, simulate
from tests.quick import only

SIZES: list[Sizes] = [
    {"endpoints": 2, "bytes": 1, "number": 1},
    {"endpoints": 4, "bytes": 4, "number": 5},
    {"endpoints": 16, "bytes": 1, "number": 2},
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_concentrator_beside_its_model(sizes: Sizes) -> None:
    lock_step(ConcentratorStimulus(**sizes, seed=1), 1200)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_distributor_beside_its_model(sizes: Sizes) -> None:
    lock_step(DistributorStimulus(**sizes, seed=2), 1200)


@pytest.mark.parametrize(("bytes", "number", "depth"), [(1, 1, 2), (2, 3, 4), (4, 5, 16)])
def test_queue_of_complete_packets_beside_its_model(bytes: int, number: int, depth: int) -> None:
    lock_step(PacketQueueStimulus(bytes=bytes, number=number, depth=depth, seed=depth), 2500)


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
@pytest.mark.parametrize("beats", [1, 4, 5])
def test_latency_is_that_of_the_manifest(flow: dict[str, Any], beats: int, tmp_path: Path) -> None:
    """A packet of endpoint 1 of node 0 to endpoint 2 of node 3, two links away and two back."""
    network = build({
        "name": "four",
        "topology": {"family": "grid", "sizes": [2, 2]},
        "routing": {"algorithm": "dimension-order"},
        "terminal": {"kind": "axi-stream", "endpoints": 4, **flow},
    })  # fmt: skip
    generate(network, tmp_path)
    source, to = 1, 14
    idle = "".join(f", .s_axis_{n}_tvalid(1'b0)" for n in range(16) if n != source)
    bench = BENCH.format(source=source, to=to, beats=beats, idle=idle)
    (tmp_path / "bench.v").write_text(bench)
    seen = icarus(tmp_path, "bench", [*listed(tmp_path), tmp_path / "bench.v"])
    latency = json.loads((tmp_path / "four.json").read_text())["latency"]
    named = {key: value for key, value in latency.items() if key.endswith("cycles")}
    which = "formula" if beats <= latency.get("longest", beats) else "longer"
    due = eval(latency[which], {}, named | {"hops": 2, "hops_back": 2, "beats": beats})
    assert seen == [f"{due} cycles from {source}"]


def lock_step(stimulus: Stimulus, cycles: int) -> None:
    """Compare all outputs, idle payload as 0; an AssertionError has the first difference."""
    dut = stimulus.component()
    ports: dict[str, Any] = {}
    outputs = []
    for path, member, value in dut.signature.flatten(dut):
        name = port_name(path)
        ports[name] = Value.cast(value)
        outputs += [name] * (member.flow == Out)

    async def bench(ctx: Any) -> None:
        seen: Ports = stimulus.after_reset
        for cycle in range(cycles):
            given, to_come = stimulus.clock()
            for name, value in given.items():
                ctx.set(ports[name], value)
            for name in outputs:
                assert ctx.get(ports[name]) == seen.get(name, 0), (cycle, name)
            seen = to_come
            await ctx.tick()

    simulate(dut, bench)


MOVES = [f"{what} {way}" for what in ("moved", "wrong") for way in ("in", "out")]


@pytest.mark.parametrize(
    ("bus", "seed", "dma"),
    only(
        [("axi-lite", 0, False)],
        [("axi-lite", 0, False), ("axi-lite", 4, True), ("wishbone", 0, False)],
    ),
)
def test_mailbox_beside_its_model(bus: str, seed: int, dma: bool) -> None:
    stimulus = MailboxStimulus(bus=bus, dma=dma, seed=seed)
    lock_step(stimulus, 6000 if dma else 3600)
    due = [*MISUSES, "sent", "taken", "irq", "long", *(MOVES if dma else ())]
    assert all(stimulus.met[name] > 2 for name in due if dma or name != "ring"), stimulus.met
