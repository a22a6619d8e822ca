"""The options that say what terminals send, for all commands that send anything."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:  # `--help` must not wait for it
    from golden.traffic import Arrivals, Lengths, Pattern

__all__ = ["ArrivalsOption", "PacketLength", "TrafficOption", "sent_as"]


def _spelling() -> Any:
    return import_module("golden.traffic.spelling")


def _parser(what: str) -> Callable[[str], Any]:
    """Return what reads a text, and makes an error of a parameter one of the option."""

    def parse(text: str) -> Any:
        try:
            return getattr(_spelling(), what)(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


TrafficOption = Annotated[
    Any,
    typer.Option(
        "--traffic",
        parser=_parser("pattern"),
        metavar="PATTERN[:KEY=VALUE,...]",
        help="Where packets go: transpose, hotspot:nodes=3, trace:FILE ...; see docs/traffic.md.",
        show_default="uniform",
    ),
]
ArrivalsOption = Annotated[
    Any,
    typer.Option(
        "--arrivals",
        parser=_parser("arrivals"),
        metavar="PROCESS[:KEY=VALUE,...]",
        help="When packets are made: bernoulli, on-off or self-similar; see docs/traffic.md.",
        show_default="bernoulli",
    ),
]
PacketLength = Annotated[
    Any,
    typer.Option(
        "--packet-length",
        parser=_parser("lengths"),
        metavar="FLITS",
        help="Flits of a packet: 4, 1..8, or bimodal:SHORT,LONG,SHARE.",
        show_default="1; of cosim 1..4",
    ),
]


def sent_as(
    pattern: "Pattern | None", arrivals: "Arrivals | None", lengths: "Lengths | None"
) -> "tuple[Pattern, Arrivals, Lengths]":
    """Return what the three options ask for.

    Raises
    ------
    ParameterError
        If arrivals or lengths are given to a pattern that has its own.
    """
    for option, given in (("--arrivals", arrivals), ("--packet-length", lengths)):
        if pattern and pattern.recorded and given is not None:
            raise import_module("golden.parameters").ParameterError(
                "traffic",
                f"--traffic {pattern.name} has times and lengths of its own: leave out {option}",
            )
    spelling = _spelling()
    return (
        pattern or spelling.pattern("uniform"),
        arrivals or spelling.arrivals("bernoulli"),
        lengths or spelling.lengths(1),
    )
