"""What can be chosen about an OS-Link port, and what peers need (docs/howto/os-links.md)."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, NamedTuple

from fingerpost.golden.parameters import (
    Parameter,
    ParameterError,
    check_choices,
    check_limits,
)

HOLD = 32
"""Bit times after a reset in which nothing is sent."""

QUIET = 12
"""Bit times for which the line must have been low before a receiver listens."""

BYTE = 11
"""Bit times of a byte."""

STOP = 10
"""The number of the stop bit of a byte."""

BREAK_HIGH, BREAK_LOW = 16, 12
"""Bit times of a break: high, then low."""

BROKEN = 12
"""Bit times for which the line is high in a break, but never in legal traffic (10)."""

BREAK_HOLD = 64
"""Bit times after the start of a break in which nothing else is sent, and no break answered."""

ERRORS = "err_frame", "err_ack", "err_window", "err_over", "err_timeout", "link_break"
"""What a port finds wrong."""


@dataclass(frozen=True)
class OsLinkParameters:
    """The parameters of an OS-Link port.

    Raises
    ------
    ParameterError
        If a parameter is impossible, or breaks are wanted where stop bits are ignored: a break
        would be delivered as a byte before it is known for one.
    """

    clocks_per_bit: Annotated[
        int,
        Parameter(
            "Clocks of a node in a bit time; 5 at 100 MHz: 20 Mbit/s.", minimum=4, maximum=1000
        ),
    ] = 5
    """Clocks of the port in a bit time, 4 or more; 5 at 100 MHz is 20 Mbit/s."""
    fifo: Annotated[int, Parameter("Bytes that a receiver holds.", minimum=1, maximum=64)] = 2
    """Bytes that the receiver holds, 1 or more."""
    acknowledge: Annotated[
        Literal["overlap", "late"],
        Parameter("A byte is acknowledged with its second bit, or its last."),
    ] = "overlap"
    """Whether a byte is acknowledged when its second bit is there, or its stop bit."""
    slot: Annotated[
        int,
        Parameter("Bit times from packet to packet on a wire, at least.", minimum=0, maximum=255),
    ] = 0
    """Bit times from the start of a packet to the start of the next, at least; 12 is for peers that
    take an acknowledge for a whole frame. From 11 on bytes and acknowledges take turns, so an
    acknowledge can wait for two packets (docs/design/os-link-internals.md, A4)."""
    timeout: Annotated[
        int,
        Parameter(
            "Bit times to wait for an acknowledge; 0: for ever.", minimum=0, maximum=1_000_000
        ),
    ] = 0
    """Bit times after which a byte that is not acknowledged is an error; 0: never."""
    breaks: bool = False
    """Whether the port sends and answers breaks. Not for links to INMOS parts."""
    stop: Annotated[
        Literal["checked", "ignored"],
        Parameter("The stop bit of a byte must be low, or does not matter, as to INMOS parts."),
    ] = "checked"
    """Whether the stop bit of a byte must be low, or does not matter: INMOS parts do not look at
    it, and a C004 may shorten it (docs/design/os-link-internals.md, R9)."""

    def __post_init__(self) -> None:
        check_limits(OsLinkParameters, "OS-Link", **asdict(self))
        chosen = {"acknowledge": self.acknowledge, "stop": self.stop}
        check_choices(OsLinkParameters, "OS-Link", **chosen)
        if self.breaks and self.stop == "ignored":
            raise ParameterError("stop", "OS-Link needs stop bits checked with breaks, not ignored")

    @property
    def middle(self) -> int:
        """Return the clock of a bit in which it is sampled."""
        return (self.clocks_per_bit - 1) // 2

    @property
    def latency(self) -> int:
        """Return the clocks from the edge of an acknowledge to the next packet, at the pins.

        The same from the edge of a byte to its acknowledge: two flip-flops, the sample of the
        second bit, what it is remembered in, and the output register.
        """
        return self.clocks_per_bit + self.middle + 4


class Peer(NamedTuple):
    """A kind of peer: the parameters that a port needs for it, and why."""

    settings: dict[str, Any]
    why: str


_INMOS = {"stop": "ignored"}
"""No INMOS part looks at a stop bit, so none promises how long its own is."""

PEERS: dict[str, Peer] = {
    "fingerpost": Peer({}, "another port of this kind, or a node of a network"),
    "t800": Peer(
        {**_INMOS, "acknowledge": "late"},
        "a T800, also of revisions that fail if the last byte of a message is acknowledged early",
    ),
    "t425": Peer(_INMOS, "a T425, T805, or another transputer that overlaps acknowledges"),
    "c011": Peer(_INMOS, "a C011 link adaptor; its own acknowledges are late, and may be"),
    "c012": Peer(_INMOS, "a C012 link adaptor; its own acknowledges are late, and may be"),
    "c004": Peer(_INMOS, "whatever there is behind a C004 crossbar, which may shorten stop bits"),
}


def port_for(peer: str, **chosen: Any) -> OsLinkParameters:
    """Return the parameters of a port for a peer.

    Parameters
    ----------
    peer : str
        One of `PEERS`.
    **chosen
        Parameters that are as given, whatever the peer; None: as for the peer.

    Raises
    ------
    ValueError
        If the parameters are impossible, or there are breaks that the peer does not support.
    """
    given = {key: value for key, value in chosen.items() if value is not None}
    if given.get("breaks") and PEERS[peer].settings:
        raise ValueError(f"breaks need peer fingerpost, not {peer}: it takes a break for a byte")
    return OsLinkParameters(**{**PEERS[peer].settings, **given})
