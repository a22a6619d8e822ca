"""What a network file may say: the models that check it and give its JSON schema, also routing."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, field_validator

from fingerpost.golden.faults import NEEDS
from fingerpost.golden.network.kinds import kind_of
from fingerpost.golden.network.network import NAME, NAME_NEEDS
from fingerpost.netfile.derived import (
    ALGORITHM_PARTS,
    COUNTING_PARTS,
    FAMILY_PARTS,
    LINK_PARTS,
    ROUTER_PARTS,
    TERMINAL_PARTS,
    Needs,
    OneOf,
    Part,
)
from fingerpost.netfile.document import YamlError, parse

ALGORITHM = OneOf("algorithm", ALGORITHM_PARTS)
ROUTER = OneOf("kind", ROUTER_PARTS, default="wormhole")
LINK = OneOf("kind", LINK_PARTS)


class NetworkFile(Part):
    """A network: a topology with a routing and router parameters."""

    name: Annotated[
        str,
        Needs(f"{NAME_NEEDS}: it names files and modules"),
        Field(pattern=f"^{NAME}$"),
    ] = Field(description="The name of the network, its files and its modules.")
    topology: Annotated[
        Part,
        OneOf("family", FAMILY_PARTS),
        Needs("keys, as in topology: {family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}"),
    ] = Field(description="The network family and its parameters.")
    routing: Annotated[
        Part,
        ALGORITHM,
        Needs("keys, as in routing: {algorithm: two-phase}"),
    ] = Field(
        default=ALGORITHM.choices["table"].model_validate({"algorithm": "table"}),
        description="The routing algorithm and its options; by default shortest paths by table.",
    )
    router: Annotated[
        Part,
        ROUTER,
        Needs("keys, as in router: {flit_width: 32, buffer_depth: 8}"),
    ] = Field(
        default=ROUTER.choices["wormhole"].model_validate({}),
        description="Widths, buffers and virtual channels of the routers, by default wormhole.",
    )
    link: Annotated[
        Part,
        LINK,
        Needs("keys, as in link: {kind: flit}"),
    ] = Field(
        default=LINK.choices["flit"].model_validate({"kind": "flit"}),
        description="The links between the routers.",
    )
    terminal: Annotated[
        Part | None,
        OneOf("kind", TERMINAL_PARTS),
        Needs("keys, as in terminal: {kind: axi-stream}"),
    ] = Field(
        default=None, description="What stands between routers and users; by default credits."
    )
    counters: Annotated[
        Part | None,
        OneOf("kind", COUNTING_PARTS),
        Needs("keys, as in counters: {kind: axi-lite}"),
    ] = Field(default=None, description="Counters that software reads over a bus; by default none.")
    faults: Annotated[
        str | list[str] | None, Needs(f"a list of items such as {NEEDS}", item="a text")
    ] = Field(
        default=None,
        description="Links and nodes that have failed, listed or drawn by a seed; routes and "
        "proofs are made for what is left.",
        examples=["link:0-5,node:12", ["links=2%", "seed=7"]],
    )

    @field_validator("faults")
    @classmethod
    def _in_one_text(cls, faults: str | list[str] | None) -> str | None:
        return ",".join(faults) if isinstance(faults, list) else faults


SCHEMA_ID = "urn:fingerpost:network-file"
"""The name of the schema: it is a file beside network files, not a page."""


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of a network file, for editors and other tools."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID}
    return head | NetworkFile.model_json_schema()


def spelled(routing: Mapping[str, Any]) -> str:
    """Return a routing of a network file as text: its name and what is not as by default.

    Examples
    --------
    >>> spelled({"algorithm": "chordal-ring", "lookahead": 4, "rule": "safe"})
    'chordal-ring:lookahead=4'
    """
    name = routing["algorithm"]
    fields = ALGORITHM.choices[name].model_fields
    given = [
        f"{key}={value}"
        for key, value in routing.items()
        if key != "algorithm" and value != fields[key].default
    ]
    return f"{name}:{','.join(given)}" if given else name


def named(description: Mapping[str, Any]) -> str:
    """Return what decides the ways of packets in a network: its routing, or its kind of routers."""
    kind = kind_of(description)
    return spelled(description["routing"]) if kind.has_routes else kind.router_kind


def parsed(text: str) -> dict[str, Any]:
    """Return the routing that a text like `spelled` names, as a network file has it; unchecked.

    Raises
    ------
    ValueError
        If an option has no value, or it is not plain data.

    Examples
    --------
    >>> parsed("chordal-ring:lookahead=4,rule=safe")
    {'algorithm': 'chordal-ring', 'lookahead': 4, 'rule': 'safe'}
    """
    name, _, rest = text.partition(":")
    routing: dict[str, Any] = {"algorithm": name}
    for each in rest.split(",") if rest else ():
        key, equals, value = each.partition("=")
        if not equals:
            raise ValueError(f"--routing {text}: needs KEY=VALUE behind the colon, not {each!r}")
        try:
            routing[key], _ = parse(value)
        except YamlError as error:
            raise ValueError(f"--routing {text}: {key}: {error}") from None
    return routing
