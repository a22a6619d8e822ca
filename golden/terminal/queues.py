"""Queues in LUT-RAM, and in block RAM as fingerpost.hdl's `BlockQueue`.

Which rows of memory a queue uses is not that of hardware: an empty one begins with its first row
again, so that few are in use.
"""

from typing import Any

from fingerpost.golden.jit.compile import compiled


@compiled
def front_row(queue: Any, rows: Any, number: int, depth: int) -> Any:
    """Return the row at the front of the queue of that number."""
    return rows[number * depth + queue.read]


@compiled
def write_row(queue: Any, rows: Any, first: int, depth: int, pop: bool, clock: Any) -> Any:
    """Return the record of the row behind the last, to be filled in; call before the step.

    If there is no room, `clock.overflow` is set.
    """
    place = queue.read + queue.level
    if place >= depth:
        place -= depth
    if queue.level - pop >= depth:
        clock.overflow = 1
    return rows[first + place]


@compiled
def step_queue(queue: Any, pop: bool, push: bool, depth: int) -> None:
    """Go through a clock edge: count what is taken away, and written."""
    if pop:
        queue.read = queue.read + 1 if queue.read + 1 < depth else 0
    queue.level += push - pop
    if queue.level == 0:
        queue.read = 0


@compiled
def step_block_queue(queue: Any, pop: bool, push: bool, depth: int) -> None:
    """Do the same with a queue of which all rows but the front are in block RAM."""
    waiting = queue.level > queue.front_valid + queue.fetched
    load = pop or not queue.front_valid
    direct = push and load and not queue.fetched and not waiting
    queue.front_valid = queue.fetched or direct if load else True
    queue.fetched = waiting if load or not queue.fetched else True
    step_queue(queue, pop, push, depth)
