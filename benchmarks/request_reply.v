// Request-reply software with bounded memory, as an AXI4-Stream network sees it.
//
// It sends `requests` requests to each other member, in turn, and gets as many replies. It has one
// receive buffer: while that holds a request whose reply is not sent, it reads nothing; with two
// message classes it still reads replies, which are of class 1. With one class, or if it is
// `serial`, it sends one packet at a time: a packet that has begun is finished, then a reply goes
// before the next request. Otherwise a reply does not wait for a request. What is no member always
// sends to `partner` in class 0, and always reads.
module request_reply #(parameter NODES = 4, NUMBER = 2, ME = 0, CLASSES = 1) (
  input clk, input rst,
  input [NODES-1:0] members,
  input [31:0] requests,
  input [31:0] beats,  // of each packet
  input [31:0] limit,  // requests to each other that may wait for replies; 0: any number
  input serial,
  input [NUMBER-1:0] partner,
  output [CLASSES-1:0] s_tvalid, input [CLASSES-1:0] s_tready, output [32*CLASSES-1:0] s_tdata,
  output [CLASSES-1:0] s_tlast, output [NUMBER*CLASSES-1:0] s_tdest,
  input [CLASSES-1:0] m_tvalid, output [CLASSES-1:0] m_tready, input [32*CLASSES-1:0] m_tdata,
  input [CLASSES-1:0] m_tlast, input [(NUMBER+1)*CLASSES-1:0] m_tuser,
  output came,     // a reply, in this cycle
  output done,
  output reg wrong
);
  wire member = members[ME];
  reg [NUMBER-1:0] to;       // of the next request
  reg [31:0] left, waiting;  // rounds of requests; requests that wait for replies
  reg [31:0] open [0:NODES-1];  // the same, by member
  reg [31:0] asked, request_beat, reply_beat;
  reg full, requesting, replying;
  integer i;

  // The first beat of a packet: whether it is a reply, number, server, client.
  wire [31:0] request = {1'b0, left[16:0], {7 - NUMBER{1'b0}}, to, ME[6:0]};
  wire [31:0] heads [0:CLASSES-1];
  wire [NUMBER-1:0] sources [0:CLASSES-1];
  wire [CLASSES-1:0] requested, replied, misplaced;
  genvar c;
  generate for (c = 0; c < CLASSES; c = c + 1) begin : receiver
    reg in_packet;
    reg [31:0] first;
    wire [31:0] head = in_packet ? first : m_tdata[32 * c +: 32];
    wire [NUMBER:0] user = m_tuser[(NUMBER + 1) * c +: NUMBER + 1];
    wire [6:0] other = {{7 - NUMBER{1'b0}}, user[NUMBER:1]};
    wire [13:0] due = head[31] ? {other, ME[6:0]} : {ME[6:0], other};
    wire beat_taken = m_tvalid[c] & m_tready[c];
    wire ends = beat_taken & m_tlast[c] & member;
    wire kind = CLASSES == 1 ? head[31] : c != 0;  // whether a reply belongs here
    assign m_tready[c] = c != 0 | ~full;
    assign heads[c] = head;
    assign sources[c] = user[NUMBER:1];
    assign requested[c] = ends & ~head[31];
    assign replied[c] = ends & head[31];
    assign misplaced[c] = ends & (user[0] | head[13:0] != due | head[31] != kind);
    always @(posedge clk) if (rst) begin
      in_packet <= 0;
      first <= 0;
    end else if (beat_taken) begin
      in_packet <= ~m_tlast[c];
      if (~in_packet) first <= m_tdata[32 * c +: 32];
    end
  end endgenerate

  wire single = CLASSES == 1 | serial;
  wire offers = requesting | ~member;
  wire request_last = request_beat == beats - 1, reply_last = reply_beat == beats - 1;
  wire request_moves = offers & s_tready[0], reply_moves = replying & s_tready[CLASSES-1];
  wire asks = requesting & request_moves & request_last;
  wire answers = reply_moves & reply_last;
  wire [NUMBER-1:0] goal = member ? to : partner;
  wire [31:0] reply = asked | 32'h80000000;
  generate if (CLASSES == 1) begin : one
    assign s_tvalid = offers | replying;
    assign s_tdata = replying ? reply : request;
    assign s_tlast = replying ? reply_last : request_last;
    assign s_tdest = replying ? asked[NUMBER-1:0] : goal;
  end else begin : two
    assign s_tvalid = {replying, offers};
    assign s_tdata = {reply, request};
    assign s_tlast = {reply_last, request_last};
    assign s_tdest = {asked[NUMBER-1:0], goal};
  end endgenerate
  assign came = |replied;
  assign done = left == 0 && waiting == 0 && !full;

  always @(posedge clk) if (rst) begin
    {full, requesting, replying, wrong} <= 0;
    {request_beat, reply_beat, asked, waiting} <= 0;
    to <= ME == NODES - 1 ? 0 : ME + 1;
    left <= member ? requests : 0;
    for (i = 0; i < NODES; i = i + 1) open[i] <= 0;
  end else begin
    if (requested[0]) begin
      full <= 1;
      asked <= heads[0];
    end
    if (|misplaced) wrong <= 1;
    waiting <= waiting + asks - came;
    for (i = 0; i < NODES; i = i + 1)
      open[i] <= open[i] + (asks && to == i) - (came && sources[CLASSES - 1] == i);

    if (request_moves) request_beat <= request_last ? 0 : request_beat + 1;
    if (reply_moves) reply_beat <= reply_last ? 0 : reply_beat + 1;
    if (asks) requesting <= 0;
    if (answers) {replying, full} <= 0;
    if (full & ~replying & ~(single & requesting)) replying <= 1;
    if (~requesting & left != 0 & ~(single & (full | replying))) begin
      if (!members[to] || to == ME) begin
        to <= to == NODES - 1 ? 0 : to + 1;
        if (to == ME) left <= left - 1;
      end else if (limit == 0 || open[to] < limit) requesting <= 1;
    end
    if (asks) to <= to == NODES - 1 ? 0 : to + 1;
  end
endmodule
