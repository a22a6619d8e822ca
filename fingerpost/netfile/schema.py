"""What a network file may say, derived from the signatures and docstrings of the classes it names.

The models check it, and give its JSON schema.
"""

from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from functools import reduce
from inspect import Parameter as Argument
from inspect import getdoc, getmodule, signature
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    Strict,
    create_model,
    field_validator,
)
from pydantic_core import CoreSchema, core_schema

from fingerpost.golden.counters import COUNTING
from fingerpost.golden.faults import NEEDS
from fingerpost.golden.link import LINKS
from fingerpost.golden.network.kinds import ROUTERS, kind_of
from fingerpost.golden.network.network import NAME, NAME_NEEDS
from fingerpost.golden.network.router import RouterParameters
from fingerpost.golden.parameters import Parameter, either
from fingerpost.golden.placement import POSITIONS
from fingerpost.golden.placement.boards import NEEDS as BOARDS_NEED
from fingerpost.golden.placement.boards import Boards
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.terminal import TERMINALS
from fingerpost.golden.terminal.memory_map import MOST_REGIONS, Region
from fingerpost.golden.topology import FAMILIES
from fingerpost.golden.topology.terminals import NEEDS as TERMINALS_NEED
from fingerpost.golden.topology.terminals import Terminals
from fingerpost.netfile.document import YamlError, parse


@dataclass(frozen=True)
class Needs:
    """What a key needs, in the words of an error message: the remedy for every wrong value."""

    text: str
    item: str = "a whole number"


@dataclass(frozen=True)
class OneOf:
    """A part whose model is chosen by one of its keys, such as `family`; `default` without it.

    (pydantic's own discriminated unions refuse a choice of one.)
    """

    key: str
    models: tuple[type["Part"], ...]
    default: str = ""

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
            discriminator=self._given if self.default else self.key,
        )

    def _given(self, part: object) -> object:
        """Return the value of the key; None if there can be none."""
        if isinstance(part, Mapping):
            return part.get(self.key, self.default)
        return getattr(part, self.key, None)


