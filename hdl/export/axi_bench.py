"""How a bench speaks with AXI4-Stream terminals."""

from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal.beat import AxiLayout
from fingerpost.hdl.emit.network import identifier
from fingerpost.hdl.export.bench_frame import Speech
from fingerpost.hdl.export.bench_functions import (
    AWAITED,
    MIXED,
    TERMINAL,
    TERMINAL_TABLES,
)
from fingerpost.hdl.export.bench_plan import Plan, longest_packet, pauses
from fingerpost.hdl.lib.ports import Port, part
from fingerpost.hdl.terminal.separate import of_terminal

__all__ = ["axi_speech"]

FAULTS = (
    "a beat was offered, and changed before it was taken",
    "a packet of a node that sent none here",
    "a beat of another source inside a packet",
    "a packet of another length",
    "other bytes in use than were sent",
    "other data than were sent",
    "another error mark than was sent",
    "a beat whose tdest is another node",
)

SEND = """
  // A packet: how many beats, whether marked as bad; of a beat its bytes in use and its data.
  function integer beats(input integer packet);
    beats = 1 + packet % LONGEST;
  endfunction
  function marked(input integer packet, input integer beat);
    marked = packet % 7 == 3 && beat == beats(packet) - 1;
  endfunction
  function [BYTES-1:0] used(input integer packet, input integer beat);
    used = {BYTES{1'b1}} >> (beat == beats(packet) - 1 ? packet / LONGEST % BYTES : 0);
  endfunction
  function [WIDTH-1:0] word(input integer packet, input integer beat);
    integer i;
    for (i = 0; i < BYTES; i = i + 1)
      word[8*i +: 8] = mixed((packet * LONGEST + beat) * BYTES + i);
  endfunction

  // Each terminal sends its packets, with pauses of one cycle now and then.
  integer t, v, packet [0:TERMINALS-1], beat [0:TERMINALS-1];
  reg [NODES-1:0] offers;
  always @(posedge clk) begin
    offers = s_axis_tvalid;
    for (t = 0; t < TERMINALS; t = t + 1) begin
      v = node[t];
      if (rst) begin
        packet[t] = t * EACH;
        beat[t] = 0;
      end else if (!offers[v] || s_axis_tready[v]) begin // what is offered stays until it is taken
        offers[v] = packet[t] < (t + 1) * EACH
          && !(PAUSES && cycle % 2 && mixed(cycle * TERMINALS + t) % 2);
        if (offers[v]) begin
          s_axis_tdata[v*WIDTH +: WIDTH] <= word(packet[t], beat[t]);
          s_axis_tkeep[v*BYTES +: BYTES] <= used(packet[t], beat[t]);
          s_axis_tlast[v] <= beat[t] == beats(packet[t]) - 1;
          s_axis_tuser[v] <= marked(packet[t], beat[t]);
          s_axis_tdest[v*NUMBER +: NUMBER] <= node[target(packet[t])];
          beat[t] = beat[t] + 1;
          if (beat[t] == beats(packet[t])) begin
            beat[t] = 0;
            packet[t] = packet[t] + 1;
          end
        end
      end
    end
    s_axis_tvalid <= offers;
  end
"""

