"""Faults of mailboxes."""

from tests.testbench.faults.fault import TEST, Fault
from tests.testbench.faults.networks import MAILBOXES

__all__ = ["FAULTS"]


def fault(name: str, file: str, old: str, new: str, description: str) -> Fault:
    """Return a fault that the lock-step of a mailbox with its model shall find."""
    return Fault(
        name,
        f"terminal/mailbox_{file}.py",
        old,
        new,
        TEST,
        description,
        test="terminal/test_mailbox.py",
    )


FAULTS = (
    fault(
        "sent-incomplete",
        "sender",
        "completes.eq(self.push & (self.open == 1))",
        "completes.eq(self.begin)",
        "A packet is sent from its beginning on, complete or not.",
    ),
    fault(
        "one-row-too-many",
        "sender",
        "(head.length >= free)",
        "(head.length > free)",
        "A packet is begun for which there is a row too few.",
    ),
    fault(
        "rows-lost-by-abort",
        "sender",
        "+ Mux(removes, reserved, 0)",
        "+ Mux(removes, self.open, 0)",
        "An abort does not give back the rows that are written.",
    ),
    fault(
        "any-destination",
        "sender",
        "self.destination.eq(~mask",
        "self.destination.eq(0 & ~mask",
        "A packet to a node without a terminal is sent.",
    ),
    fault(
        "taken-without-room",
        "receiver",
        "self.rows - self.limit - 1",
        "self.rows - self.limit",
        "A packet is taken for which there may be a row too few.",
    ),
    fault(
        "long-packet-kept",
        "receiver",
        "fits.eq(count != self.limit)",
        "fits.eq(1)",
        "Words beyond the longest packet are written.",
    ),
    fault(
        "shown-early",
        "receiver",
        "closed.eq(closing)",
        "closed.eq(taken & stream.tlast)",
        "A packet is shown before what is told of it is there.",
    ),
    fault(
        "cut-without-a-mark",
        "receiver",
        "stream.tuser[0] | ~fits",
        "stream.tuser[0]",
        "A packet of which words were dropped has no error mark.",
    ),
    fault(
        "error-forgotten",
        "registers",
        "errors.eq((errors & ~forget) | told)",
        "errors.eq((errors | told) & ~forget)",
        "An error in the cycle in which software clears it is lost.",
    ),
    fault(
        "word-taken-early",
        "registers",
        "take = since[1] & reading",
        "take = since[0] & reading",
        "A word is removed a cycle before it is answered.",
    ),
    fault(
        "interrupt-without-reason",
        "registers",
        "(pending & enable).any()",
        "pending.any()",
        "A reason that is not enabled makes an interrupt.",
    ),
    fault(
        "misuse-done",
        "registers",
        "sender.push.eq(push & ~refuse)",
        "sender.push.eq(push)",
        "A word without a packet is written.",
    ),
    Fault(
        "node-of-neighbour",
        "terminal/mailbox.py",
        ".node(16'd{node})",
        ".node(16'd{node ^ 1})",
        "mailbox",
        "A mailbox tells the number of a neighbour.",
        network=MAILBOXES,
    ),
    Fault(
        "classes-swapped",
        "terminal/mailbox.py",
        "for label in labels)",
        'for label in (labels if way == "s" else labels[::-1]))',
        "mailbox",
        "A mailbox receives packets of the other message class.",
        network=MAILBOXES | {"router": {"classes": 2}},
    ),
)
