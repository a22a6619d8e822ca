"""`fingerpost board`: a network on an FPGA board, with traffic that exercises it."""
