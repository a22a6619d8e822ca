"""Every kind of link: what the cycle asks of it, and its arrays before the first cycle."""

import binascii
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from fingerpost.golden.jit.by_kind import by_kind
from fingerpost.golden.link import CellLink, FlitLink, OsLinkParameters, cell_link, flit_link
from fingerpost.golden.link.cells import CELL_RECEIVER, CELL_SENDER, CRC_INIT, CellConfig, CellState
from fingerpost.golden.link.flit_link import WireConfig, WireState
from fingerpost.golden.link.os_link import make_config, make_ports
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.delay_line import Slots
from fingerpost.golden.router.records import FLIT
from fingerpost.golden.router.state import Config, State

MODULES: dict[type, tuple[ModuleType, ...]] = {WireConfig: (flit_link,), CellConfig: (cell_link,)}

of_link = by_kind(MODULES, "links")


@of_link
def step_links(slots: Slots, config: Config, state: State) -> None:
    """Take what routers send to each other in this cycle; give them what arrives in it."""


@of_link
def note_links(noted: Any, row: int, config: Config, state: State) -> None:
    """Note what is on the links, if that is more than flits and credits."""


def link_start(network: Network, runs: int) -> tuple[Any, Any]:
    """Return what does not change of links, and what does."""
    return STARTS[network.link.kind](network, runs)


def _wires(network: Network, runs: int) -> tuple[Any, Any]:
    return WireConfig(1), WireState(np.zeros((runs, 1), np.int8))


def _cells(network: Network, runs: int) -> tuple[Any, Any]:
    assert isinstance(network.link, CellLink)
    return cell_start(
        network.link,
        runs,
        network.topology.nodes * (network.topology.degree + 1),
        channels=network.virtual_channels,
        depth=network.buffer_depth,
        flit_width=network.flit_width,
    )


def cell_start(
    parameters: OsLinkParameters,
    runs: int,
    links: int,
    *,
    channels: int,
    depth: int,
    flit_width: int,
) -> tuple[CellConfig, CellState]:
    """Return what does not change of so many OS-Links in each run, and what does."""
    crc = np.array([binascii.crc_hqx(bytes([byte]), 0) for byte in range(256)])
    rows = channels * depth
    config = CellConfig(make_config(parameters), flit_width // 8, rows, crc)
    channels *= links
    return config, CellState(
        ports=make_ports(runs, links, config.port),
        sender=np.zeros((runs, links), CELL_SENDER),
        receiver=np.zeros((runs, links), CELL_RECEIVER),
        owed=np.zeros((runs, channels), np.int32),
        sent_crc=np.full((runs, channels), CRC_INIT, np.int32),
        received_crc=np.full((runs, channels), CRC_INIT, np.int32),
        row=np.zeros((runs, links * rows), FLIT),
        wire=np.zeros((runs, links), np.bool_),
        errors=np.zeros((runs, links), np.int32),
    )


STARTS: dict[str, Callable[[Network, int], tuple[Any, Any]]] = {
    FlitLink.kind: _wires,
    CellLink.kind: _cells,
}
"""The arrays of every kind of link."""
