"""Planted faults in the OS-Link port: each must be seen by the bench in lock-step."""

import json
from pathlib import Path

from golden.link import OsLinkParameters
from testbench.faults import Fault, write
from testbench.os_link_cosim import run_lockstep
from testbench.os_link_sources import as_json
from testbench.runner import Outcome

__all__ = ["LINK_FAULTS", "SETS", "catch", "plant"]

SETS = (
    OsLinkParameters(5),
    OsLinkParameters(4, breaks=True),
    OsLinkParameters(5, 3, "late", 12, 80, True),
    OsLinkParameters(8, 1, timeout=40),
)
"""The parameters of the ports that are tried: each is in one of them."""

LANES, CYCLES, SEED = 16, 1200, 0


def plant(fault: Fault, folder: Path) -> tuple[list[Path], str]:
    """Write the Verilog of ports with a fault to `folder`; return the files and the top module.

    Raises
    ------
    ValueError
        If the text that the fault replaces does not occur exactly once.
    RuntimeError
        If no Verilog comes out of the faulty sources.
    """
    sets = json.dumps(as_json(SETS))
    return write(fault, folder, "testbench.os_link_sources", sets, str(LANES)), "os_link_bench"


def catch(fault: Fault, directory: Path) -> Outcome:
    """Run the bench on ports with a fault, in Icarus; golden stays as it is."""
    folder = directory / fault.name
    return run_lockstep(
        SETS,
        simulator="icarus",
        directory=folder,
        lanes=LANES,
        cycles=CYCLES,
        seed=SEED,
        sources=plant(fault, folder),
    )


def _fault(name: str, file: str, old: str, new: str, description: str) -> Fault:
    return Fault(name, f"link/{file}.py", old, new, "os_link", description)


LINK_FAULTS = (
    # R: the receiver
    _fault(
        "sampled-early",
        "receiver",
        "tick == self.parameters.middle",
        "tick == self.parameters.middle - 1",
        "Bits are sampled a clock before their middle.",
    ),
    _fault(
        "glitch-is-a-packet",
        "receiver",
        "(~line & (bit <= 1))",
        "(~line & (bit == 1))",
        "A bit 0 that is low at its sample does not end the packet (R2).",
    ),
    _fault(
        "stop-bit-ignored",
        "receiver",
        "self.byte.eq(stop & ~line)",
        "self.byte.eq(stop)",
        "A byte whose stop bit is high is delivered (R6).",
    ),
    _fault(
        "bits-reversed",
        "receiver",
        "Cat(self.data[1:], line)",
        "Cat(line, self.data[:-1])",
        "The first bit is taken as the most significant.",
    ),
    _fault(
        "listens-at-once",
        "receiver",
        "(line == armed)",
        "line",
        "A receiver does not wait for 12 bits of low.",
    ),
    _fault(
        "break-by-a-byte",
        "receiver",
        "high == BROKEN - 1",
        "high == BROKEN - 4",
        "The longest run of a byte is taken as a break.",
    ),
    # A: acknowledges
    _fault(
        "acknowledged-without-room",
        "os_link",
        "<= p.fifo - 1",
        "<= p.fifo",
        "An acknowledge does not wait for a place (A3).",
    ),
    _fault(
        "acknowledged-twice",
        "os_link",
        "owed & ~tx.send_ack",
        "owed & ~(tx.send_ack & fifo.r_rdy)",
        "An acknowledge stays owed when it is sent while the queue is empty (A1).",
    ),
    _fault(
        "late-is-early",
        "os_link",
        'rx.header if p.acknowledge == "overlap" else rx.byte',
        "rx.header",
        "A late acknowledge is owed at the second bit (A2).",
    ),
    _fault(
        "data-before-acknowledge",
        "os_link",
        "(~permitted | turn) & ~outstanding",
        "~outstanding",
        "A byte goes before an acknowledge (A4).",
    ),
    _fault(
        "no-turns",
        "os_link",
        "turn.eq(tx.send_ack)",
        "turn.eq(0)",
        "In long slots a peer that never pauses silences the port.",
    ),
    # T: the transmitter
    _fault(
        "window-of-two",
        "os_link",
        "(~permitted | turn) & ~outstanding",
        "(~permitted | turn)",
        "The next byte does not wait for the acknowledge of the last one (T2).",
    ),
    _fault(
        "slot-ignored",
        "transmitter",
        "left.eq(max(2, slot))",
        "left.eq(2)",
        "What follows an acknowledge comes before the slot is over.",
    ),
    _fault(
        "starts-too-early",
        "transmitter",
        "init=HOLD)",
        "init=HOLD - 1)",
        "The first packet comes 31 bits after the reset.",
    ),
    # Breaks and errors
    _fault(
        "sends-into-a-break",
        "transmitter",
        "held & (left < HOLD)",
        "held & (left < 0)",
        "Who gets a break that needs no answer does not wait for its end.",
    ),
    _fault(
        "answers-every-break",
        "os_link",
        "rx.link_break & (~tx.holding | tx.ready)",
        "rx.link_break",
        "An answer is answered.",
    ),
    _fault(
        "provoked-acknowledge-told",
        "os_link",
        " & ~(tx.holding & p.breaks)",
        "",
        "The acknowledge that the head of a break provokes is an error.",
    ),
    _fault(
        "break-keeps-the-queue",
        "os_link",
        "ResetInserter(clear)",
        "ResetInserter(clear & 0)",
        "Bytes from before a break are delivered after it.",
    ),
    _fault(
        "break-keeps-the-window",
        "os_link",
        "outstanding.eq((tx.send_data | (outstanding & ~rx.acknowledge)) & ~clear)",
        "outstanding.eq(tx.send_data | (outstanding & ~rx.acknowledge))",
        "A byte that was lost in a break still waits for its acknowledge.",
    ),
    _fault(
        "timeout-forgotten",
        "os_link",
        "(self.err_timeout | (late & outstanding))",
        "(late & outstanding)",
        "A timeout is no longer told once the acknowledge has come.",
    ),
    _fault(
        "window-not-watched",
        "os_link",
        "rx.header & owed & ~tx.breaking",
        "rx.header & owed & tx.send_ack",
        "A second byte without acknowledge in between is not told of (R8).",
    ),
)
