"""The options that say what terminals send, for all commands that send anything."""

from collections.abc import Callable
from typing import Annotated, TypeVar

import typer

from golden.parameters import ParameterError
from golden.traffic import ARRIVALS, PATTERNS, Arrivals, Lengths, Pattern, spelling
from golden.traffic.arrivals import Bernoulli
from golden.traffic.lengths import Fixed
from golden.traffic.patterns import Uniform

__all__ = ["ArrivalsOption", "PacketLength", "TrafficOption", "sent_as"]

T = TypeVar("T")


def _parser(spelt: Callable[[str], T]) -> Callable[[str], T]:
    """Return what makes an error of a parameter one of the option."""

    def parse(text: str) -> T:
        try:
            return spelt(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


TrafficOption = Annotated[
    Pattern | None,
    typer.Option(
        "--traffic",
        parser=_parser(spelling.pattern),
        metavar="PATTERN[:KEY=VALUE,...]",
        help=f"Where packets go: {', '.join(PATTERNS)}; see docs/traffic.md.",
        show_default="uniform",
    ),
]
ArrivalsOption = Annotated[
    Arrivals | None,
    typer.Option(
        "--arrivals",
        parser=_parser(spelling.arrivals),
        metavar="PROCESS[:KEY=VALUE,...]",
        help=f"When packets are made: {', '.join(ARRIVALS)}.",
        show_default="bernoulli",
    ),
]
PacketLength = Annotated[
    Lengths | None,
    typer.Option(
        "--packet-length",
        parser=_parser(spelling.lengths),
        metavar="FLITS",
        help="Flits of a packet: 4, 1..8, or bimodal:SHORT,LONG,SHARE.",
        show_default="1; of cosim 1..4",
    ),
]


def sent_as(
    pattern: Pattern | None, arrivals: Arrivals | None, lengths: Lengths | None
) -> tuple[Pattern, Arrivals, Lengths]:
    """Return what the three options ask for.

    Raises
    ------
    ParameterError
        If arrivals or lengths are given to a pattern that has its own.
    """
    for option, given in (("--arrivals", arrivals), ("--packet-length", lengths)):
        if pattern and pattern.recorded and given is not None:
            raise ParameterError(
                "traffic",
                f"--traffic {pattern.name} has times and lengths of its own: leave out {option}",
            )
    return pattern or Uniform(), arrivals or Bernoulli(), lengths or Fixed(1)
