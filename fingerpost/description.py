"""What a network file may say: the models that check it and that its JSON schema comes from."""

from typing import Annotated, Any, Literal

from pydantic import Field

from fingerpost.derived import ALGORITHM_PARTS, FAMILY_PARTS
from fingerpost.links import LINK_PARTS, FlitLink
from fingerpost.parts import Needs, OneOf, Part
from fingerpost.terminals import TERMINAL_PARTS

__all__ = ["NetworkFile", "json_schema"]


ALGORITHM = OneOf("algorithm", ALGORITHM_PARTS)


class Router(Part):
    """The parameters of the router at every node."""

    flit_width: Annotated[int, Needs("a whole number in 1..1024"), Field(ge=1, le=1024)] = Field(
        default=32, description="Bits of data in a flit; a header must fit into one."
    )
    buffer_depth: Annotated[int, Needs("a whole number in 1..64"), Field(ge=1, le=64)] = Field(
        default=8, description="Flits that each channel of each input can hold."
    )
    virtual_channels: Annotated[
        Literal["auto"] | Annotated[int, Field(ge=1, le=16)],
        Needs("auto or a whole number in 1..16"),
    ] = Field(
        default="auto",
        description="Virtual channels of every link; auto: as many as are proven to be enough. "
        "More of them are lanes beside these.",
    )
    courtesy: Annotated[int, Needs("a whole number in 0..15"), Field(ge=0, le=15)] = Field(
        default=0,
        description="Packets of others that a head from the terminal lets pass at its output "
        "before it comes first; with 0 it takes turns with them.",
    )
    routing_register: Annotated[bool, Needs("true or false")] = Field(
        default=False,
        description="A register behind each routing unit, for those that are deep: a hop takes "
        "four cycles, not three.",
    )
    channel_order: Annotated[
        list[int] | None,
        Needs("a list of whole numbers, as `fingerpost order` prints it"),
    ] = Field(
        default=None,
        description="The rank of every class (or node) that decides when a packet changes the "
        "virtual channel; searched for if absent.",
    )


class NetworkFile(Part):
    """A network: a topology with a routing and router parameters."""

    name: Annotated[
        str,
        Needs("1 to 64 of the characters a-z 0-9 _ -, a letter first: it names files and modules"),
        Field(pattern=r"^[a-z][a-z0-9_-]{0,63}$"),
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
    router: Annotated[Router, Needs("keys, as in router: {flit_width: 32, buffer_depth: 8}")] = (
        Field(default=Router(), description="Widths, buffers and virtual channels of the routers.")
    )
    link: Annotated[
        Part,
        OneOf("kind", LINK_PARTS),
        Needs("keys, as in link: {kind: flit}"),
    ] = Field(default=FlitLink(kind="flit"), description="The links between the routers.")
    terminal: Annotated[
        Part | None,
        OneOf("kind", TERMINAL_PARTS),
        Needs("keys, as in terminal: {kind: axi-stream}"),
    ] = Field(
        default=None, description="What stands between routers and users; by default credits."
    )


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of a network file, for editors and other tools."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return dialect | NetworkFile.model_json_schema()
