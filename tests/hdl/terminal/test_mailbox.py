"""The registers of a mailbox beside their model: every output in every clock, whatever comes."""

import pytest

from fingerpost.golden.terminal.mailbox_layout import MISUSES
from fingerpost.testbench.terminals.mailbox import MailboxStimulus
from tests.hdl.terminal.beside import lock_step
from tests.quick import only

MOVES = [f"{what} {way}" for what in ("moved", "wrong") for way in ("in", "out")]


@pytest.mark.parametrize(
    ("bus", "seed", "dma"),
    only(
        [("axi-lite", 0, False)],
        [("axi-lite", 0, False), ("axi-lite", 4, True), ("wishbone", 0, False)],
    ),
)
def test_beside_its_model(bus: str, seed: int, dma: bool) -> None:
    stimulus = MailboxStimulus(bus=bus, dma=dma, seed=seed)
    lock_step(stimulus, 6000 if dma else 3600)
    due = [*MISUSES, "sent", "taken", "irq", "long", *(MOVES if dma else ())]
    assert all(stimulus.met[name] > 2 for name in due if dma or name != "ring"), stimulus.met
