"""Queue in block RAM: entries come out in order, none lost or doubled, none late."""

from typing import Any

from amaranth import Signal
from amaranth.lib import data

from fingerpost.formal.armed import Armed
from fingerpost.formal.contract import Contract, level
from fingerpost.hdl.lib.block_queue import BlockQueue

__all__ = ["block_queue"]


def block_queue(*, depth: int, block_rows: int = 4) -> Contract:
    """Return what the queue promises of any pushes while there is room, and pops while `valid`.

    Any one entry is armed. Once those ahead of it are popped it is at the front as it was pushed,
    and at once if there are none. While there are entries, one is missing at the front for at most
    one cycle at a time.
    """
    contract = Contract()
    m = contract.m
    shape = data.StructLayout({"word": 2})
    m.submodules.dut = dut = BlockQueue(shape, depth=depth, block_rows=block_rows)
    push, pop, word = contract.free(dut, "push", "pop", "entry")
    valid = contract.see("valid", dut.valid)
    contract.assume(valid | ~pop)
    held = level(contract, "held", depth, up=push, down=pop)
    contract.assume((held != depth) | ~push | pop)
    at_once, missed = Signal(), Signal()
    m.d.sync += [at_once.eq(push & (held == pop)), missed.eq(~valid & (held != 0))]
    contract.claim("valid", ~valid | (held != 0))
    contract.claim("at_once", ~at_once | valid)
    if depth > 1:  # else an entry is pushed into an empty queue
        contract.claim("soon", ~missed | valid)
    armed = Armed(contract, push, pop, held)
    front: Any = dut.front
    contract.claim("front", ~(armed.front & valid) | (front.word == armed.keep("its", word)))
    return contract
