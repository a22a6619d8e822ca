"""Every kind of link: its functions, and its arrays before the first cycle."""

import binascii
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from fingerpost.golden.algebra.chance import SEED
from fingerpost.golden.link import (
    CellLink,
    FlitLink,
    OsLinkParameters,
    StreamLink,
    cell_link,
    flit_link,
    pipelined_link,
    stream_link,
)
from fingerpost.golden.link.cells import CELL_RECEIVER, CELL_SENDER, CRC_INIT, CellConfig, CellState
from fingerpost.golden.link.flit_link import WireConfig, WireState
from fingerpost.golden.link.frame_receiver import FRAME_RECEIVER, HELD, PASSING, RECEIVER_CHANNEL
from fingerpost.golden.link.frame_sender import FRAME_SENDER, SENDER_CHANNEL, WORD
from fingerpost.golden.link.frames import time_out
from fingerpost.golden.link.os_link import make_config, make_ports
from fingerpost.golden.link.stream_link import StreamConfig, StreamState
from fingerpost.golden.network.network import Network
from fingerpost.golden.router.records import FLIT, mask_type

Links = tuple[ModuleType, Any, Any]
"""The functions of a kind, what does not change, and what does."""


def link_start(network: Network, runs: int) -> Links:
    """Return the links of a network."""
    return STARTS[network.link.kind](network, runs)


def _wires(network: Network, runs: int) -> Links:
    shape, outputs = network.topology.neighbour.shape, np.zeros(1, np.int64)
    if network.registers is None:
        none = np.zeros((runs, 1, 0), np.int32)
        return flit_link, WireConfig(outputs), WireState(none.astype(FLIT), none, none)
    registers = np.broadcast_to(network.registers, shape)
    outputs = np.pad(registers, ((0, 0), (0, network.topology.local_ports))).ravel()
    masks = runs, int(registers.max()) + 1, shape[0]
    mask = mask_type(network.topology.all_ports * network.virtual_channels)
    state = WireState(
        np.zeros((*masks[:2], len(outputs)), FLIT), np.zeros(masks, mask), np.zeros(masks, mask)
    )
    return pipelined_link, WireConfig(outputs), state


def _cells(network: Network, runs: int) -> Links:
    assert isinstance(network.link, CellLink)
    return cell_link, *cell_start(
        network.link,
        runs,
        network.topology.nodes * network.topology.all_ports,
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


def _streams(network: Network, runs: int) -> Links:
    link, topology, channels = network.link, network.topology, network.virtual_channels
    assert isinstance(link, StreamLink)
    assert network.streams is not None
    frames, ports = network.frames, topology.all_ports
    nodes, at = np.nonzero(network.streams)
    outputs = nodes * ports + at
    ends = np.full(topology.nodes * ports, -1)
    ends[outputs] = np.arange(len(outputs))
    arrival = topology.neighbour[nodes, at] * ports + topology.arrival_port[nodes, at]
    config = StreamConfig(
        outputs=outputs,
        partner=ends[arrival],
        cycles=link.cycles,
        time_out=time_out(link.cycles, link.frame),
        flits=link.frame,
        channels=channels,
        places=frames.places,
        replay=frames.replay,
        errors=link.errors,
    )
    count = len(outputs)

    def empty(kind: Any, each: int = 1) -> Any:
        return np.zeros((runs, count * each), kind)

    state = StreamState(
        chance=np.full((runs, 1), SEED, np.int64),
        sender=empty(FRAME_SENDER),
        receiver=empty(FRAME_RECEIVER),
        held=empty(HELD),
        word=empty(WORD),
        sender_channel=empty(SENDER_CHANNEL, channels),
        receiver_channel=empty(RECEIVER_CHANNEL, channels),
        kept=empty(FLIT, frames.replay),
        place=empty(FLIT, channels * (frames.places + 1)),
        passing=empty(FLIT, PASSING),
        line=empty(WORD, link.cycles + 1),
        pushed=empty(np.int64),
        returned=empty(np.int64),
    )
    state.sender_channel["granted"] = state.receiver_channel["credits"] = network.buffer_depth
    state.receiver["last"] = channels - 1
    return stream_link, config, state


STARTS: dict[str, Callable[[Network, int], Links]] = {
    FlitLink.kind: _wires,
    CellLink.kind: _cells,
    StreamLink.kind: _streams,
}
"""What begins every kind of link."""