class Part(BaseModel):
    """A mapping of a network file.

    Attributes
    ----------
    stands_in : str
        The key that is at fault when `golden` refuses what is no key here; the part as a whole
        if it is empty.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    stands_in: ClassVar[str] = ""


KINDS = {int: "a whole number", bool: "true or false"}
"""What values of plain types are called."""


class EdgeListTopology(Part):
    """A network of your own, from a file beside the network file."""

    # The one family whose parameters are not in the file itself.
    stands_in = "file"

    family: Literal["edge-list"] = Field(description="The network family.")
    file: Annotated[str, Needs("the name of a file beside this one")] = Field(
        description="An edge list (.txt, one link a line), CSV, an adjacency list (.adjlist), "
        "BookSim's .anynet, GML, GraphML, DOT or node-link JSON, beside the network file."
    )
    parallel: Annotated[bool, Needs("true or false")] = Field(
        default=False,
        description="Whether a link that the file lists again is another one, beside the first.",
    )


def chosen(kind: type, key: str, name: str, section: str, what: str) -> type[Part]:
    """Return the part of a network file in which `key: name` stands for the class `kind`.

    Raises
    ------
    TypeError
        As `derived`.
    """
    title = "".join(word.capitalize() for word in name.split("-"))
    choice: Any = Literal[name]
    return derived(
        kind, title.removesuffix(section) + section, **{key: (choice, Field(description=what))}
    )


def derived(kind: type, title: str, /, **first: Any) -> type[Part]:
    """Return the part of a network file whose keys are the parameters of a class.

    Parameters
    ----------
    kind : type
        Its keyword parameters are meant; all of them if it is a dataclass.
    title : str
        The name of the part in the schema.
    **first
        What other keys come first, as pydantic takes them.

    Raises
    ------
    TypeError
        If a parameter does not say what it is, or what it needs.
    """
    hints = get_type_hints(kind.__init__, include_extras=True)  # type: ignore[misc]
    fields = dict(first)
    for argument in signature(kind).parameters.values():
        if argument.kind is Argument.KEYWORD_ONLY or is_dataclass(kind):
            fields[argument.name] = _field(kind, argument, hints[argument.name])
    text = (getdoc(getmodule(kind)) or "").partition("\n")[0]
    return create_model(title, __base__=Part, __doc__=text, **fields)


def _field(kind: type, argument: Argument, hint: Any) -> tuple[Any, Any]:
    """Return the type and the description of a key."""
    plain, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    parameter = next((note for note in notes if isinstance(note, Parameter)), None)
    if parameter is None or not (parameter.needs or plain in KINDS or get_origin(plain) is Literal):
        raise TypeError(
            f"{kind.__name__} needs its parameter {argument.name} Annotated with a "
            f"fingerpost.golden.parameters.Parameter that says what it needs, not {hint}"
        )
    if parameter.in_file:
        plain = str | None
    some = plain  # without None, if the key may be left out
    if NoneType in get_args(plain):
        some = next(kind for kind in get_args(plain) if kind is not NoneType)
    items = [item for item in get_args(some) if item in KINDS]
    needs = Needs(parameter.needs or _needs(plain, parameter), *(KINDS[item] for item in items[:1]))
    limits = {"minimum": parameter.minimum, "maximum": parameter.maximum}
    field = Field(
        default=... if argument.default is Argument.empty else argument.default,
        description=parameter.meaning,
        examples=None if parameter.example is None else [parameter.example],
        json_schema_extra={limit: value for limit, value in limits.items() if value is not None},
    )
    return Annotated[_loose(plain), needs], field


def _loose(plain: Any) -> Any:
    """Return a type that takes lists, as YAML has them, for tuples; their items stay strict."""
    if get_origin(plain) is tuple:
        return Annotated[plain, Strict(False)]
    if get_origin(plain) in (Union, UnionType):
        return reduce(or_, map(_loose, get_args(plain)))
    return plain


def _needs(plain: Any, parameter: Parameter) -> str:
    """Return in words what a type and limits ask for."""
    if get_origin(plain) is Literal:
        return either(get_args(plain))
    limits = parameter.limits if plain is int else ""
    return f"{KINDS[plain]} {limits}".strip()


def _parts(table: Mapping[str, Any], key: str, title: str, what: str) -> tuple[type[Part], ...]:
    """Return the part for each entry of a table, as a network file may name it."""
    return tuple(chosen(kind, key, name, title, f"{what}.") for name, kind in table.items())


TERMINALS_KEY: Any = (
    Annotated[Terminals | None, Needs(TERMINALS_NEED, item="a node, by number or label")],
    Field(
        default=None,
        description="Which nodes have terminals, and how many; by default one at each, of kyklos "
        "at each leaf, or as the file of links says.",
        examples=["all", 4, [0, 1, 2], {0: 4, 5: 1}],
    ),
)


def _with_terminals(part: type[Part]) -> type[Part]:
    """Return the part of a family with the key that all families have."""
    key: Any = {"terminals": TERMINALS_KEY}
    return create_model(part.__name__, __base__=part, __doc__=part.__doc__, **key)


FAMILY_PARTS: tuple[type[Part], ...] = tuple(
    _with_terminals(
        EdgeListTopology
        if name == "edge-list"
        else chosen(family, "family", name, "Topology", "The network family.")
    )
    for name, family in FAMILIES.items()
)

ALGORITHM_PARTS = _parts(ALGORITHMS, "algorithm", "Routing", "The routing algorithm")

WORMHOLE: Any = Literal["wormhole"]

ROUTER_PARTS: tuple[type[Part], ...] = (
    derived(
        RouterParameters,
        "Router",
        # Not dumped: the description of a network is the same whether a file names it or not.
        kind=(WORMHOLE, Field("wormhole", description="The kind of router.", exclude=True)),
    ),
    *_parts(
        {name: kind for name, kind in ROUTERS.items() if kind is not RouterParameters},
        *("kind", "Router", "The kind of router"),
    ),
)
"""The first is that of files that name none."""

LINK_PARTS = _parts(LINKS, "kind", "Link", "The kind of link")
TERMINAL_PARTS = _parts(TERMINALS, "kind", "Terminal", "The kind of terminal")
POSITION_PARTS = _parts(POSITIONS, "kind", "Positions", "Where the nodes are")
COUNTING_PARTS = _parts(COUNTING, "kind", "Counters", "The kind of counters")

REGION: Any = derived(Region, "Region")
REGION_NEEDS = "such as {base: 0, size: 0x10000, nodes: all}"

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
    memory_map: Annotated[
        list[REGION] | None,
        Needs(
            f"a list of 1 to {MOST_REGIONS} regions, {REGION_NEEDS}", item=f"keys, {REGION_NEEDS}"
        ),
    ] = Field(
        default=None,
        min_length=1,
        max_length=MOST_REGIONS,
        description="With AXI4 terminals: a list of regions of addresses.",
    )
    counters: Annotated[
        Part | None,
        OneOf("kind", COUNTING_PARTS),
        Needs("keys, as in counters: {kind: axi-lite}"),
    ] = Field(default=None, description="Counters that software reads over a bus; by default none.")
    positions: Annotated[
        Part | None,
        OneOf("kind", POSITION_PARTS),
        Needs("keys, as in positions: {kind: placed}"),
    ] = Field(
        default=None,
        description="The tile of each node on a chip; by default those of grids.",
    )
    boards: Annotated[
        Boards | None,
        Needs(BOARDS_NEED),
    ] = Field(
        default=None,
        description="Boards on which the nodes are: so many with few links between them, which are "
        "found, or the nodes of each.",
        examples=[4, [[0, 1, 2], [3, 4, 5]]],
    )
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
    """Return what decides the ways of packets in a network: its routing, or its kind of routers.

    Options that are lists are left out.
    """
    kind = kind_of(description)
    if not kind.has_routes:
        return kind.router_kind
    routing = description["routing"].items()
    return spelled({key: value for key, value in routing if not isinstance(value, list)})


def parsed(text: str, called: str = "--routing") -> dict[str, Any]:
    """Return the routing that a text like `spelled` names, as a network file has it; unchecked.

    Messages have what the text is `called`.

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
            raise ValueError(f"{called} {text}: needs KEY=VALUE behind the colon, not {each!r}")
        try:
            routing[key], _ = parse(value)
        except YamlError as error:
            raise ValueError(f"{called} {text}: {key}: {error}") from None
    return routing
