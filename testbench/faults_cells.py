"""Planted faults of what carries flits across OS-Links; the network bench finds them."""

from typing import Any

__all__ = ["FAULTS", "RING"]

RING: dict[str, Any] = {
    "name": "ring-5",
    "topology": {"family": "edge-list", "nodes": 5, "links": [(i, (i + 1) % 5) for i in range(5)]},
    "routing": {"algorithm": "table"},
    "router": {},
    "link": {"kind": "os-link", "clocks_per_bit": 4, "timeout": 12},
}
"""The smallest ring that needs two channels. A time-out is so short that it comes."""

FAULTS: tuple[dict[str, str], ...] = (
    {
        "name": "credits-given-twice",
        "file": "link/cells.py",
        "old": "count + credit - (gives & count.any())",
        "new": "count + credit - (gives & (count > 1))",
        "why": "A channel's last credit is sent for ever.",
    },
    {
        "name": "credits-of-channel-0-only",
        "file": "link/cells.py",
        "old": "credits.channels.eq(owing)",
        "new": "credits.channels.eq(owing[0])",
        "why": "Credits of other channels are counted off but not sent.",
    },
    {
        "name": "crc-high-byte-first",
        "file": "link/cells.py",
        "old": "due[8:], due[:8]",
        "new": "due[:8], due[8:]",
        "why": "The bytes of the CRC are sent in the wrong order.",
    },
    {
        "name": "crc-not-restarted",
        "file": "link/cells.py",
        "old": "start=starts & flit.head,",
        "new": "start=starts & flit.head & flit.tail,",
        "why": "The CRC goes on from packet to packet.",
    },
    {
        "name": "first-byte-not-in-crc",
        "file": "link/cells.py",
        "old": "valid=starts | (goes & ~is_crc)",
        "new": "valid=goes & ~is_crc",
        "why": "The CRC leaves out what a cell begins with.",
    },
    {
        "name": "poison-forgotten",
        "file": "link/cells.py",
        "old": "^ flit.data[-STATUS:].any().replicate(STATUS)",
        "new": "^ 0",
        "why": "A packet in which something was wrong gets a good CRC.",
    },
    {
        "name": "bad-crc-accepted",
        "file": "link/cells.py",
        "old": "wrong.eq(content[-STATUS:] != _of(channel, crcs))",
        "new": "wrong.eq(0)",
        "why": "The receiver does not look at the CRC.",
    },
    {
        "name": "every-flit-a-head",
        "file": "link/cells.py",
        "old": "head.eq(control.head)",
        "new": "head.eq(1)",
        "why": "The receiver takes every flit for the head of a packet.",
    },
    {
        "name": "one-channel-for-all",
        "file": "link/cells.py",
        "old": "self.link.valid.eq(arrived << channel)",
        "new": "self.link.valid.eq(arrived)",
        "why": "Flits of all channels arrive on channel 0.",
    },
    {
        "name": "queue-too-short",
        "file": "link/cells.py",
        "old": "depth=self.channels * self.depth",
        "new": "depth=self.depth - 1",
        "why": "The sender has no place for every flit that has a credit.",
    },
    {
        "name": "ports-crossed",
        "file": "link/cell_link.py",
        "old": "os_link.link_in.eq(node.link_in[port])",
        "new": "os_link.link_in.eq(node.link_in[port ^ 1])",
        "why": "The OS-Links of two ports listen to each other's wire.",
    },
    {
        "name": "errors-forgotten",
        "file": "link/cell_link.py",
        "old": "seen.eq(seen | Cat(*wrong, receiver.bad_packet, receiver.bad_cell))",
        "new": "seen.eq(Cat(*wrong, receiver.bad_packet, receiver.bad_cell))",
        "why": "What a link has found wrong is told for one clock only.",
    },
    {
        "name": "wires-in-the-wrong-order",
        "file": "link/cell_link.py",
        "old": "for port in reversed(range(local))",
        "new": "for port in range(local)",
        "why": "The wires of a node go to its ports in the wrong order.",
    },
)
