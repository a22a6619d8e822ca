"""Planted faults of the OS-Link port."""

from golden.link import OsLinkParameters
from testbench.faults.fault import Fault

__all__ = ["FAULTS", "SETS"]

SETS = (
    OsLinkParameters(5),
    OsLinkParameters(4, breaks=True),
    OsLinkParameters(5, 3, "late", 12, 80, True),
    OsLinkParameters(8, 1, timeout=40),
)
"""The parameters of the ports that are tried: each is in one of them."""

FAULTS = (
    # R: the receiver
    Fault(
        "sampled-early",
        "link/receiver.py",
        "tick == self.parameters.middle",
        "tick == self.parameters.middle - 1",
        "os_link",
        "Bits are sampled a clock before their middle.",
    ),
    Fault(
        "glitch-is-a-packet",
        "link/receiver.py",
        "(~line & (bit <= 1))",
        "(~line & (bit == 1))",
        "os_link",
        "A bit 0 that is low at its sample does not end the packet (R2).",
    ),
    Fault(
        "stop-bit-ignored",
        "link/receiver.py",
        "self.byte.eq(stop & ~line)",
        "self.byte.eq(stop)",
        "os_link",
        "A byte whose stop bit is high is delivered (R6).",
    ),
    Fault(
        "bits-reversed",
        "link/receiver.py",
        "Cat(self.data[1:], line)",
        "Cat(line, self.data[:-1])",
        "os_link",
        "The first bit is taken as the most significant.",
    ),
    Fault(
        "listens-at-once",
        "link/receiver.py",
        "(line == armed)",
        "line",
        "os_link",
        "A receiver does not wait for 12 bits of low.",
    ),
    Fault(
        "break-by-a-byte",
        "link/receiver.py",
        "high == BROKEN - 1",
        "high == BROKEN - 4",
        "os_link",
        "The longest run of a byte is taken as a break.",
    ),
    # A: acknowledges
    Fault(
        "acknowledged-without-room",
        "link/os_link.py",
        "<= p.fifo - 1",
        "<= p.fifo",
        "os_link",
        "An acknowledge does not wait for a place (A3).",
    ),
    Fault(
        "acknowledged-twice",
        "link/os_link.py",
        "owed & ~tx.send_ack",
        "owed & ~(tx.send_ack & fifo.r_rdy)",
        "os_link",
        "An acknowledge stays owed when it is sent while the queue is empty (A1).",
    ),
    Fault(
        "late-is-early",
        "link/os_link.py",
        'rx.header if p.acknowledge == "overlap" else rx.byte',
        "rx.header",
        "os_link",
        "A late acknowledge is owed at the second bit (A2).",
    ),
    Fault(
        "data-before-acknowledge",
        "link/os_link.py",
        "(~permitted | turn) & ~outstanding",
        "~outstanding",
        "os_link",
        "A byte goes before an acknowledge (A4).",
    ),
    Fault(
        "no-turns",
        "link/os_link.py",
        "turn.eq(tx.send_ack)",
        "turn.eq(0)",
        "os_link",
        "In long slots a peer that never pauses silences the port.",
    ),
    # T: the transmitter
    Fault(
        "window-of-two",
        "link/os_link.py",
        "(~permitted | turn) & ~outstanding",
        "(~permitted | turn)",
        "os_link",
        "The next byte does not wait for the acknowledge of the last one (T2).",
    ),
    Fault(
        "slot-ignored",
        "link/transmitter.py",
        "left.eq(max(2, slot))",
        "left.eq(2)",
        "os_link",
        "What follows an acknowledge comes before the slot is over.",
    ),
    Fault(
        "starts-too-early",
        "link/transmitter.py",
        "init=HOLD)",
        "init=HOLD - 1)",
        "os_link",
        "The first packet comes 31 bits after the reset.",
    ),
    # Breaks and errors
    Fault(
        "sends-into-a-break",
        "link/transmitter.py",
        "held & (left < HOLD)",
        "held & (left < 0)",
        "os_link",
        "Who gets a break that needs no answer does not wait for its end.",
    ),
    Fault(
        "answers-every-break",
        "link/os_link.py",
        "rx.link_break & (~tx.holding | tx.ready)",
        "rx.link_break",
        "os_link",
        "An answer is answered.",
    ),
    Fault(
        "provoked-acknowledge-told",
        "link/os_link.py",
        " & ~(tx.holding & p.breaks)",
        "",
        "os_link",
        "The acknowledge that the head of a break provokes is an error.",
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
        "break-keeps-the-window",
        "link/os_link.py",
        "outstanding.eq((tx.send_data | (outstanding & ~rx.acknowledge)) & ~clear)",
        "outstanding.eq(tx.send_data | (outstanding & ~rx.acknowledge))",
        "os_link",
        "A byte that was lost in a break still waits for its acknowledge.",
    ),
    Fault(
        "timeout-forgotten",
        "link/os_link.py",
        "(self.err_timeout | (late & outstanding))",
        "(late & outstanding)",
        "os_link",
        "A timeout is no longer told once the acknowledge has come.",
    ),
    Fault(
        "window-not-watched",
        "link/os_link.py",
        "rx.header & owed & ~tx.breaking",
        "rx.header & owed & tx.send_ack",
        "os_link",
        "A second byte without acknowledge in between is not told of (R8).",
    ),
)
