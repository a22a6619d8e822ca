"""OS-Link ports of which only some have a clock edge, or a reset."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.arrays import BoolArray, IntArray
from fingerpost.golden.link.os_link import OsLink
from fingerpost.golden.link.parameters import OsLinkParameters
from fingerpost.golden.link.receiver import Receiver
from fingerpost.golden.link.transmitter import Transmitter

Part = OsLink | Receiver | Transmitter


def step_where(
    ticks: BoolArray,
    link: OsLink,
    link_in: BoolArray,
    tx_data: IntArray,
    tx_valid: BoolArray,
    rx_ready: BoolArray,
    tx_break: BoolArray | None = None,
) -> None:
    """Let ports go through a clock edge, all but those whose clock does not tick.

    Parameters
    ----------
    ticks : array of bool
        The ports whose clock ticks; the others stay in their state.
    link, link_in, tx_data, tx_valid, rx_ready, tx_break
        The ports and what `OsLink.step` takes.
    """
    (still,) = np.nonzero(~ticks)
    kept = _arrays(link) if len(still) else ()
    before = [(part, name, array[still]) for part, name, array in kept]
    link.step(link_in, tx_data, tx_valid, rx_ready, tx_break)
    _put(still, before)


def restart(which: BoolArray, link: OsLink) -> None:
    """Put ports into the state after a reset.

    The two flip-flops at the wire stay as they are: amaranth.lib.cdc gives them no reset.
    """
    (ports,) = np.nonzero(which)
    fresh = _fresh(link.ports, link.parameters)
    parts: dict[type, Part] = {type(part): part for part in _parts(link)}
    _put(
        ports,
        [
            (parts[type(part)], name, array[ports])
            for part, name, array in _arrays(fresh)
            if name not in ("metastable", "line")
        ],
    )


@lru_cache(maxsize=4)
def _fresh(ports: int, parameters: OsLinkParameters) -> OsLink:
    return OsLink(ports, parameters)


def _parts(link: OsLink) -> tuple[Part, Part, Part]:
    return link, link.receiver, link.transmitter


def _arrays(link: OsLink) -> Iterator[tuple[Part, str, NDArray[np.generic]]]:
    for part in _parts(link):
        for name, value in vars(part).items():
            if isinstance(value, np.ndarray):
                yield part, name, value


def _put(ports: IntArray, values: list[tuple[Part, str, NDArray[np.generic]]]) -> None:
    """Write some ports' elements of arrays, each to a copy: some arrays have two names."""
    for part, name, value in values:
        array = getattr(part, name).copy()
        array[ports] = value
        setattr(part, name, array)
