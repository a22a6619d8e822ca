"""Faults that benches of networks must find, and what they say of them."""

from typing import NamedTuple


class Fault(NamedTuple):
    """A change of a module, by its ending; then patterns of what benches say of it.

    No pattern for cocotb: the fault hits the timing of the other bench alone.
    """

    module: str
    sound: str
    faulty: str
    verilog: str
    cocotb: str | None


PULSE = "reg pulse = 0; always @(posedge clk) pulse <= !pulse; "
"""A signal that is high in every second cycle."""

AGE = "reg [15:0] age = 0; always @(posedge clk) age <= age + 1; "
"""The number of the cycle."""

ECHO = "reg [5:0] left = 0; always @(posedge clk) left <= left ? left - 1 : link_out[3] ? 48 : 0; "
"""Less and less behind a rise, and 0 until the next."""

EXCHANGED = "{s_axis_tdata_2[23:16], s_axis_tdata_2[31:24], s_axis_tdata_2[15:0]}"

# fmt: off
CREDIT = {
    "inverted data": Fault(
        "network", ".inject__flit(inject_flit[68 +: 34])",
        ".inject__flit(inject_flit[68 +: 34] ^ 34'h400)",
        r"node \d: wrong data", r"node \d: wrong data"),
    "wrong header": Fault(
        "testbench", "header[7] = 8'h18", "header[7] = 8'h0",
        r"node \d: a packet for another node|errors (?!0+,)", None),
    "heads and tails exchanged": Fault(
        "network", ".eject__flit(eject_flit[34 +: 34])",
        ".eject__flit({eject_flit[67:36], eject_flit[34], eject_flit[35]})",
        "(?s)a flit outside a packet.*a packet of the wrong length.*1: a head inside a packet",
        "node 1: a flit outside a packet"),
    "no credit comes back": Fault(
        "network", ".inject__credit(inject_credit[2])", ".inject__credit()",
        r"FAIL: 2\d of 30 packets arrived, 0 faults", None),
    "dead terminal": Fault(
        "network", ".eject__valid(eject_valid[3])", ".eject__valid()",
        "FAIL: .. of 30 packets arrived", "ValueError|LogicArray|z"),
}
AXI_STREAM = {
    "beat that is withdrawn": Fault(
        "streams", "assign m_axis_1_tvalid = ", PULSE + "assign m_axis_1_tvalid = pulse && ",
        "node 1: a beat changed before it was accepted", "of 12 packets arrived"),
    "source that is another": Fault(
        "streams", "assign m_axis_1_tuser = m_axis_tuser[3 +: 3]", "assign m_axis_1_tuser = 3'b010",
        "node 1: a packet that was not sent to this node",
        "a packet of 1 that was not sent, or arrived twice"),
    "source that changes": Fault(
        "streams", "assign m_axis_1_tuser = ", PULSE + "assign m_axis_1_tuser = {pulse, 2'b00} ^ ",
        "node 1: a beat of another source inside a packet",
        "a beat of another source|a packet of . that was not sent"),
    "sources exchanged": Fault(
        "network", ".head({2'd3, header_3})", ".head({2'd1, header_3})",
        "node [02]: wrong data",
        "a packet of 1 that was not sent, or arrived twice"),
    "packets that are cut": Fault(
        "network", ".s_axis__tlast(s_axis_tlast[2])", ".s_axis__tlast(1'b1)",
        "a packet of the wrong length", "wrong data from 2"),
    "bytes that were never sent": Fault(
        "network", ".s_axis__tkeep(s_axis_tkeep[4 +: 2])", ".s_axis__tkeep(2'b11)",
        "node [03]: wrong bytes in use", "wrong data from 2"),
    "inverted bit": Fault(
        "network", ".s_axis__tdata(s_axis_tdata[48 +: 16])",
        ".s_axis__tdata(s_axis_tdata[48 +: 16] ^ 16'h80)",
        "node [012]: wrong data", "wrong data from 3"),
    "mark that is lost": Fault(
        "network", ".s_axis__tuser(s_axis_tuser[1])", ".s_axis__tuser(1'b0)",
        "node 2: wrong error mark", "wrong error mark from 1"),
    "number that is another": Fault(
        "network", "assign m_axis_tdest[4 +: 2] = 2'd2", "assign m_axis_tdest[4 +: 2] = 2'd3",
        "node 2: a beat with the tdest of another node",
        "node 2: a beat with the tdest of another node"),
    "wrong header": Fault(
        "headers", "2'd1: entry = 2'h1", "2'd1: entry = 2'h3",
        "node 3: ", "node 3: a packet of . that was not sent|node 3: wrong data"),
    "beat that is never taken": Fault(
        "network", ".m_axis__tready(m_axis_tready[1])", ".m_axis__tready(1'b0)",
        "node 1: a packet (of the wrong length|that arrived twice)",
        "node 1: a packet of . that was not sent, or arrived twice"),
    "packets that are refused": Fault(
        "headers", "2'd2: exists = 1'b1", "2'd2: exists = 1'b0",
        r"refused (?!0+,)\w+, expired 0+, errors 0+, overruns 0+\n.* FAIL: 9 of 12 packets",
        "refused is 0*1"),
    "terminal that is never heard": Fault(
        "streams", "assign s_axis_tvalid[3] = s_axis_3_tvalid", "assign s_axis_tvalid[3] = 1'b0",
        "FAIL: 9 of 12 packets arrived, 0 faults", "9 of 12 packets arrived"),
}
OS_LINK = {
    "glitch": Fault(
        "links", "assign link_out_1 = link_out[1];",
        AGE + "assign link_out_1 = link_out[1] | age == 20;",
        "node 1: a pulse shorter than a bit", "node 1: a pulse shorter than a bit"),
    "high wire": Fault(
        "links", "assign link_out_1 = link_out[1];",
        AGE + "assign link_out_1 = link_out[1] | age > 600;",
        "node 1: a byte without a stop bit", "node 1: a byte without a stop bit"),
    "acknowledge for nothing": Fault(
        "links", "assign link_out_1 = link_out[1];",
        AGE + "assign link_out_1 = link_out[1] | age / 4 == 10;",
        "node 1: an acknowledge without an outstanding byte",
        "node 1: an acknowledge without an outstanding byte"),
    "byte too early": Fault(
        "links", "assign link_in[3] = link_in_3;",
        ECHO + "assign link_in[3] = link_in_3 | left / 4 == 8;",
        "node 3: a byte before the previous one was acknowledged",
        "node 3: a byte before the previous one was acknowledged"),
    "acknowledge lost": Fault(
        "links", "assign link_out_0 = link_out[0];",
        AGE + "assign link_out_0 = link_out[0] & age < 2330;",
        "node 0: an unacknowledged byte", None),
    "sources exchanged": Fault(
        "network", ".head({2'd3, header_3})", ".head({2'd1, header_3})",
        "node [02]: a packet of the wrong length", "node [02]: wrong data from 1"),
    "source that is another": Fault(
        "network", ".head({2'd3, header_3})", ".head({2'd0, header_3})",
        "node 0: a packet that was not sent to this node",
        "node 0: a packet of 0 that was not sent, or arrived twice"),
    "other length": Fault(
        "network", "\n    .s_axis__tdata(s_axis_tdata_2),",
        "\n    .s_axis__tdata(s_axis_tdata_2 ^ 32'h1),",
        "node [013]: a packet of the wrong length", "node [013]: wrong data from 2"),
    "bytes exchanged": Fault(
        "network", "\n    .s_axis__tdata(s_axis_tdata_2),",
        f"\n    .s_axis__tdata({EXCHANGED}),",
        "node [013]: wrong data", "node [013]: wrong data from 2"),
    "mark": Fault(
        "network", "\n    .s_axis__tuser(s_axis_tuser_2),", "\n    .s_axis__tuser(1'b1),",
        "node [013]: a nonzero status", "node [013]: a status of 1 of 2"),
    "wrong header": Fault(
        "headers", "2'd1: entry = 2'h1", "2'd1: entry = 2'h3",
        "node 3: a packet (of the wrong length|that arrived twice)",
        "node 3: (wrong data|a packet of . that was not sent, or arrived twice)"),
    "packets that are refused": Fault(
        "headers", "2'd2: exists = 1'b1", "2'd2: exists = 1'b0",
        r"refused (?!0+,)\w+, expired 0+, lost 0+, flaws 0+, .*\n.* FAIL: 9 of 12 packets",
        "refused is 0*1"),
    "message that is lost": Fault(
        "network", ".known(known_2 & ~stranger_2)",
        ".known(known_2 & ~stranger_2 & s_axis_tdest_2 != 0)",
        r"refused (?!0+,)\w+, .*\n.* FAIL: 11 of 12 packets", "refused is 0*1"),
    "terminal that is never heard": Fault(
        "links", "assign link_in[1] = link_in_1;", "assign link_in[1] = 1'b0;",
        r"FAIL: \d of 12 packets arrived, 0 faults", r"\d of 12 packets arrived"),
}
# fmt: on

FAULTS = {"credit": CREDIT, "axi-stream": AXI_STREAM, "os-link": OS_LINK}
"""By kind of terminal, and by name."""
