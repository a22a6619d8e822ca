"""The arrays of OS-Link terminals of the compiled model, as they are before the first cycle."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerpost.golden.engine.link.os_link import make_config, make_ports
from fingerpost.golden.engine.routes import RouteTable
from fingerpost.golden.engine.terminal import records
from fingerpost.golden.engine.terminal.axi_start import common
from fingerpost.golden.engine.terminal.message_receiver import MESSAGE_RECEIVER
from fingerpost.golden.engine.terminal.message_sender import MESSAGE_SENDER
from fingerpost.golden.engine.terminal.os_link import SENDER
from fingerpost.golden.engine.terminal.programs import PROGRAM
from fingerpost.golden.engine.terminal.state import OsLinkConfig, OsLinkState
from fingerpost.golden.network.network import Network
from fingerpost.golden.terminal import OsLinkTerminalModel
from fingerpost.golden.terminal.os_link_model import DEAF, PAUSE

BYTES = 5
"""Of the shortest message that a terminal sends."""


def pauses(drawn: NDArray[np.float64], stall: float, longest: int) -> NDArray[np.int32]:
    """Return the clocks of pauses with probability `stall`, up to the longest, by numbers drawn."""
    share = drawn / stall if stall else drawn
    return np.where(drawn < stall, 1 + share * longest, 0).astype(np.int32)


def os_link_start(
    network: Network, terminals: Sequence[OsLinkTerminalModel], routes: RouteTable
) -> tuple[NDArray[Any], OsLinkConfig, OsLinkState]:
    """Return packets of all runs, what does not change of terminals, and what does."""
    packets = np.concatenate([_packets(each) for each in terminals])
    header = packets["header"] & (1 << network.routing.header.width) - 1
    packets["step"] = routes.first(packets["source"].astype(np.int64), header)
    model, port = terminals[0], make_config(terminals[0].link)
    longest = PAUSE * port.clocks_per_bit
    config = OsLinkConfig(
        port=port,
        longest=model.longest,
        deaf=model.timeout + DEAF * port.clocks_per_bit,
        pause=min(longest, model.timeout // 3) if model.timeout else longest,
        number=model.layout.number,
        depth=network.buffer_depth,
        # Those whose bytes are on the wire, or wait in the port, and one that is being written.
        coming=3 + (port.fifo + 2) // BYTES,
        known=model.known,
        **common(model.timeout, model.layout, network),
    )
    return packets, config, _state(network, packets, terminals, config)


def _packets(model: OsLinkTerminalModel) -> NDArray[Any]:
    traffic = model.traffic
    packets = np.zeros(len(traffic.source), records.MESSAGE_PACKET)
    for name in ("time", "salt", "source", "destination", "length", "message_class"):
        packets[name] = getattr(traffic, name)
    for name in ("dest", "size", "stop_at", "deaf_at", "stalls", "expected"):
        packets[name] = getattr(model, name)
    packets["header"], packets["delivered"] = model.head, -1
    return packets


def _state(
    network: Network,
    packets: NDArray[Any],
    terminals: Sequence[OsLinkTerminalModel],
    config: OsLinkConfig,
) -> OsLinkState:
    runs, nodes = len(terminals), network.topology.nodes
    outputs = nodes * (network.topology.degree + 1)
    program = np.zeros((runs, nodes), PROGRAM)
    begins = np.cumsum([0] + [len(each.expected) for each in terminals])[:-1, None]
    program["packet"] = np.stack([each.packet for each in terminals]) + begins
    program["end"] = np.stack([each.end for each in terminals]) + begins
    program["going"] = program["packet"]
    program["due"] = np.append(packets["time"], 0)[program["packet"]]
    sender = np.zeros((runs, nodes), SENDER)
    sender["credits"] = network.terminal_depth
    messages, answers = (
        np.zeros((runs, nodes), kind) for kind in (MESSAGE_SENDER, MESSAGE_RECEIVER)
    )
    return OsLinkState(
        ports=make_ports(runs, nodes, config.port),
        programs=make_ports(runs, nodes, config.port),
        program=program,
        messages=messages,
        sender=sender,
        came=np.zeros((runs, nodes), records.CAME),
        beat=np.zeros((runs, nodes), records.BEAT),
        receiver=np.zeros((runs, nodes), records.DIRECT_RECEIVER),
        queue=np.zeros((runs, nodes * config.depth), records.QUEUED),
        answers=answers,
        coming=np.zeros((runs, nodes), records.BLOCK_QUEUE),
        coming_row=np.zeros((runs, nodes * config.coming), records.COMING),
        flits=np.zeros((runs, nodes), np.int64),
        sent=np.zeros((runs, outputs), np.int64),
    )
