"""What network files may say: parts that follow from classes of golden, and the JSON schema."""

from typing import Annotated, Any
from urllib.parse import urlsplit

import pytest

from fingerpost.golden.parameters import Parameter
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES
from fingerpost.netfile.schema import derived, json_schema
from tests.fingerpost.common import Run


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


def part(schema: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The schema of the key that these lead to, by its first alternative."""
    for key in keys:
        schema = schema["properties"][key]
        while "$ref" in schema or "oneOf" in schema:
            schema = schema["oneOf"][0] if "oneOf" in schema else definition(schema["$ref"])
    return schema


def definition(reference: str) -> dict[str, Any]:
    found: dict[str, Any] = json_schema()["$defs"][reference.removeprefix("#/$defs/")]
    return found


def choices(section: str, key: str) -> set[str]:
    return {
        definition(model["$ref"])["properties"][key]["const"]
        for model in json_schema()["properties"][section]["oneOf"]
    }


def test_schema_has_what_the_loader_checks() -> None:
    schema = json_schema()
    assert urlsplit(schema["$id"]).scheme == "urn"  # an id without a scheme would be a path
    assert schema["required"] == ["name", "topology"]
    assert schema["properties"]["name"]["pattern"] == "^[a-z][a-z0-9_-]{0,63}$"
    assert part(schema, "topology")["required"] == ["family", "p", "a", "A", "B"]
    generator = part(schema, "topology", "A")
    assert (generator["minItems"], generator["maxItems"]) == (2, 2)
    assert part(schema, "routing", "phase1")["enum"] == ["table", "computed"]
    depth = part(schema, "router", "buffer_depth")
    assert (depth["minimum"], depth["maximum"], depth["default"]) == (1, 64, 8)
    assert choices("link", "kind") == {"flit", "os-link"}
    assert {"BorelTopology", "OsLink", "ClassRouting"} <= {*schema["$defs"]}
    grid = definition("#/$defs/GridTopology")["properties"]
    assert (grid["sizes"]["examples"], grid["wrap"]["default"]) == ([[3, 4]], False)
    for keys in ((), ("topology",), ("routing",), ("router",), ("link",)):
        assert part(schema, *keys)["additionalProperties"] is False


def test_every_family_and_algorithm_can_be_named() -> None:
    assert choices("topology", "family") == set(FAMILIES)
    assert choices("routing", "algorithm") == set(ALGORITHMS)


def test_every_key_is_described() -> None:
    for model in (json_schema(), *json_schema()["$defs"].values()):
        for key, schema in model["properties"].items():
            assert schema.get("description"), key


def test_command_prints_the_schema(run: Run) -> None:
    ended = run("schema")
    assert (ended.status, ended.err) == (0, "")
    assert ended.json == json_schema()
