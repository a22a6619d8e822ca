"""The mailboxes of a network on the bus of a LiteX SoC, in Icarus."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.golden.terminal.mailbox import RECEIVED, SEND
from fingerpost.hdl.terminal.mailbox_map import ID, mailbox_map

PAIR: dict[str, Any] = {
    "name": "pair",
    "topology": {"family": "grid", "sizes": [2]},
    "routing": {"algorithm": "table"},
    "terminal": {
        "kind": "mailbox",
        "bus": "wishbone",
        "send_words": 16,
        "receive_words": 16,
        "packet_limit": 8,
    },
}

BENCH = """
`timescale 1ns/1ns
module bench;
  reg clk = 0, rst = 1, we = 0, strobe = 0;
  reg [29:0] adr = 0;
  reg [31:0] value = 0;
  wire [31:0] answer;
  wire ack, err;
  soc dut(.sys_clk(clk), .sys_rst(rst), .host_adr(adr), .host_dat_w(value), .host_dat_r(answer),
    .host_sel(4'hf), .host_we(we), .host_cyc(strobe), .host_stb(strobe), .host_ack(ack),
    .host_err(err));
  always #1 clk = !clk;
  task access(input [31:0] at, input write, input [31:0] word);
    begin
      @(negedge clk) adr = at >> 2; we = write; value = word; strobe = 1;
      @(posedge clk) while (!(ack || err)) @(posedge clk);
      if (!write) $display("%h %0d", answer, err);
      else if (err) $display("refused");
      @(negedge clk) strobe = 0;
    end
  endtask
  initial begin
    repeat (4) @(negedge clk);
    rst = 0;
ACCESSES
    $finish;
  end
  initial #20000 $display("late");
endmodule
"""


@pytest.mark.regress  # needs `scripts/setup machine`, and fails without it
def test_a_packet_goes_from_one_mailbox_to_the_other(tmp_path: Path) -> None:
    from examples.litex.soc import BASE, STRIDE, Soc

    network = build(PAIR)
    soc = Soc(network, tmp_path)
    soc.finalize()
    soc.platform.get_verilog(soc, name="soc").write(str(tmp_path / "soc.v"))
    at = {(register.name, c): place for register, c, place in mailbox_map(network).places()}

    def access(terminal: int, name: str, word: int | None = None) -> str:
        address = BASE + terminal * STRIDE + at[name, 0]
        write, value = int(word is not None), word or 0
        return f"    access(32'h{address:x}, {write}, 32'h{value:x});"

    head = int(SEND.join(destination=1, length=2))
    accesses = [
        *(access(terminal, name) for terminal in (0, 1) for name in ("id", "node")),
        *(access(0, "send", head), access(0, "send_data", 0xCAFE), access(0, "send_data", 7)),
        "    repeat (80) @(negedge clk);",
        *(access(1, name) for name in ("receive", "receive_data", "receive_data", "receive_data")),
        access(0, "send_data", 9),
    ]
    (tmp_path / "bench.v").write_text(BENCH.replace("ACCESSES", "\n".join(accesses)))
    listed = [line for line in (tmp_path / "pair.f").read_text().split() if line.endswith(".v")]
    sources = [*listed, "soc.v", "bench.v"]
    command = ["iverilog", "-g2012", "-s", "bench", "-o", "bench.vvp", *sources]
    subprocess.run(command, cwd=tmp_path, check=True)
    ran = subprocess.run(
        ["vvp", "bench.vvp"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    told = int(RECEIVED.join(source=0, length=2, valid=1))
    due = [(ID, 0), (0, 0), (ID, 0), (1, 0), (told, 0), (0xCAFE, 0), (7, 0), (0, 1)]
    lines = [line for line in ran.stdout.splitlines() if "finish" not in line]
    assert lines == [*(f"{word:08x} {err}" for word, err in due), "refused"]
