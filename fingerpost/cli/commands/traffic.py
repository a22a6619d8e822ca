"""The options that say what terminals send, for all commands that send anything."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:  # `--help` must not wait for it
    from fingerpost.golden.traffic import Arrivals, Lengths, Pattern

__all__ = ["ArrivalsOption", "Classes", "PacketLength", "TrafficOption", "sent_as", "shares"]

T = TypeVar("T")


def _parser(read: Callable[[str], T]) -> Callable[[str], T]:
    """Return a reader of text that turns an error of a parameter into one of the option."""

    def parse(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


@_parser
def _pattern(text: str) -> "Pattern":
    from fingerpost.golden.traffic.spelling import pattern

    return pattern(text)


@_parser
def _arrivals(text: str) -> "Arrivals":
    from fingerpost.golden.traffic.spelling import arrivals

    return arrivals(text)


@_parser
def _lengths(text: str) -> "Lengths":
    from fingerpost.golden.traffic.spelling import lengths

    return lengths(text)


TrafficOption = Annotated[
    Any,
    typer.Option(
        "--traffic",
        parser=_pattern,
        metavar="PATTERN[:KEY=VALUE,...]",
        help="Where packets go: transpose, hotspot:nodes=3, trace:FILE ...; see "
        "docs/reference/traffic.md.",
        show_default="uniform",
    ),
]
ArrivalsOption = Annotated[
    Any,
    typer.Option(
        "--arrivals",
        parser=_arrivals,
        metavar="PROCESS[:KEY=VALUE,...]",
        help="When packets are made: bernoulli, on-off or self-similar; see "
        "docs/reference/traffic.md.",
        show_default="bernoulli",
    ),
]
PacketLength = Annotated[
    Any,
    typer.Option(
        "--packet-length",
        parser=_lengths,
        metavar="FLITS",
        help="Flits of a packet: 4, 1..8, or bimodal:SHORT,LONG,SHARE.",
        show_default="1; of cosim 1..4, with flow control up to twice the eager limit",
    ),
]

Classes = Annotated[
    str | None,
    typer.Option(
        "--classes",
        metavar="SHARE,SHARE...",
        help="The share of packets of each message class: 3,1.",
        show_default="equal shares",
    ),
]


def shares(text: str) -> list[float]:
    """Return the shares of message classes."""
    try:
        return [float(share) for share in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--classes needs numbers as in 3,1, not {text!r}") from None


def sent_as(
    pattern: "Pattern | None", arrivals: "Arrivals | None", lengths: "Lengths | None"
) -> "tuple[Pattern, Arrivals, Lengths]":
    """Return what the three options ask for.

    Raises
    ------
    ParameterError
        If arrivals or lengths are given to a pattern that has its own.
    """
    from fingerpost.golden.parameters import ParameterError
    from fingerpost.golden.traffic import spelling

    for option, given in (("--arrivals", arrivals), ("--packet-length", lengths)):
        if pattern and pattern.recorded and given is not None:
            raise ParameterError(
                "traffic",
                f"--traffic {pattern.name} has times and lengths of its own: leave out {option}",
            )
    return (
        pattern or spelling.pattern("uniform"),
        arrivals or spelling.arrivals("bernoulli"),
        lengths or spelling.lengths(1),
    )
