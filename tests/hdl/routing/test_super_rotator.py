import pytest
from amaranth import Module, Signal

from hdl.routing.super_rotator import at_least
from tests.hdl.routing.common import mismatches
from tests.hdl.test_logic import evaluate


@pytest.mark.parametrize("link", ["min", "first"])
@pytest.mark.parametrize("nodes", [2, 3, 4, 5, 6, 7, 10, 13, 23, 24, 25, 26, 49, 119])
def test_decides_like_golden(nodes: int, link: str) -> None:
    topology = {"family": "super-rotator", "nodes": nodes}
    assert mismatches(topology, {"algorithm": "class", "link": link}) == []


@pytest.mark.parametrize("limit", range(19))
def test_at_least(limit: int) -> None:
    m, word = Module(), Signal(4)
    cases = [(i,) for i in range(16)]
    assert evaluate(m, at_least(word, limit), [word], cases) == [i >= limit for i in range(16)]
