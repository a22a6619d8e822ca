"""Planted faults of the two-phase routing unit."""

from fingerpost.testbench.faults.fault import Fault

__all__ = ["FAULTS"]

FAULTS = (
    # Decisions
    Fault(
        "rom-bit-flipped",
        "lib/logic.py",
        "indices[entry].append(i)",
        "indices[entry ^ 4 * (i == 3)].append(i)",
        "unit",
        "One bit of entry 3 of the phase II ROM is wrong.",
    ),
    Fault(
        "wrong-entry-constant",
        "routing/two_phase.py",
        'straps[f"entry{i}"]',
        'straps[f"entry{(i + 1) % k}"]',
        "unit",
        "The phase II word starts at the entry to another class.",
    ),
    Fault(
        "wrong-modulus",
        "lib/logic.py",
        "difference + modulus, difference",
        "difference + modulus - 1, difference",
        "unit",
        "Differences below 0 wrap around one too low.",
    ),
    Fault(
        "wrong-phase-bit",
        "routing/two_phase.py",
        "self.next_header.phase.eq(~walking)",
        "self.next_header.phase.eq(walking)",
        "unit",
        "A packet in phase I is marked as in phase II, and the other way round.",
    ),
    Fault(
        "short-shift",
        "routing/two_phase.py",
        "header.word >> 2",
        "header.word >> 1",
        "unit",
        "Phase II takes one bit from the word instead of a letter.",
    ),
    Fault(
        "bad-destination-accepted",
        "routing/two_phase.py",
        "at_least(header.x, C(p))",
        "at_least(header.x, C(p + 1))",
        "unit",
        "A header that names no node is launched.",
    ),
    Fault(
        "letters-skipped",
        "routing/two_phase.py",
        "header.word >> 2",
        "header.word >> 4",
        "path",
        "In phase II every second letter of the word is left out.",
    ),
)
