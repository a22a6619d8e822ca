"""What memories tell the tools that map them."""

NO_RW_CHECK = {"no_rw_check": "1"}
"""Of a memory: what is read from a row in the cycle in which it is written is not used. So a tool
adds no bypass logic."""
