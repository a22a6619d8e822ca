"""The part of a network file that follows from a class of golden."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from pydantic import ValidationError

from fingerpost.golden.parameters import Parameter
from fingerpost.netfile.derived import Needs, Part, chosen, derived


class Mesh:
    """A mesh of any sizes.

    Not this line.
    """

    def __init__(
        self,
        other: object,
        *,
        sizes: Annotated[Sequence[int], Parameter("Sizes.", "a list of sizes", example=[8, 8])],
        pair: Annotated[tuple[int, int], Parameter("Two.", "two numbers")],
        most: Annotated[int, Parameter("The most.", minimum=3, maximum=9)] = 5,
        least: Annotated[int, Parameter("The least.", minimum=1)] = 1,
        any_number: Annotated[int, Parameter("Any.")] = 0,
        wrap: Annotated[bool | Sequence[bool], Parameter("Wrap.", "true, false or a list")] = False,
        kind: Annotated[Literal["a", "b", "c"], Parameter("The kind.")] = "a",
        flat: Annotated[bool, Parameter("Whether it is flat.")] = True,
    ) -> None: ...


@pytest.fixture
def mesh() -> type[Part]:
    return chosen(Mesh, "family", "flat-mesh", "Topology", "The family.")


def test_keys_are_the_keyword_parameters(mesh: type[Part]) -> None:
    given = {"family": "flat-mesh", "sizes": [3, 4], "pair": [1, 2]}
    assert mesh.model_validate(given).model_dump() == {
        **given, "pair": (1, 2), "most": 5, "least": 1, "any_number": 0, "wrap": False,
        "kind": "a", "flat": True,
    }  # fmt: skip
    assert mesh.model_validate({**given, "wrap": [True, False]}).model_dump()["wrap"] == [
        True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        {"sizes": [3, "4"]}, {"sizes": [3, True]}, {"sizes": "34"}, {"pair": [1]}, {"kind": "d"},
        {"pair": [1, True]}, {"wrap": 1}, {"flat": 0}, {"most": 5.0}, {"other": 1},
        {"family": "mesh"},
    ],
)  # fmt: skip
def test_types_are_strict(mesh: type[Part], wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        mesh.model_validate({"family": "flat-mesh", "sizes": [3, 4], "pair": [1, 2], **wrong})


def test_what_keys_need_follows_from_types_and_limits(mesh: type[Part]) -> None:
    needs = {
        key: next(x for x in field.metadata if isinstance(x, Needs))
        for key, field in mesh.model_fields.items()
        if key != "family"
    }
    assert {key: need.text for key, need in needs.items()} == {
        "sizes": "a list of sizes",
        "pair": "two numbers",
        "most": "a whole number in 3..9",
        "least": "a whole number of at least 1",
        "any_number": "a whole number",
        "wrap": "true, false or a list",
        "kind": "a, b or c",
        "flat": "true or false",
    }
    assert needs["sizes"].item == needs["pair"].item == "a whole number"
    assert needs["wrap"].item == "true or false"


def test_schema_has_the_texts_and_the_limits(mesh: type[Part]) -> None:
    schema = mesh.model_json_schema()
    assert schema["title"] == "FlatMeshTopology"
    assert (
        schema["description"] == "The part of a network file that follows from a class of golden."
    )
    assert schema["required"] == ["family", "sizes", "pair"]
    assert schema["properties"]["family"]["const"] == "flat-mesh"
    most = schema["properties"]["most"]
    assert (most["minimum"], most["maximum"], most["default"]) == (3, 9, 5)
    assert most["description"] == "The most."
    assert "maximum" not in schema["properties"]["least"]
    assert schema["properties"]["sizes"]["examples"] == [[8, 8]]
    assert schema["properties"]["kind"]["enum"] == ["a", "b", "c"]


@dataclass(frozen=True)
class Wire:
    """A wire."""

    length: Annotated[int, Parameter("The length.", minimum=1)]
    twist: Annotated[Literal["left", "right"], Parameter("The twist.")] = "left"


@dataclass(frozen=True)
class Cable(Wire):
    """A cable whose colour is defined elsewhere."""

    colour: str = field(default="red", init=False)


def test_keys_are_all_parameters_of_a_dataclass() -> None:
    cable = chosen(Cable, "kind", "cable-link", "Link", "The kind.")
    assert cable.__name__ == "CableLink"
    given = {"kind": "cable-link", "length": 3}
    assert cable.model_validate(given).model_dump() == {**given, "twist": "left"}
    for wrong in ({"length": "3"}, {"twist": "up"}, {"colour": "red"}, {"kind": "cable"}):
        with pytest.raises(ValidationError):
            cable.model_validate({**given, **wrong})


def test_keys_may_stand_for_a_class_without_a_chooser() -> None:
    wire = derived(Wire, "Wire")
    assert wire.model_validate({"length": 3}).model_dump() == {"length": 3, "twist": "left"}
    assert wire.model_json_schema()["required"] == ["length"]


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
        chosen(kind, "family", "x", "Topology", "The family.")
