"""Benches that are run: hardware and model agree."""

from pathlib import Path

from fingerpost.testbench.benches.bench import Bench
from fingerpost.testbench.cosim import Result, run

__all__ = ["agree", "deliver"]


def agree(bench: Bench, folder: Path, simulator: str = "icarus") -> Result:
    """Run a bench, and assert that nothing differs."""
    result = run(bench, simulator=simulator, directory=folder)
    assert (result.mismatches, result.message) == (0, ""), result.message
    return result


def deliver(
    bench: Bench, folder: Path, simulator: str = "icarus", *, more_than: int = 20
) -> Result:
    """Assert, too, that all packets arrive, and that they are enough to show something."""
    result = agree(bench, folder, simulator)
    assert result.details["delivered"] == result.details["packets"] > more_than
    return result
