"""What is proven of generated hardware, and the networks of which `make formal` proves it."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from fingerpost.formal import deflection_network, network
from fingerpost.formal.gates import Finding
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork, build_any

__all__ = ["SHIPPED", "findings", "run_shipped"]

SHIPPED = "borel-21", "kautz-2-4", "borel-21-deflection", "borel-21-axi-deflection"
"""Files in networks/."""

NETWORKS = Path(__file__).parents[1] / "networks"

Found = tuple[str, Finding, float]
"""The network, what was found of it, and the seconds; few if verdicts were cached."""


def findings(some: AnyNetwork, progress: Callable[[str], None]) -> Iterator[Finding]:
    """Return what is found; `progress` is called with what is looked at.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    if isinstance(some, DeflectionNetwork):
        return deflection_network.findings(some, progress)
    return network.findings(some, progress)


def run_shipped(progress: Callable[[str], None], *, workers: int = 2) -> Iterator[Found]:
    """Prove the hardware of these networks, some at a time, and yield what is found in their order.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """

    def prove(name: str) -> list[Found]:
        made = build_any(yaml.safe_load((NETWORKS / f"{name}.yaml").read_text(encoding="utf-8")))
        found, began = list[Found](), time.monotonic()
        for finding in findings(made, lambda told: progress(f"{name}: {told}")):
            found.append((name, finding, time.monotonic() - began))
            progress(f"{name}, {finding.component}: {finding.claim}: {_said(finding)}")
            began = time.monotonic()
        return found

    with ThreadPoolExecutor(workers) as pool:
        for found in pool.map(prove, SHIPPED):
            yield from found


def _said(finding: Finding) -> str:
    """Return the verdict, with what is broken or why nothing was decided."""
    return " ".join([finding.verdict, *finding.broken, finding.reason]).strip()
