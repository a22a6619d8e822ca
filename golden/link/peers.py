"""What is at the other end of an OS-Link, and how a port is set for it (docs/howto/os-links.md)."""

from typing import Any, NamedTuple

from fingerpost.golden.link.parameters import OsLinkParameters


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
