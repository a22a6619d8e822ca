"""Endpoints that share a terminal: latency. Contracts have the rest: formal.axi_stream."""

import json
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.hdl.export.generate import generate
from tests.hdl.simulators import icarus, listed

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
