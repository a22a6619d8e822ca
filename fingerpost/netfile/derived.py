"""The parts of a network file, which follow from golden's classes.

The keys are the keyword parameters of the class, with their types and defaults; the texts are those
of the `Parameter` beside each. What a value must be beyond its type, golden checks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, is_dataclass
from inspect import Parameter as Argument
from inspect import getdoc, getmodule, signature
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, Strict, create_model
from pydantic_core import CoreSchema, core_schema

from fingerpost.golden.link import LINKS
from fingerpost.golden.network.counting import COUNTING
from fingerpost.golden.network.kinds import ROUTERS
from fingerpost.golden.network.router import RouterParameters
from fingerpost.golden.parameters import Parameter, either
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.terminal import TERMINALS
from fingerpost.golden.topology import FAMILIES

__all__ = [
    "ALGORITHM_PARTS",
    "COUNTING_PARTS",
    "FAMILY_PARTS",
    "LINK_PARTS",
    "ROUTER_PARTS",
    "TERMINAL_PARTS",
    "Needs",
    "OneOf",
    "Part",
    "chosen",
    "derived",
]


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
        description="An edge list (.txt, one link a line) or GraphML, beside the network file."
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
    # A list in YAML can be a tuple in golden; its items are strict all the same.
    loose = [Strict(False)] if get_origin(some) is tuple else []
    return Annotated[plain, needs, *loose], field


def _needs(plain: Any, parameter: Parameter) -> str:
    """Return in words what a type and limits ask for."""
    if get_origin(plain) is Literal:
        return either(get_args(plain))
    limits = parameter.limits if plain is int else ""
    return f"{KINDS[plain]} {limits}".strip()


FAMILY_PARTS: tuple[type[Part], ...] = tuple(
    EdgeListTopology
    if name == "edge-list"
    else chosen(family, "family", name, "Topology", "The network family.")
    for name, family in FAMILIES.items()
)
"""Every family, as a network file may name it."""

ALGORITHM_PARTS: tuple[type[Part], ...] = tuple(
    chosen(algorithm, "algorithm", name, "Routing", "The routing algorithm.")
    for name, algorithm in ALGORITHMS.items()
)
"""Every algorithm."""

WORMHOLE: Any = Literal["wormhole"]

ROUTER_PARTS: tuple[type[Part], ...] = (
    derived(
        RouterParameters,
        "Router",
        # Not dumped: the description of a network is the same whether a file names it or not.
        kind=(WORMHOLE, Field("wormhole", description="The kind of router.", exclude=True)),
    ),
    *(
        chosen(router, "kind", name, "Router", "The kind of router.")
        for name, router in ROUTERS.items()
        if router is not RouterParameters
    ),
)
"""Every kind of router; the first is that of files that name none."""

LINK_PARTS: tuple[type[Part], ...] = tuple(
    chosen(link, "kind", name, "Link", "The kind of link.") for name, link in LINKS.items()
)
"""Every kind of link."""

TERMINAL_PARTS: tuple[type[Part], ...] = tuple(
    chosen(terminal, "kind", name, "Terminal", "The kind of terminal.")
    for name, terminal in TERMINALS.items()
)
"""Every kind of terminal."""

COUNTING_PARTS: tuple[type[Part], ...] = tuple(
    chosen(counters, "kind", name, "Counters", "The kind of counters.")
    for name, counters in COUNTING.items()
)
"""Every kind of counters."""
