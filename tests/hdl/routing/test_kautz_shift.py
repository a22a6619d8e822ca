import pytest

from tests.hdl.routing.common import mismatches


@pytest.mark.parametrize(
    ("d", "D"), [(2, 1), (2, 4), (3, 3), pytest.param(9, 2, marks=pytest.mark.regress)]
)
def test_decides_like_golden(d: int, D: int) -> None:
    topology = {"family": "kautz", "degree": d, "diameter": D}
    assert mismatches(topology, {"algorithm": "shift"}) == []
