"""What goes in and comes out in a cycle, noted for `golden.compiled.base.Record`."""

from golden.compiled.jit import compiled
from golden.compiled.layout import Fixed, State, Tape

__all__ = ["note"]


@compiled
def note(tape: Tape, row: int, fixed: Fixed, state: State) -> None:
    """Note what the terminals send, and the registers before the clock edge."""
    moving, routers, now = state.moving, state.routers, state.clock[0].now
    here, slot = now & 1, now % (fixed.launch_cycles + 1)
    for node in range(fixed.nodes):
        tape.errors[row, node] = routers.errors[node]
        tape.overruns[row, node] = min(routers.lost[node], fixed.most_overruns)
    for entry in range(moving.injection_count[slot]):
        flit = moving.injection[slot, entry]
        tape.given_valid[row, flit.node] = 1
        tape.given_head[row, flit.node] = flit.head
        tape.given_tail[row, flit.node] = flit.tail
        tape.given_data[row, flit.node] = flit.data
    for entry in range(moving.flit_count[here]):
        flit = moving.flits[here, entry]
        tape.valid[row, flit.place] = 1 << flit.channel
        tape.head[row, flit.place] = flit.head
        tape.tail[row, flit.place] = flit.tail
        tape.data[row, flit.place] = flit.data
    for entry in range(moving.credit_count[here]):
        place, channel = divmod(moving.credit[here, entry], fixed.channels)
        tape.credit[row, place] |= 1 << channel