RECEIVE = """
  // Each takes most beats at once, and at times none for long.
  integer w, at, b, number [0:TERMINALS-1], place [0:TERMINALS-1];
  reg waits [0:TERMINALS-1];
  reg [BEAT-1:0] seen, previous [0:TERMINALS-1];
  reg [WIDTH-1:0] data, sent;
  reg [BYTES-1:0] keep, uses;
  reg [NUMBER-1:0] dest, source, sources [0:TERMINALS-1];
  reg last, bad, other;
  task receive;
    for (w = 0; w < TERMINALS; w = w + 1) begin
      at = node[w];
      data = m_axis_tdata[at*WIDTH +: WIDTH];
      keep = m_axis_tkeep[at*BYTES +: BYTES];
      last = m_axis_tlast[at];
      dest = m_axis_tdest[at*NUMBER +: NUMBER];
      {source, bad} = m_axis_tuser[at*(NUMBER+1) +: NUMBER+1];
      seen = {data, keep, last, dest, source, bad};
      if (rst) begin
        waits[w] = 0;
        place[w] = 0;
      end else begin
        if (waits[w] && (m_axis_tvalid[at] !== 1 || seen !== previous[w])) fault(at, 0);
        waits[w] = m_axis_tvalid[at] !== 0 && !m_axis_tready[at];
        previous[w] = seen;
        if (m_axis_tvalid[at] !== 0 && m_axis_tready[at]) begin
          if (m_axis_tvalid[at] === 1) idle = 0;
          if (place[w] == 0) begin
            sources[w] = source;
            number[w] = awaited(source, w);
            if (!(number[w] >= 0)) fault(at, 1);
          end else if (source !== sources[w]) fault(at, 2);
          if (number[w] >= 0) begin
            if (last !== (place[w] == beats(number[w]) - 1)) fault(at, 3);
            uses = used(number[w], place[w]);
            if (keep !== uses) fault(at, 4);
            sent = word(number[w], place[w]);
            other = 0;
            for (b = 0; b < BYTES; b = b + 1)
              if (uses[b] && data[8*b +: 8] !== sent[8*b +: 8]) other = 1;
            if (other) fault(at, 5);
            if (bad !== marked(number[w], place[w])) fault(at, 6);
          end
          if (dest !== at) fault(at, 7);
          place[w] = place[w] + 1;
          if (last !== 0) begin
            place[w] = 0;
            if (number[w] >= 0) arrived(at, number[w]);
          end
        end
      end
      m_axis_tready[at] <= !rst && mixed(~(cycle * TERMINALS + w)) % 4 != 0
        && mixed(~(cycle / 64 * TERMINALS + w)) % 8 != 0;
    end
  endtask
"""


def axi_speech(network: Network, plan: Plan, ports: list[Port]) -> Speech:
    """Return how packets of one to some beats go in and out of the module with separate ports.

    If terminals have clocks of their own, these are the bench's, and the network has another.

    Parameters
    ----------
    network : Network
    plan : Plan
        Of which nothing need be known.
    ports : list of Port
        Those of terminals, packed.
    """
    del plan
    nodes, layout = network.topology.nodes, AxiLayout.of(network)
    longest = longest_packet(network)
    crosses = "clock" in network.terminal.describe()
    clocks = nodes if network.link.own_clocks else 1
    connections = [
        f".clk({{{clocks}{{{'network_clk' if crosses else 'clk'}}}}})",
        f".rst({{{clocks}{{rst}}}})",
    ]
    for v in network.topology.terminals.tolist():
        own = [f".axis_{v}_clk(clk)", f".axis_{v}_rst(rst)"] if crosses else []
        own += [f".{of_terminal(p, v)}({part(p.name, v, p.bits // nodes)})" for p in ports]
        connections.append(", ".join(own))
    memory = [TERMINAL]
    if layout.bytes == 1:
        keep = [Port(f"{stream}_axis_tkeep", "output", nodes, "") for stream in "sm"]
        ports = [*ports, keep[0]._replace(direction="input"), keep[1]]
        memory.append(
            "  assign m_axis_tkeep = {NODES{1'b1}}; // there is none: one byte is always there"
        )
    if crosses:
        memory.append("  reg network_clk = 0;\n  always #6 network_clk = !network_clk;")
    return Speech(
        module=f"{identifier(network.name)}_streams",
        ports=ports,
        connections=connections,
        constants=(
            f"  localparam BYTES = {layout.bytes}, WIDTH = 8 * BYTES, NUMBER = {layout.number}, "
            "BEAT = WIDTH + BYTES + 2 * NUMBER + 2;\n"
            f"  localparam LONGEST = {longest}, PAUSES = {int(pauses(network))};"
        ),
        tabled=", and terminal of node v; -1: none",
        memory="\n".join(memory),
        tables=TERMINAL_TABLES,
        send=MIXED + SEND,
        receive=AWAITED + RECEIVE,
        faults=FAULTS,
        size=f"1 to {longest} beats",
    )
