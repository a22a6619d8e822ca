"""A test bench in plain Verilog, for simulators without Python."""

import numpy as np

from golden.network import Network
from hdl.network import control_ports, identifier, network_ports
from hdl.ports import idle

__all__ = ["bench"]

PACKETS = 4096
"""The most packets of a bench, but that every terminal sends one."""

LIMIT, SLOW = 2_000, 200_000
"""Cycles without a flit after which nothing more comes; the other over links between chips."""

NEEDED = {"inject_valid", "inject_flit", "inject_credit", "eject_valid", "eject_flit"}
"""The ports of terminals that the bench can speak with: those with credits."""

BODY = """
  reg clk = 0, rst = 1;
  reg [NODES-1:0] inject_valid = 0, eject_credit = 0, valid;
  reg [NODES*FLIT-1:0] inject_flit = 0, flits;
  wire [NODES-1:0] inject_credit, eject_valid;
  wire [NODES*FLIT-1:0] eject_flit;
@WIRES@

  @NAME@_network network(
@PORTS@
  );

  // Node of terminal t, and the header that is sent.
  reg [31:0] node [0:TERMINALS-1];
  reg [HEADER_WIDTH-1:0] header [0:HEADERS-1];
  initial begin
@TABLES@
  end

  // Packet p is from terminal p / EACH; this is the terminal that it goes to.
  function integer target(input integer packet);
    target = (packet / EACH + 1 + packet % EACH * STRIDE) % TERMINALS;
  endfunction

  always #5 clk = !clk;

  integer cycle = 0, idle = 0, count = 0, faults = 0;

  // Each terminal sends its packets as fast as its credits allow.
  integer t, credits [0:TERMINALS-1], packet [0:TERMINALS-1], part [0:TERMINALS-1];
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

  // Each takes every flit at once, and tells by the number in the packet what it has got.
  integer v, number [0:TERMINALS-1], place [0:TERMINALS-1];
  reg received [0:PACKETS-1];
  reg [FLIT_WIDTH-1:0] seen;
  reg tail, head;

  task fault(input integer at, input integer what);
    begin
      faults = faults + 1;
      if (faults <= 10)
        case (what)
          0: $display("cycle %0d, node %0d: a flit outside of a packet", cycle, at);
          1: $display("cycle %0d, node %0d: a head inside a packet", cycle, at);
          2: $display("cycle %0d, node %0d: a packet of another length", cycle, at);
          3: $display("cycle %0d, node %0d: other data than were sent", cycle, at);
          4: $display("cycle %0d, node %0d: a packet for another node", cycle, at);
          5: $display("cycle %0d, node %0d: a packet for the second time", cycle, at);
        endcase
    end
  endtask

  initial
    for (v = 0; v < PACKETS; v = v + 1) received[v] = 0;

  always @(posedge clk) begin
    eject_credit <= rst ? {NODES{1'b0}} : eject_valid;
    idle = idle + 1;
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
          else if (received[number[v]]) fault(node[v], 5);
          else begin
            received[number[v]] = 1;
            count = count + 1;
          end
        end
      end
    cycle <= cycle + 1;
    rst <= cycle < 3;
    if (count == PACKETS && idle == 100 || faults > 0 && idle == 100 || idle == LIMIT) begin
      if (count == PACKETS && faults == 0@COUNTERS@)
        $display("PASS: %0d packets of %0d flits, %0d cycles", count, BODY + 2, cycle);
      else begin
        $display("errors %h, overruns %h", errors, overruns);
        $fatal(1, "FAIL: %0d of %0d packets came, %0d faults", count, PACKETS, faults);
      end
      $finish;
    end
  end
endmodule
"""


def bench(network: Network) -> str | None:
    """Return a bench that sends packets between all terminals, and tells whether all came.

    Every terminal sends one to every other, or to a few if that would be more than `PACKETS`. None
    if the terminals are not of a kind that it knows.
    """
    ports = {port.name: port for port in network_ports(network)}
    if not ports.keys() >= NEEDED:
        return None
    name, terminals = identifier(network.name), network.topology.terminals
    count = len(terminals)
    each = count - 1 if count * (count - 1) <= PACKETS else max(1, PACKETS // count)
    stride = (count - 1) // each
    packets = count * each
    body = -(-max(1, (packets - 1).bit_length()) // network.flit_width)
    start = np.repeat(np.arange(count), each)
    end = (start + 1 + np.tile(np.arange(each), count) * stride) % count
    headers = network.routing.encode(terminals[start], terminals[end])
    to = np.zeros(count, np.int64)
    to[end] = headers
    by_packet = not np.array_equal(to[end], headers)
    listed = headers if by_packet else to
    width = network.routing.header.width
    others = {
        port.name: port
        for port in ports.values()
        if port.direction == "output" and port.name not in NEEDED
    }
    tables = [f"node[{t}] = {node};" for t, node in enumerate(terminals.tolist())]
    tables += [f"header[{i}] = {width}'h{word:x};" for i, word in enumerate(listed.tolist())]
    parts = {
        "NAME": name,
        "WIRES": "\n".join(f"  wire [{p.bits - 1}:0] {p.name};" for p in others.values()),
        "PORTS": ",\n".join(
            [
                f"    .{p.name}({{{p.bits}{{{p.name}}}}})"
                if p.name in ("clk", "rst")
                else f"    .{p.name}({p.name})"
                for p in ports.values()
            ]
            + [f"    {idle(port)}" for port in control_ports(network)]
        ),
        "TABLES": "\n".join(
            f"    {' '.join(tables[at : at + 4])}" for at in range(0, len(tables), 4)
        ),
        "INDEX": "packet[t]" if by_packet else "target(packet[t])",
        "COUNTERS": "".join(f" && {counter} === 0" for counter in others),
    }
    text = BODY
    for mark, part in parts.items():
        text = text.replace(f"@{mark}@", part)
    module = f"{name}_testbench"
    return (
        f"// Every terminal sends packets to {'every other' if stride == 1 else f'{each} others'};"
        " the last line printed begins with PASS or FAIL.\n"
        f"// In Icarus: iverilog -g2005 -s {module} -o bench -f {name}.f {module}.v && "
        "vvp -n bench\n"
        f"// In Verilator: verilator --binary --top-module {module} -f {name}.f {module}.v && "
        f"obj_dir/V{module}\n"
        f"module {module};\n"
        f"  localparam NODES = {network.topology.nodes}, FLIT_WIDTH = {network.flit_width}, "
        f"FLIT = {network.flit.width}, HEADER_WIDTH = {width};\n"
        f"  localparam TERMINALS = {count}, EACH = {each}, STRIDE = {stride}, "
        f"PACKETS = {packets}, HEADERS = {len(listed)};\n"
        f"  localparam CREDITS = {network.terminal_depth}, "
        f"LIMIT = {SLOW if network.link.varies else LIMIT};\n"
        f"  localparam BODY = {body}; // flits between head and tail: they hold the packet's "
        f"number\n{text}"
    )
