"""Programs that answer requests: one message class locks, two do not."""

from typing import Any

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.golden.service.request_reply import request_reply

MESH: dict[str, Any] = {
    "name": "mesh-2x2",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
}
BOREL: dict[str, Any] = {
    "name": "borel-21",
    "topology": {"family": "borel", "p": 7, "a": 2, "A": [0, 1], "B": [1, 1]},
    "routing": {"algorithm": "two-phase"},
}


def network(description: dict[str, Any], classes: int) -> Network:
    return build(description | {"router": {"classes": classes}})


@pytest.mark.parametrize(("description", "requests"), [(MESH, 20), (MESH, 200), (BOREL, 20)])
def test_one_class_locks_and_two_do_not(description: dict[str, Any], requests: int) -> None:
    one, two = (request_reply(network(description, classes), requests) for classes in (1, 2))
    assert one.locked
    assert two.replies == two.wanted > 0


@pytest.mark.regress
def test_two_classes_do_not_lock_however_many_requests_there_are() -> None:
    assert not request_reply(network(BOREL, 2), 200).locked


def test_few_requests_fit_into_the_buffers_of_one_class() -> None:
    found = request_reply(network(MESH, 1), 5)
    assert not found.locked
    assert found.wanted == 4 * 3 * 5


def test_refuses_more_classes_than_it_knows() -> None:
    with pytest.raises(ValueError, match=r"^Request-reply needs one or two classes, not 3$"):
        request_reply(network(MESH, 3), 1)
