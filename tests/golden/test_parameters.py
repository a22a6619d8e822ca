import pickle

import pytest

from fingerpost.golden.network.network import DeadlockError, build
from fingerpost.golden.parameters import ParameterError, section


def test_section_is_that_of_the_innermost() -> None:
    with pytest.raises(ParameterError) as caught, section("topology"), section("routing"):
        raise ParameterError("n", "Lamp needs an n")
    assert (caught.value.key, caught.value.section) == ("n", "routing")
    with pytest.raises(ParameterError) as caught, section("topology"):
        raise ParameterError("n", "Lamp needs an n", section="router")
    assert caught.value.section == "router"


def test_errors_of_workers_are_those_of_the_command() -> None:
    """Also of a class that is made from something else than key and message."""
    cyclic = {"family": "grid", "sizes": [5], "wrap": [True]}
    for kind, what in (
        (ParameterError, {"topology": {**STAR, "n": 2}}),
        (DeadlockError, {"topology": cyclic, "routing": {"algorithm": "dimension-order"}}),
    ):
        with pytest.raises(kind) as caught:
            build({"name": "x", "routing": GREEDY, "router": {"virtual_channels": 1}, **what})
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again)) == (kind, str(caught.value))
        assert vars(again) == vars(caught.value)


STAR = {"family": "star", "n": 3}
GREEDY = {"algorithm": "greedy"}
