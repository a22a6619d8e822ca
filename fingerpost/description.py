"""What a network file may say: the models that check it and that its JSON schema comes from.

A new family is one class here, named in `NetworkFile.topology`; a new algorithm likewise.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, Strict
from pydantic_core import CoreSchema, core_schema

__all__ = ["Needs", "NetworkFile", "OneOf", "Part", "json_schema"]


@dataclass(frozen=True)
class Needs:
    """What a key needs, in the words of an error message: the remedy for every wrong value."""

    text: str
    item: str = "a whole number"


@dataclass(frozen=True)
class OneOf:
    """A part whose model is chosen by one of its keys, such as `family`.

    (pydantic's own discriminated unions refuse a choice of one.)
    """

    key: str
    models: tuple[type["Part"], ...]

    @property
    def choices(self) -> dict[str, type["Part"]]:
        """Return the model for each value of the key."""
        return {
            get_args(model.model_fields[self.key].annotation)[0]: model for model in self.models
        }

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.tagged_union_schema(
            {name: handler.generate_schema(model) for name, model in self.choices.items()},
            discriminator=self.key,
        )


class Part(BaseModel):
    """A mapping of a network file.

    Attributes
    ----------
    blame : mapping
        Which key of this part is at fault when `golden` refuses it in words that contain the
        text; the part as a whole if none does.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    blame: ClassVar[Mapping[str, str]] = {}


Generator = Annotated[
    tuple[int, int], Strict(False), Needs("two whole numbers, [t, y]"), Field(examples=[[0, 1]])
]
"""A list in YAML, a tuple in golden; its numbers are strict all the same."""


class BorelTopology(Part):
    """A Borel Cayley graph (two-phase-1995): p*k nodes, k the order of a modulo p."""

    blame = {"prime p": "p", "nodes, not p*k": "p", "an a in": "a", "A = (t": "A", "B = (t": "B"}

    family: Literal["borel"] = Field(description="The network family.")
    # A larger prime would have more nodes than golden takes, and would take minutes to tell.
    p: Annotated[int, Needs("a prime, at most 2000000"), Field(le=2_000_000)] = Field(
        description="A prime."
    )
    a: Annotated[int, Needs("a whole number in 2..p-1")] = Field(
        description="A number in 2..p-1; its order k modulo p is the number of classes."
    )
    A: Generator = Field(description="Generator A as [t, y]: the matrix (a^t, y; 0, 1).")
    B: Generator = Field(description="Generator B as [t, y].")


class TwoPhaseRouting(Part):
    """Two-phase routing (two-phase-1995, Section IV), for borel."""

    blame = {"Phase I": "phase1", "needs a borel": "algorithm"}

    algorithm: Literal["two-phase"] = Field(description="The routing algorithm.")
    phase1: Annotated[Literal["table", "computed"], Needs("table or computed")] = Field(
        default="table", description="Where the first link of phase I comes from."
    )


class Router(Part):
    """The parameters of the router at every node."""

    blame = {
        "flit_width": "flit_width",
        "buffer_depth": "buffer_depth",
        "Channel order": "channel_order",
    }

    flit_width: Annotated[int, Needs("a whole number in 1..1024"), Field(ge=1, le=1024)] = Field(
        default=32, description="Bits of data in a flit; a header must fit into one."
    )
    buffer_depth: Annotated[int, Needs("a whole number in 1..64"), Field(ge=1, le=64)] = Field(
        default=4, description="Flits that each channel of each input can hold."
    )
    virtual_channels: Annotated[
        Literal["auto"] | Annotated[int, Field(ge=1, le=16)],
        Needs("auto or a whole number in 1..16"),
    ] = Field(
        default="auto",
        description="Virtual channels of every link; auto: as many as are proven to be enough.",
    )
    channel_order: Annotated[
        list[int] | None,
        Needs("a list of whole numbers, as `fingerpost order` prints it"),
    ] = Field(
        default=None,
        description="The rank of every class (or node) that decides when a packet changes the "
        "virtual channel; searched for if absent.",
    )


class Link(Part):
    """What joins the routers."""

    kind: Annotated[Literal["flit"], Needs("flit")] = Field(
        default="flit", description="flit: a valid/credit link inside a chip."
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
        OneOf("family", (BorelTopology,)),
        Needs("keys, as in topology: {family: borel, p: 7, a: 2, A: [0, 1], B: [1, 1]}"),
    ] = Field(description="The network family and its parameters.")
    routing: Annotated[
        Part,
        OneOf("algorithm", (TwoPhaseRouting,)),
        Needs("keys, as in routing: {algorithm: two-phase}"),
    ] = Field(description="The routing algorithm and its options.")
    router: Annotated[Router, Needs("keys, as in router: {flit_width: 32, buffer_depth: 4}")] = (
        Field(default=Router(), description="Widths, buffers and virtual channels of the routers.")
    )
    link: Annotated[Link, Needs("keys, as in link: {kind: flit}")] = Field(
        default=Link(), description="The links between the routers."
    )


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of a network file, for editors and other tools."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return dialect | NetworkFile.model_json_schema()
