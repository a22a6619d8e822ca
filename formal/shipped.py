"""Networks whose generated hardware `make formal` proves, besides the components."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from fingerpost.formal import deflection_network, network
from fingerpost.formal.finding import Finding
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import build_any

__all__ = ["SHIPPED", "run_shipped"]

SHIPPED = "borel-21", "kautz-2-4", "borel-21-deflection", "borel-21-axi-deflection"
"""Files in networks/."""

NETWORKS = Path(__file__).parents[1] / "networks"


def run_shipped(*, workers: int = 2) -> Iterator[tuple[str, Finding, float]]:
    """Prove the hardware of these networks, some at a time; yield name, finding and seconds.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    with ThreadPoolExecutor(workers) as pool:
        for found in pool.map(_found, SHIPPED):
            yield from found


def _found(name: str) -> list[tuple[str, Finding, float]]:
    made = build_any(yaml.safe_load((NETWORKS / f"{name}.yaml").read_text(encoding="utf-8")))
    if isinstance(made, DeflectionNetwork):
        findings = deflection_network.findings(made, _quiet)
    else:
        findings = network.findings(made, _quiet)
    found, began = list[tuple[str, Finding, float]](), time.monotonic()
    for finding in findings:
        found.append((name, finding, time.monotonic() - began))
        began = time.monotonic()
    return found


def _quiet(told: str) -> None:
    """Take what is told of progress; each network is told of when it is done."""
