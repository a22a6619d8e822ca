"""Parts of network files that follow from classes of golden; refusals and schema test the rest."""

from typing import Annotated

import pytest

from fingerpost.golden.parameters import Parameter
from fingerpost.netfile.schema import derived


class Silent:
    """Does not say what its parameter is."""

    def __init__(self, *, n: int) -> None: ...


class Vague:
    """Does not say what its list needs."""

    def __init__(self, *, n: Annotated[list[int], Parameter("Some.")]) -> None: ...


@pytest.mark.parametrize("kind", [Silent, Vague])
def test_a_parameter_must_say_what_it_is(kind: type) -> None:
    wanted = "fingerpost.golden.parameters.Parameter"
    message = rf"^{kind.__name__} needs its parameter n Annotated with a {wanted}"
    with pytest.raises(TypeError, match=message):
        derived(kind, "Topology")
