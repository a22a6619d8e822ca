"""What network files may say: parts that follow from classes of golden, and the JSON schema."""

import re
import time
from pathlib import Path
from threading import Thread
from typing import Annotated, Any
from urllib.parse import urlsplit

import pytest
import yaml

from fingerpost.golden.parameters import Parameter
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES
from fingerpost.hdl.emit.files import locked
from fingerpost.netfile import scaffold
from fingerpost.netfile.scaffold import KINDS, LINKS, write
from fingerpost.netfile.schema import REGION, NetworkFile, derived, json_schema
from fingerpost.netfile.source import load_any
from tests.fingerpost.common import NETWORKS, Run


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


SCHEMA = json_schema()


def part(schema: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The schema of the key that these lead to, by its first alternative."""
    for key in keys:
        schema = schema["properties"][key]
        while "$ref" in schema or "oneOf" in schema:
            schema = schema["oneOf"][0] if "oneOf" in schema else definition(schema["$ref"])
    return schema


def definition(reference: str) -> dict[str, Any]:
    found: dict[str, Any] = SCHEMA["$defs"][reference.removeprefix("#/$defs/")]
    return found


def choices(section: str, key: str) -> set[str]:
    return {
        definition(model["$ref"])["properties"][key]["const"]
        for model in SCHEMA["properties"][section]["oneOf"]
    }


def test_schema_has_what_the_loader_checks(run: Run) -> None:
    schema = SCHEMA
    assert run("schema").json == schema
    assert urlsplit(schema["$id"]).scheme == "urn"  # an id without a scheme would be a path
    assert schema["required"] == ["name", "topology"]
    assert schema["properties"]["name"]["pattern"] == "^[a-z][a-z0-9_-]{0,63}$"
    assert part(schema, "topology")["required"] == ["family", "p", "a", "A", "B"]
    generator = part(schema, "topology", "A")
    assert (generator["minItems"], generator["maxItems"]) == (2, 2)
    assert part(schema, "routing", "phase1")["enum"] == ["table", "computed"]
    depth = part(schema, "router", "buffer_depth")
    assert (depth["minimum"], depth["maximum"], depth["default"]) == (1, 64, 8)
    assert choices("link", "kind") == {"flit", "os-link", "stream"}
    assert choices("topology", "family") == set(FAMILIES)
    assert choices("routing", "algorithm") == set(ALGORITHMS)
    for model in (schema, *schema["$defs"].values()):
        assert all(part.get("description") for part in model["properties"].values())
    assert {"BorelTopology", "OsLink", "ClassRouting"} <= {*schema["$defs"]}
    grid = definition("#/$defs/GridTopology")["properties"]
    assert (grid["sizes"]["examples"], grid["wrap"]["default"]) == ([[3, 4]], False)
    regions, _ = schema["properties"]["memory_map"]["anyOf"]
    assert (regions["minItems"], regions["maxItems"]) == (1, 64)
    assert definition(regions["items"]["$ref"])["required"] == ["base", "size"]
    for keys in ((), ("topology",), ("routing",), ("router",), ("link",)):
        assert part(schema, *keys)["additionalProperties"] is False


def keys(text: str) -> dict[str, str]:
    """The comment of every section.key: behind it, or above it."""
    found, above, section = {}, "", ""
    for line in text.splitlines():
        code, _, comment = line.partition("#")
        if code.strip():
            key = code.partition(":")[0]
            section = section if key.startswith(" ") else key
            found[f"{section}.{key.strip(' -')}"] = f"{above} {comment}".strip()
            above = ""
        else:
            above = f"{above} {comment.strip()}".strip()
    return found


NEW: list[tuple[str, dict[str, str]]] = [
    *((family, {}) for family in scaffold.FAMILIES),
    *(("star", {"terminal": kind}) for kind in KINDS["terminal"]),
    ("star", {"link": "os-link", "terminal": "mailbox"}),
    ("star", {"router": "deflection"}),
    ("star", {"router": "deflection", "terminal": "axi-stream"}),
    ("star", {"router": "deflection", "terminal": "mailbox"}),
]
OWN = {"scc": "# or random, near-minimal, minimal, table, acyclic", "grid": "dimension-order"}
"""Own algorithms come first."""


@pytest.mark.parametrize(("family", "kinds"), NEW)
def test_new_file_is_a_network_with_every_key_explained(
    run: Run, tmp_path: Path, family: str, kinds: dict[str, str]
) -> None:
    path, asked = tmp_path / "net.yaml", [family, *(f"--{x}={kind}" for x, kind in kinds.items())]
    ended = run("new", *asked, "-o", path)
    made = [path, tmp_path / LINKS] if family == "edge-list" else [path]
    assert ended == (0, "".join(f"{each}\n" for each in made), "")
    assert sorted(tmp_path.iterdir()) == sorted(made)
    text, network = path.read_text(encoding="utf-8"), load_any(path)
    assert run("new", *asked).out == text
    assert network.topology.family == family
    assert network.router_kind == kinds.get("router", "wormhole")
    explained = keys(text)
    for title, kind in kinds.items():
        for key, field in KINDS[title][kind].model_fields.items():
            assert key in ("kind", "channel_order", "clock") or (
                str(field.description) in explained[f"{title}.{key}"]
            )
    if kinds.get("terminal") == "axi4":
        assert yaml.safe_load(text)["memory_map"] == [{"base": 0, "size": 4096, "nodes": "all"}]
        for key, field in REGION.model_fields.items():
            assert key == "node" or str(field.description) in explained[f"memory_map.{key}"]
    (schema,) = re.findall("^# yaml-language-server: \\$schema=(.*)$", text, re.M)
    assert f"fingerpost schema > {schema}" in text  # which says how to make it
    assert "``" not in text
    if kinds:
        return
    assert max(map(len, text.splitlines())) <= 100
    assert OWN.get(family, "algorithm: ") in text
    assert "# channel_order:" in text
    assert "# terminals:" in text
    given = yaml.safe_load(text)
    said = NetworkFile.model_validate(given)
    least = {key: given[key] for key in ("topology", "terminal")} | {"name": family}
    least["routing"] = {"algorithm": given["routing"]["algorithm"]}
    assert said == NetworkFile.model_validate(least)  # all else is at its default
    for section in ("topology", "routing", "router"):
        for key, field in type(getattr(said, section)).model_fields.items():
            if key not in (
                "family",
                "algorithm",
                "kind",
                "channel_order",
                "terminals",
                "routes",
                "C",
            ):
                assert str(field.description) in explained[f"{section}.{key}"]


def test_no_file_is_overwritten_that_another_command_writes_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "net.yaml"
    refused = []

    def work() -> None:
        try:
            write("star", path)
        except ValueError as error:
            refused.append(str(error))

    with locked(path):
        other = Thread(target=work)
        other.start()
        time.sleep(0.2)
        path.write_text("mine")
    other.join()
    assert refused == [f"{path}: is there already; name another file"]
    assert path.read_text() == "mine"


def test_examples_are_listed(run: Run) -> None:
    names = sorted(path.stem for path in NETWORKS.glob("*.yaml"))
    assert [each["name"] for each in run("examples", "--json").json["examples"]] == names
    assert run("examples", "star-4", "rotator-4").out.splitlines() == [
        "star-4     The star graph of 24 nodes; greedy routing is minimal on it",
        "rotator-4  The rotator graph of 24 nodes, with directed links",
    ]


def test_examples_are_copied_with_what_they_name(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    for _ in range(2):  # what is there already and the same is no trouble
        ended = run("examples", "petersen.yaml", "star-4", "-o", folder)
        made = [folder / name for name in ("petersen.yaml", "petersen.txt", "star-4.yaml")]
        assert ended == (0, "".join(f"{path}\n" for path in made), "")
    assert sorted(folder.iterdir()) == sorted(made)
    for path in made:
        assert path.read_bytes() == (NETWORKS / path.name).read_bytes()
    assert run("info", folder / "petersen.yaml").status == 0
    made[-1].write_text("mine")
    message = f"fingerpost: {made[-1]}: is there already, and differs; name another folder\n"
    assert run("examples", "-o", folder) == (2, "", message)
    assert sorted(folder.iterdir()) == sorted(made)
    assert made[-1].read_text() == "mine"
