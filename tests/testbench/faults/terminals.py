"""Faults of AXI4-Stream and OS-Link terminals."""

from tests.testbench.faults.fault import Fault
from tests.testbench.faults.networks import OWN, SQUARE, TRIANGLE

__all__ = ["FAULTS"]

FAULTS = (
    Fault(
        "head-not-sent",
        "terminal/axi_sender.py",
        "opens.eq(some & held & ~opened & ~drops)",
        "opens.eq(some & held & ~opened & ~drops & ~last)",
        "network",
        "A packet of one beat is never begun.",
        network=SQUARE,
        settings={"malformed": 0.3},
    ),
    Fault(
        "table-of-neighbour",
        "terminal/headers.py",
        "terminals.tolist(), headers, strict=True)",
        "terminals.tolist(), headers[1:] + headers[:1], strict=True)",
        "network",
        "Packets go to the terminal of the next number.",
        network=SQUARE,
        settings={"malformed": 0.3},
    ),
    Fault(
        "source-of-itself",
        "terminal/axi_stream.py",
        "{number}'d{node}, header_{node}}}",
        "{number}'d{node ^ 1}, header_{node}}}",
        "axi_stream",
        "A neighbour is named as the source.",
        network=SQUARE,
    ),
    Fault(
        "credit-at-once",
        "terminal/axi_receiver.py",
        "m.d.sync += eject.credit",
        "m.d.comb += eject.credit",
        "network",
        "Credits go back a cycle early.",
        network=SQUARE,
        settings={"malformed": 0.3},
    ),
    Fault(
        "goes-on",
        "terminal/message_sender.py",
        "            m.d.sync += place.eq(0)",
        "            m.d.sync += place.eq(place)",
        "os_link_terminals",
        "What comes after a message that was given up is taken for the rest of it.",
        network=TRIANGLE,
    ),
    Fault(
        "rest-of-a-cut-message",
        "terminal/message_receiver.py",
        "m.d.sync += dropping.eq(~beat.tlast)",
        "m.d.sync += dropping.eq(0)",
        "os_link_terminals",
        "The rest of a packet that was cut is taken for another.",
        network=TRIANGLE,
    ),
    Fault(
        "flaws-not-counted",
        "terminal/os_link_interface.py",
        "link.err_frame | link.err_ack |",
        "link.err_frame |",
        "os_link_terminals",
        "An acknowledge for nothing is not told.",
        network=TRIANGLE,
    ),
    Fault(
        "overwritten-between-clocks",
        "terminal/crossing.py",
        "eq(queue.w_rdy)",
        "eq(1)",
        "axi_stream",
        "The queue between two clocks takes a flit though it is full.",
        network=OWN,
        settings={"pause": 0.7},
    ),
)
