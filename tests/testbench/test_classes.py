"""A message class that a terminal does not take, in hardware alone."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.export.generate import generate
from tests.hdl.simulators import icarus, listed
from tests.testbench.faults.networks import MESH

DEAF = """
module deaf;
  reg clk = 0, rst = 1;
  always #1 clk = ~clk;
  reg [7:0] inject_valid = 0, eject_credit = 0;
  reg [4*FLIT-1:0] inject_flit = 0;
  wire [7:0] inject_credit, eject_valid;
  mesh_network network(.clk(clk), .rst(rst),
    .inject_valid(inject_valid), .inject_flit(inject_flit), .inject_credit(inject_credit),
    .eject_valid(eject_valid), .eject_credit(eject_credit));
  reg [31:0] header [0:3];
  integer credits [0:7], taken [0:1], v, c, turn = 0;
  initial begin
    HEADERS
    for (v = 0; v < 8; v = v + 1) credits[v] = CREDITS;
    taken[0] = 0;
    taken[1] = 0;
    #8 rst = 0;
    #4000 $display("taken %0d %0d", taken[0], taken[1]);
    $finish;
  end
  // Packets of one flit to all others, of both classes in turn; class 0 is never taken.
  always @(negedge clk) if (!rst) begin
    turn = turn + 1;
    inject_valid = 0;
    for (v = 0; v < 4; v = v + 1) begin
      for (c = 0; c < 2; c = c + 1) begin
        credits[v*2 + c] = credits[v*2 + c] + inject_credit[v*2 + c];
        taken[c] = taken[c] + eject_valid[v*2 + c];
      end
      c = turn % 2;
      if (credits[v*2 + c] == 0) c = 1 - c;
      if (credits[v*2 + c] > 0) begin
        inject_flit[v*FLIT +: FLIT] = {header[(v + 1 + turn / 2 % 3) % 4], 2'b11};
        inject_valid[v*2 + c] = 1;
        credits[v*2 + c] = credits[v*2 + c] - 1;
      end
      eject_credit[v*2 +: 2] = eject_valid[v*2 +: 2] & 2'b10;
    end
  end
endmodule
"""


def taken(folder: Path, network: Network, change: Callable[[str], str]) -> tuple[int, int]:
    """Return the flits of each class that come out in 2,000 cycles if class 0 is never taken."""
    generate(network, folder)
    verilog = folder / "mesh_network.v"
    verilog.write_text(change(verilog.read_text()))
    to = np.arange(4)
    headers = network.routing.encode(np.zeros_like(to), to)
    bench = DEAF.replace("FLIT", str(network.flit.width))
    bench = bench.replace("CREDITS", str(network.terminal_depth))
    bench = bench.replace("HEADERS", " ".join(f"header[{i}] = {h};" for i, h in enumerate(headers)))
    (folder / "deaf.v").write_text(bench)
    (said,) = icarus(folder, "deaf", [*listed(folder), folder / "deaf.v"])
    found = re.fullmatch(r"taken (\d+) (\d+)", said)
    assert found, said
    return int(found[1]), int(found[2])


@pytest.mark.regress
def test_a_class_that_is_not_taken_does_not_stop_the_other(tmp_path: Path) -> None:
    network = build(MESH | {"router": {"classes": 2, "buffer_depth": 5}})
    refused, others = taken(tmp_path, network, lambda text: text)
    assert refused == 4 * network.buffer_depth
    assert others > 4000  # of 4 terminals in 2,000 cycles

    def shared(text: str) -> str:
        """Let class 1 wait for the credits of class 0."""
        one, other = r"\(eject_credit\[(\d) \+: 2\]\)", r"({2{eject_credit[\1]}})"
        changed, count = re.subn(one, other, text)
        assert count == 4
        return changed

    _, others = taken(tmp_path / "shared", network, shared)
    assert others < 200
