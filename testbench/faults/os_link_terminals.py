"""Planted faults of OS-Link terminals."""

from typing import Any

from fingerpost.testbench.faults.fault import Fault

__all__ = ["FAULTS", "TRIANGLE"]

TRIANGLE: dict[str, Any] = {
    "name": "triangle",
    "topology": {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2), (2, 0)]},
    "routing": {"algorithm": "table"},
    "router": {"buffer_depth": 2},
    "terminal": {"kind": "os-link", "clocks_per_bit": 4, "timeout": 200, "longest": 24},
}
"""Small, with a number that has no terminal, 3; a message of 24 bytes is the longest."""


def _fault(name: str, file: str, old: str, new: str, description: str) -> Fault:
    return Fault(name, f"terminal/{file}.py", old, new, "network", description, network=TRIANGLE)


FAULTS = (
    _fault(
        "high-bits-ignored",
        "message_sender",
        "dest[number:].any() | too_long",
        "too_long",
        "What is for node 256 goes to node 0.",
    ),
    _fault(
        "one-byte-too-long",
        "message_sender",
        "length > self.longest",
        "length > self.longest + 1",
        "A message may be a byte longer than the limit.",
    ),
    _fault(
        "end-not-sent",
        "message_sender",
        "carried & (final | out.tkeep[width - 2])",
        "carried & out.tkeep[width - 2]",
        "A last beat that is not full is never sent.",
    ),
    _fault(
        "takes-what-it-cannot-keep",
        "message_sender",
        "self.bytes.ready.eq(~out.tvalid & ~closing)",
        "self.bytes.ready.eq(~closing)",
        "Bytes are taken while a beat waits.",
    ),
    _fault(
        "never-closed",
        "message_sender",
        "closing.eq((expires & begun) |",
        "closing.eq((expires & begun & out.tvalid) |",
        "The packet of a message that was given up is not closed.",
    ),
    _fault(
        "goes-on",
        "message_sender",
        "            m.d.sync += place.eq(0)",
        "            m.d.sync += place.eq(place)",
        "What comes after a message that was given up is taken for the rest of it.",
    ),
    _fault(
        "patience-too-long",
        "message_sender",
        "(quiet == self.timeout)",
        "(quiet == self.timeout + 1)",
        "A message is given up a clock late.",
    ),
    _fault(
        "status-not-told",
        "message_receiver",
        "out.payload.eq(bad)",
        "out.payload.eq(0)",
        "A message that was cut seems good.",
    ),
    _fault(
        "not-filled-up",
        "message_receiver",
        "Mux(none, STATUS, BODY)",
        "Mux(none | over, STATUS, BODY)",
        "A message that was cut is shorter than its length.",
    ),
    _fault(
        "unused-bytes",
        "message_receiver",
        "(lane & ~(beat.tkeep >> 1)).any()",
        "lane[width - 1]",
        "The last beat is read beyond its end.",
    ),
    _fault(
        "source-of-256",
        "message_receiver",
        "out.payload.eq(source[:8])",
        "out.payload.eq(source[8:])",
        "Both bytes of the source are the higher one.",
    ),
    _fault(
        "dead-is-waited-for",
        "message_receiver",
        "drops.eq(dropping | dead)",
        "drops.eq(dropping)",
        "What is for a terminal that takes nothing stays in the network.",
    ),
    _fault(
        "rest-of-a-cut-message",
        "message_receiver",
        "m.d.sync += dropping.eq(~beat.tlast)",
        "m.d.sync += dropping.eq(0)",
        "The rest of a packet that was cut is taken for another.",
    ),
    _fault(
        "beats-counted",
        "message_receiver",
        "count(m, self.lost, gone & drops & beat.tlast)",
        "count(m, self.lost, gone & drops)",
        "Lost are beats, not messages.",
    ),
    _fault(
        "flaws-not-counted",
        "os_link_interface",
        "link.err_frame | link.err_ack |",
        "link.err_frame |",
        "An acknowledge for nothing is not told.",
    ),
)
