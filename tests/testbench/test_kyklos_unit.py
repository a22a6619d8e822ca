from pathlib import Path

import pytest

from fingerpost.golden.network.network import build
from fingerpost.testbench.benches.unit import UnitBench
from fingerpost.testbench.cosim import run
from fingerpost.testbench.toolchain import SIMULATORS

ALGORITHMS = ("m", "h2", "p2", "modified-p2", "y2")


def check(
    m: int, r: int, n: int, algorithm: str, simulator: str, folder: Path, *, variant: str
) -> None:
    """Ask every leaf about all leaves, and all nodes about what passes them."""
    network = build(
        {
            "name": "kyklos",
            "topology": {"family": "kyklos", "m": m, "r": r, "n": n, "variant": variant},
            "routing": {"algorithm": algorithm},
        }
    )
    result = run(UnitBench(network), simulator=simulator, directory=folder)
    assert (result.mismatches, result.message) == (0, "")
    assert result.count > m ** (2 * n)


@pytest.mark.regress
@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_all_decisions(algorithm: str, simulator: str, tmp_path: Path) -> None:
    check(2, 2, 4, algorithm, simulator, tmp_path, variant="proposed")


@pytest.mark.verilator
@pytest.mark.regress
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("parameters", [(2, 2, 6), (2, 3, 6), (2, 4, 8), (3, 2, 4)])
def test_all_decisions_of_larger_networks(
    parameters: tuple[int, int, int], algorithm: str, tmp_path: Path
) -> None:
    if algorithm != "y2" or parameters[0] == 2:
        check(*parameters, algorithm, "verilator", tmp_path, variant="proposed")


@pytest.mark.regress
@pytest.mark.parametrize(
    ("variant", "algorithm"), [("original", "y2"), ("original", "p2"), ("I", "m")]
)
def test_all_decisions_of_other_variants(variant: str, algorithm: str, tmp_path: Path) -> None:
    check(2, 2, 4, algorithm, "icarus", tmp_path, variant=variant)
