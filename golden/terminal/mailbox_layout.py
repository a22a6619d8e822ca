"""The words of a mailbox's registers that have several fields; shared by model and hardware."""

from fingerpost.golden.header import Field, Layout

__all__ = ["ENABLE", "LENGTH_BITS", "MISUSES", "NODE_BITS", "RECEIVED", "ROOM", "SEND", "TOTAL"]

NODE_BITS, LENGTH_BITS = 16, 12

SEND = Layout.sequence(
    destination=(NODE_BITS, "number of the node to send to"),
    length=(LENGTH_BITS, "words of the packet"),
)
"""What begins a packet, also in its first row of the memory of packets to send."""

RECEIVED = Layout(
    {
        "source": Field(0, NODE_BITS, "number of the node that sent it"),
        "length": Field(NODE_BITS, LENGTH_BITS, "words of the packet"),
        "error": Field(30, 1, "1: it was damaged on its way, or had more than packet_limit words"),
        "valid": Field(31, 1, "1: there is a packet, and it is complete"),
    }
)
"""What is told of a packet that has arrived, also in its first row of the memory of them."""

ROOM = Layout.sequence(
    free=(16, "rows that are free; a packet of n words needs n + 1"),
    open=(16, "words of a packet that was begun which are still to be written to send_data"),
)

CLASSES = 4
"""Message classes at most."""

ENABLE = Layout.sequence(
    received=(CLASSES, "by message class: there is a packet"),
    room=(CLASSES, "by message class: more rows are free than threshold"),
    errors=(1, "any bit of errors is set"),
)
"""Reasons for an interrupt."""

MISUSES = {
    "length": "a packet of 0 words or of more than packet_limit was begun, and refused",
    "destination": "a packet to a node without a terminal was begun, and refused",
    "unfinished": "a packet was begun before the one before was complete, and refused",
    "full": "a packet was begun for which there are too few free rows, and refused",
    "surplus": "send_data was written without a packet that was begun, and refused",
    "empty": "receive_data was read, or discard written, without a packet there",
    "partial": "a write that was not of all four bytes was refused",
    "aborted": "abort removed a packet that was begun and not complete",
}
"""What software can do wrong, in the order of the bits of errors."""

TOTAL = (1 << 16) - 1
"""Where counters of misuses and of bad packets stop."""
