"""Planted faults: each bench must be seen to fail. They stand in a file for each part of hdl/."""
