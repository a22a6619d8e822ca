"""Benches that are run: hardware and model agree."""

from pathlib import Path

from fingerpost.testbench.benches.bench import Bench
from fingerpost.testbench.cosim import Result, run


def agree(bench: Bench, folder: Path, simulator: str = "icarus") -> Result:
    """Run a bench, and assert that nothing differs."""
    result = run(bench, simulator=simulator, directory=folder)
    assert (result.mismatches, result.message) == (0, ""), result.message
    return result
