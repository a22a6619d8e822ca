"""How a bench speaks with terminals that are OS-Links: over their wires, as peers do."""

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import identifier
from fingerpost.hdl.export.bench_frame import Speech
from fingerpost.hdl.export.bench_functions import (
    AWAITED,
    MIXED,
    TERMINAL,
    TERMINAL_TABLES,
)
from fingerpost.hdl.export.bench_plan import Plan, longest_data, longest_pause
from fingerpost.hdl.export.link_peer import FLAWS, PEER
from fingerpost.hdl.lib.ports import Port

__all__ = ["link_speech"]

HALF = 5_000
"""Units of time in half a cycle: bit times of peers differ by a hundredth, and are whole."""

FAULTS = (
    *FLAWS,
    "a packet of a node that sent none here",
    "a packet of another length",
    "other data than were sent",
    "a status other than 0",
    "a byte that is not acknowledged",
)

SEND = """
  // A message: how many bytes of data, the shortest and the longest first; and each of its bytes.
  function integer size(input integer packet);
    size = packet % 2 ? packet / 2 % (LONGEST + 1) : LONGEST - packet / 2 % (LONGEST + 1);
  endfunction
  function [7:0] content(input integer packet, input integer place);
    content = mixed(packet * (LONGEST + 1) + place);
  endfunction
  function [7:0] said(input integer packet, input integer place);
    case (place)
      0: said = node[target(packet)];
      1: said = node[target(packet)] >> 8;
      2: said = size(packet);
      3: said = size(packet) >> 8;
      default: said = content(packet, place - 4);
    endcase
  endfunction

  // At each terminal is a peer; bit times are those of the network, or off by a hundredth.
  reg [TERMINALS*8-1:0] data;
  reg [TERMINALS-1:0] asks = 0;
  wire [TERMINALS*8-1:0] heard;
  wire [TERMINALS-1:0] done, came;
  wire [TERMINALS*FLAWS-1:0] wrong;
  genvar g;
  generate
    for (g = 0; g < TERMINALS; g = g + 1) begin : peers
      @NAME@_testbench_peer #(
        .QUARTER(CLOCKS * @HUNDREDTH@ * (99 + g % 3) / 2 * 2), .NUMBER(g),
        .PAUSE(PAUSE), .LATE(LATE), .SHORT(SHORT)
      ) peer(
        .hears(hears[g]), .says(says[g]), .data(data[g*8 +: 8]), .asks(asks[g]), .done(done[g]),
        .heard(heard[g*8 +: 8]), .came(came[g]), .wrong(wrong[g*FLAWS +: FLAWS])
      );
    end
  endgenerate

  // Each sends its messages byte by byte, with pauses now and then.
  integer t, packet [0:TERMINALS-1], part [0:TERMINALS-1];
  always @(posedge clk)
    for (t = 0; t < TERMINALS; t = t + 1)
      if (rst) begin
        packet[t] = t * EACH;
        part[t] = 0;
      end else if (asks[t] == done[t] && packet[t] < (t + 1) * EACH
          && !(cycle / (PAUSE * CLOCKS) % 2 != 0
            && mixed(cycle / (PAUSE * CLOCKS) * TERMINALS + t) % 4 == 0)) begin
        data[t*8 +: 8] <= said(packet[t], part[t]);
        asks[t] <= !asks[t];
        part[t] = part[t] + 1;
        if (part[t] == 4 + size(packet[t])) begin
          part[t] = 0;
          packet[t] = packet[t] + 1;
        end
      end
"""

RECEIVE = """
  // What has come is told by changes; each message is what its source has sent here.
  integer w, f, at, number [0:TERMINALS-1], place [0:TERMINALS-1];
  reg [TERMINALS-1:0] taken = 0, other = 0;
  reg [TERMINALS*FLAWS-1:0] known = 0;
  reg [7:0] octet;
  reg [15:0] word [0:TERMINALS-1]; // the source, then the length
  task receive;
    for (w = 0; w < TERMINALS; w = w + 1) begin
      at = node[w];
      for (f = 0; f < FLAWS; f = f + 1) if (wrong[w*FLAWS+f] !== known[w*FLAWS+f]) fault(at, f);
      known[w*FLAWS +: FLAWS] = wrong[w*FLAWS +: FLAWS];
      if (rst) place[w] = 0;
      else if (came[w] !== taken[w]) begin
        taken[w] = came[w];
        if (place[w] < 4 || number[w] >= 0) idle = 0; // what nobody sent could go on for ever
        octet = heard[w*8 +: 8];
        place[w] = place[w] + 1;
        if (place[w] <= 4) word[w] = {octet, word[w][15:8]};
        if (place[w] == 2) begin
          number[w] = awaited(word[w], w);
          other[w] = 0;
          if (!(number[w] >= 0)) fault(at, FLAWS);
        end else if (place[w] == 4) begin
          if (number[w] >= 0 && word[w] !== size(number[w])) begin
            fault(at, FLAWS + 1);
            number[w] = -1;
          end
        end else if (place[w] > 4 && place[w] <= 4 + word[w]) begin
          if (octet !== content(number[w], place[w] - 5)) other[w] = 1;
        end else if (place[w] > 4) begin
          if (number[w] >= 0 && other[w]) fault(at, FLAWS + 2);
          if (octet !== 0) fault(at, FLAWS + 3);
          place[w] = 0;
          if (number[w] >= 0) arrived(at, number[w]);
        end
      end
      if (idle == CALM && count == PACKETS && asks[w] !== done[w]) fault(at, FLAWS + 4);
    end
  endtask
"""


def link_speech(network: Network, plan: Plan, ports: list[Port]) -> Speech:
    """Return how messages go in and out of the module with separate wires.

    Parameters
    ----------
    network : Network
    plan : Plan
        Of which nothing but the count of terminals need be known.
    ports : list of Port
        The wires, packed; each terminal has its own.
    """
    del ports
    name, facts = identifier(network.name), network.terminal.describe()
    longest = longest_data(network)
    clocks = network.topology.nodes if network.link.own_clocks else 1
    wires = (
        f".link_in_{v}(says[{t}]), .link_out_{v}(hears[{t}])"
        for t, v in enumerate(network.topology.terminals.tolist())
    )
    late, short = facts["acknowledge"] == "late", facts["stop"] == "ignored"
    return Speech(
        module=f"{name}_links",
        ports=[Port(wire, "output", plan.terminals, "") for wire in ("says", "hears")],
        connections=[*(f".{clock}({{{clocks}{{{clock}}}}})" for clock in ("clk", "rst")), *wires],
        constants=(
            f"  localparam CLOCKS = {facts['clocks_per_bit']}, LONGEST = {longest}, "
            f"PAUSE = {longest_pause(network)}, LATE = {int(late)}, SHORT = {int(short)};\n"
            f"  localparam FLAWS = {len(FLAWS)}, NUMBER = 16;"
        ),
        tabled=", and terminal of node v; -1: none",
        memory=TERMINAL,
        tables=TERMINAL_TABLES,
        send=MIXED + SEND.replace("@HUNDREDTH@", str(2 * HALF // 4 // 100)),
        receive=AWAITED + RECEIVE,
        faults=FAULTS,
        size=f"0 to {longest} bytes",
        half=HALF,
        modules=PEER,
    )
