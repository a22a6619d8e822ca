"""Faults of OS-Links: the port, frames above it, and the cells of a network."""

from tests.testbench.faults.fault import Fault
from tests.testbench.faults.networks import RING

__all__ = ["FAULTS"]

FAULTS = (
    Fault(
        "listens-at-once",
        "link/receiver.py",
        "(line == armed)",
        "line",
        "os_link",
        "A receiver does not wait for 12 bits of low.",
    ),
    Fault(
        "acknowledged-without-room",
        "link/os_link.py",
        "<= p.fifo - 1",
        "<= p.fifo",
        "os_link",
        "An acknowledge does not wait for a place (A3).",
    ),
    Fault(
        "break-keeps-the-queue",
        "link/os_link.py",
        "ResetInserter(clear)",
        "ResetInserter(clear & 0)",
        "os_link",
        "Bytes from before a break are delivered after it.",
    ),
    Fault(
        "starts-too-early",
        "link/transmitter.py",
        "init=HOLD)",
        "init=HOLD - 1)",
        "os_link",
        "The first packet comes 31 bits after the reset.",
    ),
    Fault(
        "crc-not-restarted",
        "link/cells.py",
        "start=starts & flit.head,",
        "start=starts & flit.head & flit.tail,",
        "network",
        "The CRC goes on from packet to packet.",
        network=RING,
        settings={"cycles": 2500, "malformed": 0.2},
    ),
    Fault(
        "ports-crossed",
        "link/cell_link.py",
        "os_link.link_in.eq(node.link_in[port])",
        "os_link.link_in.eq(node.link_in[port ^ 1])",
        "network",
        "The OS-Links of two ports listen to each other's wire.",
        network=RING,
        settings={"cycles": 2500, "malformed": 0.2},
    ),
    Fault(
        "payload-one-short",
        "link/frame.py",
        "with m.If(left == 1):",
        "with m.If(left == 2):",
        "test",
        "The last byte of the payload is taken for the CRC.",
        test="link/test_frame.py::reader_is_its_twin",
    ),
    Fault(
        "reset-forgotten",
        "link/frame.py",
        "m.d.sync += cut.eq(1)",
        "m.d.sync += cut.eq(0)",
        "test",
        "What follows a break is taken for the rest of the frame before.",
        test="link/test_frame.py::reader_fills",
    ),
    Fault(
        "half-a-crc-remembered",
        "link/frame.py",
        "[drops.eq(1), high.eq(0)]",
        "[drops.eq(1)]",
        "test",
        "After a break inside a CRC the next one is its high byte alone.",
        test="link/test_frame.py::writer_gives_up",
    ),
    Fault(
        "bad-frame-stored",
        "link/frame_relay.py",
        "m.d.sync += head.eq(whole)",
        "m.d.sync += whole.eq(after)",
        "test",
        "Store-and-forward sends bad frames, and with a good CRC.",
        test="link/test_frame.py::relay_is_its_twin",
    ),
)
