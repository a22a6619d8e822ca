import pytest

from fingerpost.golden.network.network import routed
from fingerpost.hdl.routing import header_generator
from tests.hdl.routing.common import mismatches

ALGORITHMS = ("m", "h2", "p2", "modified-p2", "y2")
NETWORKS = [
    *((2, 1, 4), (2, 3, 6)),
    *(
        pytest.param(x, marks=pytest.mark.regress)
        for x in ((2, 2, 2), (2, 2, 4), (2, 2, 6), (2, 3, 3), (2, 4, 8))
    ),
]


def kyklos(m: int, r: int, n: int, variant: str = "proposed") -> dict[str, object]:
    return {"family": "kyklos", "m": m, "r": r, "n": n, "variant": variant}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("parameters", NETWORKS)
def test_decides_like_golden(parameters: tuple[int, int, int], algorithm: str) -> None:
    assert mismatches(kyklos(*parameters), {"algorithm": algorithm}) == []


@pytest.mark.parametrize("algorithm", ALGORITHMS[:-1])
@pytest.mark.parametrize(
    "parameters",
    [
        (3, 2, 4),
        *(pytest.param(x, marks=pytest.mark.regress) for x in ((3, 3, 3), (4, 2, 2), (5, 1, 2))),
    ],
)
def test_decides_like_golden_with_more_children(
    parameters: tuple[int, int, int], algorithm: str
) -> None:
    assert mismatches(kyklos(*parameters), {"algorithm": algorithm}) == []


@pytest.mark.parametrize(
    ("variant", "algorithm"),
    [
        *(("original", algorithm) for algorithm in ALGORITHMS),
        *(("I", algorithm) for algorithm in ("m", "p2", "modified-p2")),
    ],
)
def test_decides_like_golden_in_other_variants(variant: str, algorithm: str) -> None:
    assert mismatches(kyklos(2, 2, 6, variant), {"algorithm": algorithm}) == []


@pytest.mark.parametrize("algorithm", ["p2", "modified-p2"])
def test_refuses_a_rom_that_is_too_large(algorithm: str) -> None:
    network = routed(
        {"name": "long", "topology": kyklos(2, 1, 17), "routing": {"algorithm": algorithm}}
    )
    message = f"^Routing by {algorithm} needs n <= 16 in hardware, not 17$"
    with pytest.raises(ValueError, match=message):
        header_generator(network.routing)
