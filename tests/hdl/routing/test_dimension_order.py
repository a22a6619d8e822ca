from typing import Any

import pytest

from tests.hdl.routing.common import mismatches


@pytest.mark.parametrize(
    ("sizes", "wrap"),
    [
        ([7], False),
        ([8], True),
        ([5, 6], False),
        ([5, 6], True),
        ([2, 2, 2, 2], False),
        ([3, 2, 4], [True, False, False]),
    ],
)
def test_decides_like_golden(sizes: list[int], wrap: Any) -> None:
    topology = {"family": "grid", "sizes": sizes, "wrap": wrap}
    assert mismatches(topology, {"algorithm": "dimension-order"}) == []
