import pytest

from tests.hdl.routing.common import mismatches


@pytest.mark.parametrize("link", ["min", "first"])
@pytest.mark.parametrize("nodes", [2, 3, 4, 5, 6, 7, 10, 13, 23, 24, 25, 26, 49, 119])
def test_decides_like_golden(nodes: int, link: str) -> None:
    topology = {"family": "super-rotator", "nodes": nodes}
    assert mismatches(topology, {"algorithm": "class", "link": link}) == []
