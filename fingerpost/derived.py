"""The parts of a network file that follow from golden's classes: families and algorithms.

The keys are the keyword parameters of the class, with their types and defaults; the texts are those
of the `Parameter` beside each. What a value must be beyond its type, golden checks.
"""

from inspect import Parameter as Argument
from inspect import getdoc, getmodule, signature
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import Field, Strict, create_model

from fingerpost.parts import Needs, Part
from golden.parameters import Parameter, either
from golden.routing import ALGORITHMS
from golden.topology import FAMILIES

__all__ = ["ALGORITHM_PARTS", "FAMILY_PARTS", "derived"]

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


def derived(kind: type, key: str, name: str, what: str, *, section: str) -> type[Part]:
    """Return the part of a network file in which `key: name` stands for the class `kind`.

    Raises
    ------
    TypeError
        If a keyword parameter of the class does not say what it is, or what it needs.
    """
    hints = get_type_hints(kind.__init__, include_extras=True)  # type: ignore[misc]
    fields: dict[str, Any] = {key: (Literal[name], Field(description=what))}
    for argument in signature(kind).parameters.values():
        if argument.kind is Argument.KEYWORD_ONLY:
            fields[argument.name] = _field(kind, argument, hints[argument.name])
    title = "".join(word.capitalize() for word in name.split("-"))
    texts = (text.partition("\n")[0] for text in (getdoc(getmodule(kind)), kind.__doc__) if text)
    return create_model(f"{title}{section}", __base__=Part, __doc__=" ".join(texts), **fields)


def _field(kind: type, argument: Argument, hint: Any) -> tuple[Any, Any]:
    """Return the type and the description of a key."""
    plain, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    parameter = next((note for note in notes if isinstance(note, Parameter)), None)
    if parameter is None or not (parameter.needs or plain in KINDS or get_origin(plain) is Literal):
        raise TypeError(
            f"{kind.__name__} needs its parameter {argument.name} Annotated with a "
            f"golden.parameters.Parameter that says what it needs, not {hint}"
        )
    items = [item for item in get_args(plain) if item in KINDS]
    needs = Needs(parameter.needs or _needs(plain, parameter), *(KINDS[item] for item in items[:1]))
    limits = {"minimum": parameter.least, "maximum": parameter.most}
    field = Field(
        default=... if argument.default is Argument.empty else argument.default,
        description=parameter.meaning,
        examples=None if parameter.example is None else [parameter.example],
        json_schema_extra={limit: value for limit, value in limits.items() if value is not None},
    )
    # A list in YAML can be a tuple in golden; its items are strict all the same.
    loose = [Strict(False)] if get_origin(plain) is tuple else []
    return Annotated[plain, needs, *loose], field


def _needs(plain: Any, parameter: Parameter) -> str:
    """Return in words what a type and limits ask for."""
    if get_origin(plain) is Literal:
        return either(get_args(plain))
    if plain is not int:
        return KINDS[plain]
    if parameter.least is None:
        return KINDS[int]
    if parameter.most is None:
        return f"{KINDS[int]} of at least {parameter.least}"
    return f"{KINDS[int]} in {parameter.least}..{parameter.most}"


FAMILY_PARTS: tuple[type[Part], ...] = tuple(
    EdgeListTopology
    if name == "edge-list"
    else derived(family, "family", name, "The network family.", section="Topology")
    for name, family in FAMILIES.items()
)
"""Every family, as a network file may name it."""

ALGORITHM_PARTS: tuple[type[Part], ...] = tuple(
    derived(algorithm, "algorithm", name, "The routing algorithm.", section="Routing")
    for name, algorithm in ALGORITHMS.items()
)
"""Every algorithm."""
