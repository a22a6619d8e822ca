import pickle
from collections.abc import Sequence
from typing import Annotated, Literal

import pytest

from fingerpost.golden.network.network import DeadlockError, build
from fingerpost.golden.parameters import (
    Parameter,
    ParameterError,
    check_choices,
    check_limits,
    example,
    section,
)


class Lamp:
    """Something with parameters."""

    def __init__(
        self,
        where: str,
        *,
        colour: Annotated[
            Literal["red", "green", "blue"], Parameter("Colour.", example="red")
        ] = "green",
        sizes: Annotated[Sequence[int], Parameter("Sizes.", "a list", example=[1, 2])],
        plain: Annotated[int, Parameter("Not in the example.")] = 0,
    ) -> None: ...


def test_example_is_that_of_every_parameter_that_has_one() -> None:
    assert example(Lamp) == {"colour": "red", "sizes": [1, 2]}


def test_choices_are_those_of_the_signature() -> None:
    check_choices(Lamp, "Lamp", colour="blue")
    message = r"^Lamp needs colour red, green or blue, not 'pink'$"
    with pytest.raises(ParameterError, match=message) as caught:
        check_choices(Lamp, "Lamp", colour="pink")
    assert (caught.value.key, caught.value.section) == ("colour", "")


class Wire:
    """Something with limits."""

    def __init__(
        self,
        *,
        length: Annotated[int, Parameter("Length.", minimum=2, maximum=9)] = 2,
        width: Annotated[int, Parameter("Width.", minimum=1)] = 1,
        strands: Annotated[Literal["all"] | int, Parameter("Some.", "all or a few", minimum=3)] = 3,
        age: Annotated[int, Parameter("Age.")] = 0,
    ) -> None: ...


def test_limits_are_those_of_the_signature() -> None:
    check_limits(Wire, "Wire", length=2, width=1_000_000, strands="all", age=-1)
    check_limits(Wire, "Wire", length=9, strands=3, other=0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"length": 1}, "Wire needs length in 2..9, not 1"),
        ({"age": 3, "length": 10}, "Wire needs length in 2..9, not 10"),
        ({"width": 0}, "Wire needs width of at least 1, not 0"),
        ({"strands": 2}, "Wire needs strands all or a few, not 2"),
    ],
)
def test_refuses_what_is_beyond_limits(given: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}$") as caught:
        check_limits(Wire, "Wire", **given)
    assert caught.value.key == message.split()[2]


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
