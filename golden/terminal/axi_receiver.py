"""From the network to AXI4-Stream; the twin of fingerpost.hdl.terminal.axi_receiver.

Heads are taken out, and the last beat of a packet is its tail. Flits wait in a queue as deep as the
credits that the router has, so it never overflows. A credit goes back in the cycle after a flit has
left it.
"""

from fingerpost.golden.jit.compile import compiled
from fingerpost.golden.router.state import Config, State
from fingerpost.golden.terminal.axi_users import unpack


@compiled
def front(stream: int, config: Config, state: State) -> bool:
    """Make the beat of this cycle; return tvalid."""
    terminals = state.terminals
    receiver = terminals.receiver[stream]
    queued = terminals.queue[stream * config.terminal.depth + receiver.read]
    unpack(terminals.beat[stream], queued.data, queued.tail, queued.tag, config)
    return receiver.level > 0 and not queued.head


@compiled
def step_receiver(stream: int, ready: bool, config: Config, state: State) -> None:
    """Let a receiver go through a clock edge."""
    terminals, terminal = state.terminals, config.terminal
    receiver, came = terminals.receiver[stream], terminals.came[stream]
    first = stream * terminal.depth
    queued = terminals.queue[first + receiver.read]
    head = receiver.level > 0 and queued.head
    goes = receiver.level > 0 and (head or ready)
    if head:
        receiver.source = queued.data >> terminal.source_offset & terminal.source_mask
    if came.valid:
        write = terminals.queue[first + (receiver.read + receiver.level) % terminal.depth]
        write.data, write.tag, write.head, write.tail = came.data, came.tag, came.head, came.tail
    receiver.level += came.valid - goes
    if goes:
        receiver.read = (receiver.read + 1) % terminal.depth
    receiver.credit = goes
