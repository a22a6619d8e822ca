"""A queue of complete packets beside its model, clock by clock."""

import pytest

from fingerpost.testbench.terminals.endpoints import PacketQueueStimulus
from tests.hdl.terminal.beside import lock_step


@pytest.mark.parametrize(("bytes", "number", "depth"), [(1, 1, 2), (2, 3, 4), (4, 5, 16)])
def test_beside_its_model(bytes: int, number: int, depth: int) -> None:
    lock_step(PacketQueueStimulus(bytes=bytes, number=number, depth=depth, seed=depth), 2500)
