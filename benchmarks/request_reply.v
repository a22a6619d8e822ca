// Request-reply software with bounded memory, as an AXI4-Stream network sees it.
//
// It sends `requests` requests to each other member, in turn, and gets as many replies. It has one
// receive buffer: while that holds a request whose reply is not sent, it reads nothing. A packet
// that has begun is finished, then a reply goes before the next request. What is no member always
// sends to `partner`, and always reads.
module request_reply #(parameter NODES = 4, NUMBER = 2, ME = 0) (
  input clk, input rst,
  input [NODES-1:0] members,
  input [31:0] requests,
  input [31:0] beats,  // of each packet
  input [31:0] limit,  // requests to each other that may wait for replies; 0: any number
  input [NUMBER-1:0] partner,
  output s_tvalid, input s_tready, output [31:0] s_tdata, output s_tlast,
  output [NUMBER-1:0] s_tdest,
  input m_tvalid, output m_tready, input [31:0] m_tdata, input m_tlast, input [NUMBER:0] m_tuser,
  output came,     // a reply, in this cycle
  output done,
  output reg wrong
);
  wire member = members[ME];
  reg [NUMBER-1:0] to;       // of the next request
  reg [31:0] left, waiting;  // rounds of requests; requests that wait for replies
  reg [31:0] open [0:NODES-1];  // the same, by member
  reg [31:0] beat, first, asked;
  reg inside, full, sending, sends_reply;
  integer i;

  // The first beat of a packet: it is a reply, number, who replies, who asks.
  wire [31:0] request = {1'b0, left[16:0], {7 - NUMBER{1'b0}}, to, ME[6:0]};
  wire [31:0] head = inside ? first : m_tdata;
  wire [NUMBER-1:0] source = m_tuser[NUMBER:1];
  wire [6:0] other = {{7 - NUMBER{1'b0}}, source};
  wire [13:0] due = head[31] ? {other, ME[6:0]} : {ME[6:0], other};
  wire ends = m_tvalid & m_tready & m_tlast & member;
  wire sent = sending & s_tready & s_tlast;
  wire asks = sent & ~sends_reply;

  assign m_tready = ~full;
  assign s_tvalid = sending | ~member;
  assign s_tdata = sends_reply ? asked | 32'h80000000 : request;
  assign s_tlast = beat == beats - 1;
  assign s_tdest = member ? (sends_reply ? asked[NUMBER-1:0] : to) : partner;
  assign came = ends & head[31];
  assign done = left == 0 && waiting == 0 && !full;

  always @(posedge clk) if (rst) begin
    {inside, full, sending, sends_reply, wrong} <= 0;
    {beat, first, asked, waiting} <= 0;
    to <= ME == NODES - 1 ? 0 : ME + 1;
    left <= member ? requests : 0;
    for (i = 0; i < NODES; i = i + 1) open[i] <= 0;
  end else begin
    if (m_tvalid & m_tready) begin
      inside <= ~m_tlast;
      if (~inside) first <= m_tdata;
    end
    if (ends & ~head[31]) begin
      full <= 1;
      asked <= head;
    end
    if (ends && (m_tuser[0] || head[13:0] != due)) wrong <= 1;
    waiting <= waiting + asks - came;
    for (i = 0; i < NODES; i = i + 1)
      open[i] <= open[i] + (asks && to == i) - (came && source == i);

    if (s_tvalid & s_tready) beat <= s_tlast ? 0 : beat + 1;
    if (sent) sending <= 0;
    if (sent & sends_reply) full <= 0;
    if (~sending & full) begin
      sending <= 1;
      sends_reply <= 1;
    end else if (~sending & left != 0) begin
      if (!members[to] || to == ME) begin
        to <= to == NODES - 1 ? 0 : to + 1;
        if (to == ME) left <= left - 1;
      end else if (limit == 0 || open[to] < limit) begin
        sending <= 1;
        sends_reply <= 0;
      end
    end
    if (asks) to <= to == NODES - 1 ? 0 : to + 1;
  end
endmodule
