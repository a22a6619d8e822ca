// A node of the machine: a core with 64 KB of memory and a console, which reads as the cycle and the rank.
// Addresses from 0x40000000 are those of the mailbox, or of the memories of all nodes (`mapped`), which
// `box_*` leads to; `mem_*` is the memory for the mailbox's DMA, or for other nodes.
// `load` writes a word of a program into memory, while the core is reset.
module machine_node #(
  parameter FIRMWARE = ""
)(
  input clk,
  input rst,
  input [31:0] cycle,
  input [15:0] rank,
  input mapped,
  input load,
  input [13:0] load_address,
  input [31:0] load_word,
  input irq,
  output box_valid,
  output [31:0] box_addr,
  output [31:0] box_wdata,
  output [3:0] box_wstrb,
  input box_ready,
  input [31:0] box_rdata,
  input box_error,
  input mem_request,
  input [3:0] mem_wstrb,  // 0: a read
  input [13:0] mem_address,
  input [31:0] mem_wdata,
  output reg [31:0] mem_rdata,
  output reg finished,
  output reg failed,  // its program has ended with an error, in a trap, or in an access that was refused
  output [47:0] event_now
);
  localparam WORDS = 16384;
  wire valid, core_trap, trap = core_trap || box_valid && box_error;
  wire [31:0] addr, wdata;
  wire [3:0] wstrb;
  reg [31:0] memory[0:WORDS-1];
  reg [31:0] rdata;
  reg ready;
  generate
    if (FIRMWARE != "") initial $readmemh(FIRMWARE, memory);
  endgenerate

  wire in_box = addr[31:28] == 4'h4, in_console = addr[31:28] == 4'h8, here = valid && !in_box;
  assign box_valid = valid && in_box;
  assign box_addr = addr;
  assign box_wdata = wdata;
  assign box_wstrb = wstrb;

  machine_core core(
    .clk(clk), .rst(rst), .trap(core_trap), .valid(valid), .ready(in_box ? box_ready : ready),
    .addr(addr), .wdata(wdata), .wstrb(wstrb),
    .rdata(in_box ? box_rdata : in_console ? (addr[2] ? rank : cycle) : rdata)
  );

  wire [13:0] other_address = load ? load_address : mem_address;
  integer i;
  always @(posedge clk) begin
    ready <= here && !ready && !rst;
    rdata <= memory[addr[15:2]];
    if (here && !ready && !in_console)
      for (i = 0; i < 4; i = i + 1)
        if (wstrb[i]) memory[addr[15:2]][8*i +: 8] <= wdata[8*i +: 8];
    mem_rdata <= memory[other_address];
    for (i = 0; i < 4; i = i + 1)
      if (load || mem_request && mem_wstrb[i])
        memory[other_address][8*i +: 8] <= load ? load_word[8*i +: 8] : mem_wdata[8*i +: 8];
  end

  // What happens in a cycle, `Event` of simulation.py. An access to memory is a packet of one word.
  wire box_done = box_valid && box_ready, of_class = !mapped && addr[11:6] != 0;
  wire [5:0] offset = addr[5:0];
  wire console = here && !ready && in_console && wstrb != 0;
  wire begins = box_done && (mapped || of_class && wstrb != 0 && offset == 6'h00);
  wire moves = box_done && (mapped || of_class && (offset == 6'h04 || offset == 6'h0c));
  wire exits = console && addr[3:2] == 3;
  reg was_irq;
  assign event_now = {
    box_valid && mapped ? {20'h10, addr[27:16]} : wdata, addr[11:2], trap && !finished, irq && !was_irq, mem_request, moves, begins, console
  };
  always @(posedge clk) begin
    was_irq <= irq && !rst;
    if (rst) begin
      finished <= 0;
      failed <= 0;
    end else begin
      if (exits || trap) finished <= 1;
      if (exits && wdata != 0 || trap) failed <= 1;
    end
  end
endmodule

// From the core's bus to AXI4-Lite, by the core's own adapter. Mailboxes have fewer bits of addresses, and
// no protection.
module machine_axi_lite(
  input clk,
  input rst,
  input box_valid,
  input [31:0] box_addr,
  input [31:0] box_wdata,
  input [3:0] box_wstrb,
  output box_ready,
  output [31:0] box_rdata,
  output box_error,
  output [31:0] awaddr,
  output [2:0] awprot,
  output awvalid,
  input awready,
  output [31:0] wdata,
  output [3:0] wstrb,
  output wvalid,
  input wready,
  input [1:0] bresp,
  input bvalid,
  output bready,
  output [31:0] araddr,
  output [2:0] arprot,
  output arvalid,
  input arready,
  input [31:0] rdata,
  input [1:0] rresp,
  input rvalid,
  output rready
);
  assign box_error = bvalid && bresp != 0 || rvalid && rresp != 0;
  picorv32_axi_adapter adapter(
    .clk(clk), .resetn(!rst),
    .mem_axi_awvalid(awvalid), .mem_axi_awready(awready), .mem_axi_awaddr(awaddr),
    .mem_axi_awprot(awprot), .mem_axi_wvalid(wvalid), .mem_axi_wready(wready), .mem_axi_wdata(wdata),
    .mem_axi_wstrb(wstrb), .mem_axi_bvalid(bvalid), .mem_axi_bready(bready),
    .mem_axi_arvalid(arvalid), .mem_axi_arready(arready), .mem_axi_araddr(araddr),
    .mem_axi_arprot(arprot), .mem_axi_rvalid(rvalid), .mem_axi_rready(rready), .mem_axi_rdata(rdata),
    .mem_valid(box_valid), .mem_instr(1'b0), .mem_ready(box_ready), .mem_addr(box_addr),
    .mem_wdata(box_wdata), .mem_wstrb(box_wstrb), .mem_rdata(box_rdata)
  );
endmodule

// From the core's bus to Wishbone.
module machine_wishbone(
  input clk,
  input rst,
  input box_valid,
  input [31:0] box_addr,
  input [31:0] box_wdata,
  input [3:0] box_wstrb,
  output box_ready,
  output [31:0] box_rdata,
  output box_error,
  output [31:0] adr,
  output [31:0] dat_w,
  input [31:0] dat_r,
  output [3:0] sel,
  output we,
  output cyc,
  output stb,
  input ack,
  input err
);
  assign cyc = box_valid;
  assign stb = box_valid;
  assign we = box_wstrb != 0;
  assign adr = box_addr;
  assign dat_w = box_wdata;
  assign sel = we ? box_wstrb : 4'hf;
  assign box_rdata = dat_r;
  assign box_ready = ack || err;
  assign box_error = err;
endmodule

// A node's memory as a subordinate of AXI4-Lite: one access at a time, writes first.
module machine_memory(
  input clk,
  input rst,
  input [31:0] awaddr,
  input [2:0] awprot,
  input awvalid,
  output awready,
  input [31:0] wdata,
  input [3:0] wstrb,
  input wvalid,
  output wready,
  output [1:0] bresp,
  output reg bvalid,
  input bready,
  input [31:0] araddr,
  input [2:0] arprot,
  input arvalid,
  output arready,
  output [31:0] rdata,
  output [1:0] rresp,
  output reg rvalid,
  input rready,
  output mem_request,
  output [3:0] mem_wstrb,
  output [13:0] mem_address,
  output [31:0] mem_wdata,
  input [31:0] mem_rdata  // in the next cycle
);
  wire writes = awvalid && wvalid && !bvalid, reads = arvalid && !rvalid && !writes;
  reg first;
  reg [31:0] held;
  assign awready = writes;
  assign wready = writes;
  assign arready = reads;
  assign bresp = 2'd0;
  assign rresp = 2'd0;
  assign rdata = first ? mem_rdata : held;
  assign mem_request = writes || reads;
  assign mem_wstrb = writes ? wstrb : 4'd0;
  assign mem_address = writes ? awaddr[15:2] : araddr[15:2];
  assign mem_wdata = wdata;
  always @(posedge clk) begin
    first <= reads;
    if (first) held <= mem_rdata;
    bvalid <= !rst && (writes || bvalid && !bready);
    rvalid <= !rst && (reads || rvalid && !rready);
  end
endmodule
