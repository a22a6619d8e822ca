"""How a bench speaks with terminals that have credits."""

import numpy as np

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import identifier
from fingerpost.hdl.export.bench_frame import Speech
from fingerpost.hdl.export.bench_plan import Plan
from fingerpost.hdl.lib.ports import Port

__all__ = ["credit_speech"]

FAULTS = (
    "a flit outside of a packet",
    "a head inside a packet",
    "a packet of another length",
    "other data than were sent",
    "a packet for another node",
)

SEND = """
  // Each terminal sends its packets as fast as its credits allow.
  integer t, credits [0:TERMINALS-1], packet [0:TERMINALS-1], part [0:TERMINALS-1];
  reg [NODES-1:0] valid;
  reg [NODES*FLIT-1:0] flits;
  reg [FLIT_WIDTH-1:0] data;
  always @(posedge clk) begin
    valid = 0;
    flits = 0;
    for (t = 0; t < TERMINALS; t = t + 1)
      if (rst) begin
        credits[t] = CREDITS;
        packet[t] = t * EACH;
        part[t] = 0;
      end else begin
        if (inject_credit[node[t]]) credits[t] = credits[t] + 1;
        if (credits[t] > 0 && packet[t] < (t + 1) * EACH) begin
          data = 0;
          if (part[t] == 0) data = header[@INDEX@];
          else if (part[t] <= BODY) data = packet[t] >> ((part[t] - 1) * FLIT_WIDTH);
          valid[node[t]] = 1;
          flits[node[t]*FLIT +: FLIT] = {data, part[t] > BODY, part[t] == 0};
          credits[t] = credits[t] - 1;
          part[t] = part[t] + 1;
          if (part[t] == BODY + 2) begin
            part[t] = 0;
            packet[t] = packet[t] + 1;
          end
        end
      end
    inject_valid <= valid;
    inject_flit <= flits;
  end
"""

RECEIVE = """
  // Each takes every flit at once, and tells by the number in the packet what it has got.
  integer v, number [0:TERMINALS-1], place [0:TERMINALS-1];
  reg [FLIT_WIDTH-1:0] seen;
  reg tail, head;
  task receive;
    begin
      eject_credit <= rst ? {NODES{1'b0}} : eject_valid;
      for (v = 0; v < TERMINALS; v = v + 1)
        if (rst) place[v] = 0;
        else if (eject_valid[node[v]] !== 0) begin
          if (eject_valid[node[v]] === 1) idle = 0;
          {seen, tail, head} = eject_flit[node[v]*FLIT +: FLIT];
          if (head !== (place[v] == 0)) fault(node[v], place[v] != 0);
          if (head) number[v] = 0;
          else if (!tail && place[v] <= BODY)
            number[v] = number[v] | seen << ((place[v] - 1) * FLIT_WIDTH);
          place[v] = place[v] + 1;
          if (tail !== (place[v] == BODY + 2)) fault(node[v], 2);
          if (tail !== 0) begin
            place[v] = 0;
            if (seen !== 0 || !(number[v] >= 0 && number[v] < PACKETS)) fault(node[v], 3);
            else if (target(number[v]) != v) fault(node[v], 4);
            else arrived(node[v], number[v]);
          end
        end
    end
  endtask
"""


def _of_classes(text: str) -> str:
    """Return the same for several message classes: packet p is of class p % CLASSES."""
    own = "CLASSES + packet[t] % CLASSES]"
    credit = "credits[t * CLASSES + c]"
    more = f"{credit} = {credit} + 1;"
    channels, of_channel = "[0:TERMINALS*CLASSES-1]", "node[v / CLASSES]"
    other = "number[v] % CLASSES != v % CLASSES"
    every = "for (c = 0; c < CLASSES; c = c + 1)"
    for one, several in (
        ("credits [0:TERMINALS-1]", "c, credits [0:TERMINALS*CLASSES-1]"),
        ("[NODES-1:0] valid", "[NODES*CLASSES-1:0] valid"),
        ("credits[t] = CREDITS;", f"{every} {credit} = CREDITS;"),
        (
            "if (inject_credit[node[t]]) credits[t] = credits[t] + 1;",
            f"{every}\n          if (inject_credit[node[t] * CLASSES + c]) {more}",
        ),
        ("credits[t]", f"credits[t * {own}"),
        ("valid[node[t]]", f"valid[node[t] * {own}"),
        # What is counted by v is a channel of a terminal.
        ("number [0:TERMINALS-1], place [0:TERMINALS-1]", f"number {channels}, place {channels}"),
        ("v < TERMINALS", "v < TERMINALS * CLASSES"),
        ("{NODES{", "{NODES*CLASSES{"),
        ("node[v]", of_channel),
        (f"[{of_channel}]", f"[{of_channel} * CLASSES + v % CLASSES]"),
        ("target(number[v]) != v", f"target(number[v]) != v / CLASSES || {other}"),
    ):  # fmt: skip
        text = text.replace(one, several)
    return text


def credit_speech(network: Network, plan: Plan, ports: list[Port]) -> Speech:
    """Return how packets go in and out: a head, their number in as many flits as it takes, a tail.

    Parameters
    ----------
    network : Network
    plan : Plan
    ports : list of Port
        Those of terminals.
    """
    terminals = network.topology.terminals
    start = np.repeat(np.arange(plan.terminals), plan.each)
    end = (start + 1 + np.tile(np.arange(plan.each), plan.terminals) * plan.stride) % plan.terminals
    headers = network.routing.encode(terminals[start], terminals[end])
    to = np.zeros(plan.terminals, np.int64)
    to[end] = headers
    by_packet = not np.array_equal(to[end], headers)
    listed = headers if by_packet else to
    width = network.routing.header.width
    body = -(-max(1, (plan.packets - 1).bit_length()) // network.flit_width)
    clocks = network.topology.nodes if network.link.own_clocks else 1
    send, receive, several = SEND, RECEIVE, network.classes > 1
    if several:
        send, receive = _of_classes(send), _of_classes(receive)
    return Speech(
        module=f"{identifier(network.name)}_network",
        ports=ports,
        connections=[
            *(f".{clock}({{{clocks}{{{clock}}}}})" for clock in ("clk", "rst")),
            *(f".{port.name}({port.name})" for port in ports),
        ],
        constants=(
            f"  localparam FLIT_WIDTH = {network.flit_width}, FLIT = {network.flit.width}, "
            f"CREDITS = {network.terminal_depth};\n"
            f"  localparam HEADERS = {len(listed)}, HEADER_WIDTH = {width}"
            + (f", CLASSES = {network.classes};\n" if several else ";\n")
            + f"  localparam BODY = {body}; // flits between head and tail: the packet's number"
        ),
        tabled=", and the header that is sent",
        memory="  reg [HEADER_WIDTH-1:0] header [0:HEADERS-1];",
        tables=[f"header[{i}] = {width}'h{word:x};" for i, word in enumerate(listed.tolist())],
        send=send.replace("@INDEX@", "packet[t]" if by_packet else "target(packet[t])"),
        receive=receive,
        faults=FAULTS,
        size=f"{body + 2} flits",
    )
