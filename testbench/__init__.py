"""Co-simulation: cocotb benches, and the runner that builds and runs them."""
