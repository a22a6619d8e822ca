from tests.hdl.routing.common import mismatches


def test_decides_like_golden_among_three_ways() -> None:
    cube = {"family": "grid", "sizes": [2, 2, 2]}
    assert mismatches(cube, {"algorithm": "adaptive-table"}, count=800) == []
