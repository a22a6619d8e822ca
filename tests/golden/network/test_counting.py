from typing import Any

import pytest

from fingerpost.golden.network.network import build
from fingerpost.golden.parameters import ParameterError
from tests.networks import load

SQUARE: dict[str, Any] = {
    "name": "square",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "dimension-order"},
}


def test_counters_are_off_unless_asked_for() -> None:
    assert build(SQUARE).counters is None
    network = build(SQUARE | {"counters": {"kind": "axi-lite"}})
    assert network.counters is not None
    assert network.counters.describe() == {"kind": "axi-lite", "of": "ports"}


def test_needs_one_clock() -> None:
    links = load("borel-21-os-link").description
    message = "^Counters need one clock for all nodes, as with link: {kind: flit}, not a clock of "
    with pytest.raises(ParameterError, match=message) as caught:
        build({**links, "counters": {"kind": "axi-lite"}})
    assert (caught.value.section, caught.value.key) == ("counters", "kind")
