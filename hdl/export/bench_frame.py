"""What all benches in plain Verilog have in common: a clock, packets, a verdict, a watchdog."""

from collections.abc import Sequence
from typing import NamedTuple

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import control_ports, identifier
from fingerpost.hdl.export.bench_plan import Plan
from fingerpost.hdl.lib.ports import Port, idle

__all__ = ["Speech", "framed"]

FRAME = """
// Every terminal sends packets to @WHOM@; the last line printed begins with PASS or FAIL.
// In Icarus: iverilog -g2005 -s @NAME@_testbench -o bench -f @NAME@.f @NAME@_testbench.v && \
vvp -n bench
// In Verilator: verilator --binary --top-module @NAME@_testbench -f @NAME@.f @NAME@_testbench.v \
&& obj_dir/V@NAME@_testbench
module @NAME@_testbench;
  localparam TERMINALS = @TERMINALS@, EACH = @EACH@, STRIDE = @STRIDE@, PACKETS = @PACKETS@;
  localparam NODES = @NODES@, LIMIT = @LIMIT@, CALM = @CALM@;
@CONSTANTS@

  reg clk = 0, rst = 1;
@WIRES@

  @MODULE@ network(
@PORTS@
  );

  // Node of terminal t@TABLED@.
  reg [31:0] node [0:TERMINALS-1];
@MEMORY@
  initial begin
@TABLES@
  end

  // Packet p is from terminal p / EACH; this is the terminal that it goes to.
  function integer target(input integer packet);
    target = (packet / EACH + 1 + packet % EACH * STRIDE) % TERMINALS;
  endfunction

  always #@HALF@ clk = !clk;

  integer cycle = 0, idle = 0, count = 0, faults = 0;

@SEND@

  task fault(input integer at, input integer what);
    begin
      faults = faults + 1;
      if (faults <= 10)
        case (what)
@FAULTS@
        endcase
    end
  endtask

@RECEIVE@

  integer i;
  reg received [0:PACKETS-1];
  initial
    for (i = 0; i < PACKETS; i = i + 1) received[i] = 0;

  task arrived(input integer at, input integer packet);
    if (received[packet]) fault(at, TWICE);
    else begin
      received[packet] = 1;
      count = count + 1;
    end
  endtask

  always @(posedge clk) begin
    idle = idle + 1;
    receive;
    cycle <= cycle + 1;
    rst <= cycle < 3;
    if (idle == CALM && (count == PACKETS || faults > 0) || idle == LIMIT || faults >= 1000) begin
      if (count == PACKETS && faults == 0@ZERO@)
        $display("PASS: %0d packets of @SIZE@, %0d cycles", count, cycle);
      else begin
        $display("@COUNTERS@", @COUNTED@);
        $fatal(1, "FAIL: %0d of %0d packets came, %0d faults", count, PACKETS, faults);
      end
      $finish;
    end
  end
endmodule

@MODULES@
"""


class Speech(NamedTuple):
    """How a bench speaks with terminals of one kind: the parts of its text that differ.

    Attributes
    ----------
    module : str
        What stands in the bench.
    ports : sequence of Port
        Of terminals: they are declared, and those that go in begin with 0.
    connections : sequence of str
        Of all ports but those of the counters' control and of what is counted.
    constants : str
        Local parameters.
    tabled, memory : str
        What else a table holds, for people, and the declaration of such tables.
    tables : sequence of str
        Statements that fill tables, some on a line.
    send, receive : str
        What sends, and the task `receive`, which takes what comes in a cycle. It tells of it by
        ``idle = 0``, of a packet by `arrived`, of what is wrong by `fault`.
    faults : sequence of str
        What may be wrong: the number of `fault` is the place here. `TWICE` is the last of all.
    size : str
        Of a packet, for people.
    half : int
        Of a cycle, in units of time.
    modules : str
        What the bench is made of besides.
    """

    module: str
    ports: Sequence[Port]
    connections: Sequence[str]
    constants: str
    tabled: str
    memory: str
    tables: Sequence[str]
    send: str
    receive: str
    faults: Sequence[str]
    size: str
    half: int = 5
    modules: str = ""


def framed(network: Network, plan: Plan, counted: Sequence[Port], speech: Speech) -> str:
    """Return a bench.

    Parameters
    ----------
    network : Network
    plan : Plan
        The packets that it sends.
    counted : sequence of Port
        Outputs of the network that must be 0 at the end.
    speech : Speech
    """
    tables = [f"node[{t}] = {v};" for t, v in enumerate(network.topology.terminals.tolist())]
    tables += speech.tables
    connections = [
        *speech.connections,
        *(f".{port.name}({port.name})" for port in counted),
        *(idle(port) for port in control_ports(network)),
    ]
    wires = [f"  {_declared(port)};" for port in (*speech.ports, *counted)]
    faults = [*speech.faults, "a packet for the second time"]
    parts: dict[str, str | int] = {
        "SEND": speech.send,
        "RECEIVE": speech.receive,
        "WHOM": plan.whom,
        "TERMINALS": plan.terminals,
        "EACH": plan.each,
        "STRIDE": plan.stride,
        "PACKETS": plan.packets,
        "NODES": network.topology.nodes,
        "LIMIT": plan.limit,
        "CALM": plan.calm,
        "HALF": speech.half,
        "CONSTANTS": f"{speech.constants}\n  localparam TWICE = {len(faults) - 1};",
        "WIRES": "\n".join(wires),
        "MODULE": speech.module,
        "PORTS": ",\n".join(f"    {connection}" for connection in connections),
        "TABLED": speech.tabled,
        "MEMORY": speech.memory,
        "TABLES": "\n".join(
            f"    {' '.join(tables[at : at + 4])}" for at in range(0, len(tables), 4)
        ),
        "FAULTS": "\n".join(
            f'          {number}: $display("cycle %0d, node %0d: {what}", cycle, at);'
            for number, what in enumerate(faults)
        ),
        "ZERO": "".join(f" && {port.name} === 0" for port in counted),
        "COUNTERS": ", ".join(f"{port.name} %h" for port in counted),
        "COUNTED": ", ".join(port.name for port in counted),
        "SIZE": speech.size,
        "MODULES": speech.modules,
        "NAME": identifier(network.name),
    }
    text = FRAME
    for mark, part in parts.items():
        text = text.replace(f"@{mark}@", str(part).strip("\n"))
    return f"{text.strip()}\n"


def _declared(port: Port) -> str:
    """Return what drives a port of the network, or takes what it says."""
    kind, start = ("reg", " = 0") if port.direction == "input" else ("wire", "")
    return f"{kind} [{port.bits - 1}:0] {port.name}{start}"
