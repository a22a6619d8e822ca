"""Two ports joined by a link: no credit is ever lost or made between them."""

from typing import Any

from amaranth import Cat, Value

from fingerpost.formal.contract import Contract, at_most_one, level, past
from fingerpost.formal.input_port import PORTS, triangle_input
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.hdl.router.output_port import OutputPort

__all__ = ["joined"]


def joined(*, channels: int, depth: int, register: bool = False) -> Contract:
    """Return the contract of an output port with the input port behind its link.

    The inputs of the one have any flits, malformed or not; from the other, flits leave at any time
    or are discarded. Add up, for any one virtual channel, the credits at the sender, the flits in
    switch traversal, on the link and in the buffer, and the returning credit. In every state the
    sum is the depth of the buffer. A body flit that waits at the sender shows whether there is a
    credit.

    Parameters
    ----------
    channels, depth, register
        As for `InputPort`.
    """
    contract = Contract()
    m = contract.m
    lanes = Lanes(channels, channels)
    receiver = triangle_input(channels=channels, depth=depth, register=register)
    routing = receiver.routing
    m.submodules.sender = sender = OutputPort(
        channels=(channels, channels),
        terminal=False,
        lanes=lanes,
        eject=False,
        depth=depth,
        flit_width=receiver.flit_width,
    )
    m.submodules.receiver = receiver
    increments = contract.constant("increments", 2)
    m.d.comb += [
        sender.increments.eq(increments),
        receiver.straps.eq(contract.constant("straps", routing.straps.width)),
        receiver.link.valid.eq(sender.link.valid),
        receiver.link.flit.eq(sender.link.flit),
        sender.link.credit.eq(receiver.link.credit),
        receiver.header.eq(sender.link.flit.data[: routing.header.width]),
        receiver.refused.eq(contract.anything("refused")),
        receiver.eligible.eq(receiver.valid & contract.anything("eligible", channels)),
        receiver.eligible_next.eq(receiver.valid & contract.anything("eligible_next", channels)),
        receiver.granted.eq(
            contract.anything("granted") & (receiver.eligible & receiver.candidate).any()
        ),
    ]
    chosen = contract.one_of("chosen", channels)

    def of(values: Value) -> Value:
        return (values & chosen).any()

    # The sender.
    bodies, eligible, leaves = [], [], []
    for i, front in enumerate(sender.fronts):
        bits: Any = contract.anything(f"front{i}", len(Value.cast(front)))
        m.d.comb += [
            Value.cast(front).eq(bits),
            Value.cast(sender.st_flit[i]).eq(
                contract.anything(f"st_flit{i}", len(Value.cast(sender.st_flit[i])))
            ),
        ]
        contract.assume(at_most_one(front.candidate))
        for v in range(channels):
            raised = chosen[int(lanes.next_vc[v])]
            here = (increments[i] & raised) | (~increments[i] & chosen[v])
            bodies.append(here & front.valid[v] & front.request[v] & ~front.head[v])
            eligible.append(sender.eligible[i][v])
            leaves.append(here & sender.grant[i] & front.candidate[v])
    taken = contract.see("taken", Cat(leaves).any())
    crosses = past(m, taken)

    # All that is away from it.
    on_link = contract.see("on_link", of(sender.link.valid))
    request = Cat(of(Cat(r[k] for r in receiver.request)) for k in range(PORTS))
    discarded = of(receiver.valid) & ~request.any()
    goes = contract.see("goes", (receiver.granted & of(receiver.candidate)) | discarded)
    held = level(contract, "held", depth, up=on_link, down=goes)
    back = contract.see("back", of(receiver.link.credit))
    away = contract.see("away", crosses + on_link + held + back)
    contract.claim("room", ~on_link | (held != depth))
    contract.claim("none_made", (away < depth) | ((away == depth) & ~taken))
    conserved = (Cat(eligible) ^ (away != depth).replicate(len(eligible))) & Cat(bodies)
    contract.claim("none_lost", ~conserved.any())
    return contract
