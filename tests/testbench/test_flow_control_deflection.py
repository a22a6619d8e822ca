"""AXI4-Stream over deflection routers: in lock-step with the model, and with drivers of others."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.network.deflection import DeflectionNetwork, build_deflection
from fingerpost.testbench.benches import make
from fingerpost.testbench.benches.network import AxiStreamBench
from tests.golden.deflection.examples import deflection
from tests.testbench.agreement import clean
from tests.testbench.faults.networks import SMALL_FLOW


def streams(name: str, router: dict[str, Any] | None = None, **terminal: Any) -> DeflectionNetwork:
    """Return a network of `deflection` with small windows."""
    plain = deflection(name, **(router or {})).description
    return build_deflection({**plain, "terminal": SMALL_FLOW | terminal})


BUSY = {"load": 0.5, "lengths": (1, 7), "malformed": 0.2}

CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "uneven": ("uneven", {"table": "ram", "hop_cycles": 3, "wait_limit": 4}, {"eager": 3}, BUSY),
    "hot spot": ("kautz", {}, {}, BUSY | {"traffic": "hotspot:nodes=0,share=1", "stall": 0.6}),
    "interior nodes": ("kyklos", {}, {"receive": 20}, BUSY | {"stall": 0.0}),
    # Receivers of 20 peers need some 700 cycles after the reset to clear their memories.
    "borel": (
        "borel",
        {},
        {"eager": 16, "packet_limit": 16, "receive": 16},
        BUSY | {"load": 1.0, "cycles": 1000},
    ),
}


@pytest.mark.regress
@pytest.mark.parametrize(
    ("case", "simulator"),
    [
        ("uneven", "icarus"),
        *((c, "icarus") for c in [*CASES][1:]),
        ("uneven", "verilator"),
    ],
)
def test_lock_step(case: str, simulator: str, tmp_path: Path) -> None:
    name, router, terminal, stimulus = CASES[case]
    bench = make(
        streams(name, router, **terminal), "network", seed=2, **{"cycles": 150, **stimulus}
    )
    clean(bench, tmp_path, simulator)


@pytest.mark.regress
def test_drivers_of_others(tmp_path: Path) -> None:
    """All pairs exchange packets of up to 5 beats, by drivers that know nothing of the model."""
    bench: Any = AxiStreamBench
    result = clean(bench(streams("uneven")), tmp_path)
    assert result.details["expired"] == 0
