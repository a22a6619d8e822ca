"""The words of a mailbox's registers that have several fields; shared by model and hardware."""

from fingerpost.golden.header import Field, Layout

NODE_BITS, LENGTH_BITS = 16, 12

SEND = Layout.sequence(
    destination=(NODE_BITS, "number of the node"),
    length=(LENGTH_BITS, "words of the packet"),
)
"""What begins a packet, also in its first row of the memory of packets to send."""

RECEIVED = Layout(
    {
        "source": Field(0, NODE_BITS, "number of the node"),
        "length": Field(NODE_BITS, LENGTH_BITS, "words of the packet"),
        "error": Field(30, 1, "1 if it was damaged, or longer than packet_limit"),
        "valid": Field(31, 1, "1 if there is a packet, which is complete"),
    }
)
"""What is told of a packet that has arrived, also in its first row of the memory of them."""

ROOM = Layout.sequence(
    free=(16, "free rows; a packet of n words needs n + 1"),
    open=(16, "words that send_data still needs"),
)

RING = Layout(
    {
        "tail": Field(0, 8, "descriptors given so far, modulo 2 x descriptors"),
        "head": Field(8, 8, "descriptors done so far, modulo the same"),
        "enabled": Field(16, 1, "the ring is served"),
        "busy": Field(17, 1, "a descriptor is being served"),
    }
)
"""How far a ring of descriptors is."""

CLASSES = 4
"""Message classes at most."""

ENABLE = Layout.sequence(
    received=(CLASSES, "by message class: a packet is there"),
    room=(CLASSES, "by message class: more rows than threshold are free"),
    errors=(1, "a bit of errors is set"),
    finished=(CLASSES, "by message class: a bit of finished is set"),
)
"""Reasons for an interrupt."""

MISUSES = {
    "length": "refused: a packet of 0 words or more than packet_limit",
    "destination": "refused: a packet to a node without a terminal",
    "unfinished": "refused: a packet before the previous one was complete",
    "full": "refused: a packet without enough free rows",
    "surplus": "refused: send_data written outside a packet",
    "empty": "refused: receive_data read or discard written without a packet",
    "partial": "refused: a write of fewer than four bytes",
    "aborted": "abort removed an incomplete packet",
    "ring": "refused: a ring outside memory or in use, or more descriptors than it has",
}
"""What software can do wrong, in the order of the bits of errors."""

TOTAL = (1 << 16) - 1
"""Where counters of misuses and of bad packets stop."""
