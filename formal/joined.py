"""Two ports joined by a link: no credit is ever lost or made between them."""

from typing import Any

from amaranth import Cat, Signal, Value

from formal.contract import Contract, at_most_one, level
from formal.triangle import PORTS, triangle
from golden.deadlock.lanes import Lanes
from hdl.input_port import InputPort
from hdl.output_port import OutputPort

__all__ = ["joined"]


def joined(*, channels: int, depth: int, register: bool = False) -> Contract:
    """Return what an output port and the input port behind its link promise one another.

    Anything waits at the inputs of the one, malformed or not, and from the other flits go whenever
    they like, or are drained. On any one channel the credits that are at the sender and the flits
    that cross, on the link, in the queue, and the credit that returns are as many as the queue
    has places, in every state. That the sender has one is seen when a body flit waits there.

    Parameters
    ----------
    channels, depth, register
        As for `InputPort`.
    """
    contract = Contract()
    m = contract.m
    routing, lanes = triangle(), Lanes(channels, channels)
    width = routing.header.width + 1
    m.submodules.sender = sender = OutputPort(
        channels=(channels, channels), terminal=False, lanes=lanes, eject=False, depth=depth,
        flit_width=width,
    )  # fmt: skip
    m.submodules.receiver = receiver = InputPort(
        routing, port=0, outputs=tuple(range(PORTS)), channels=channels, depth=depth,
        flit_width=width, register=register,
    )  # fmt: skip
    increments = contract.constant("increments", 2)
    m.d.comb += [
        sender.increments.eq(increments),
        receiver.straps.eq(contract.constant("straps", routing.straps.width)),
        receiver.link.valid.eq(sender.link.valid),
        receiver.link.flit.eq(sender.link.flit),
        sender.link.credit.eq(receiver.link.credit),
        receiver.header.eq(sender.link.flit.data[: routing.header.width]),
        receiver.refused.eq(contract.anything("refused")),
        receiver.ready.eq(receiver.waits & contract.anything("ready", channels)),
        receiver.soon.eq(receiver.waits & contract.anything("soon", channels)),
        receiver.granted.eq(
            contract.anything("granted") & (receiver.ready & receiver.nominee).any()
        ),
    ]
    chosen = contract.one_of("chosen", channels)

    def of(values: Value) -> Value:
        return (values & chosen).any()

    # The sender.
    bodies, able, leaves = [], [], []
    for i, front in enumerate(sender.fronts):
        bits: Any = contract.anything(f"front{i}", len(Value.cast(front)))
        m.d.comb += [
            Value.cast(front).eq(bits),
            Value.cast(sender.crossing[i]).eq(
                contract.anything(f"crossing{i}", len(Value.cast(sender.crossing[i])))
            ),
        ]
        contract.assume(at_most_one(front.nominee))
        for v in range(channels):
            raised = chosen[int(lanes.next_vc[v])]
            here = (increments[i] & raised) | (~increments[i] & chosen[v])
            bodies.append(here & front.waits[v] & front.wants[v] & ~front.head[v])
            able.append(sender.able[i][v])
            leaves.append(here & sender.grant[i] & front.nominee[v])
    taken, crosses = contract.see("taken", Cat(leaves).any()), Signal()
    m.d.sync += crosses.eq(taken)

    # All that is away from it.
    on_link = contract.see("on_link", of(sender.link.valid))
    wants = Cat(of(Cat(w[k] for w in receiver.wants)) for k in range(PORTS))
    drained = of(receiver.waits) & ~wants.any()
    goes = contract.see("goes", (receiver.granted & of(receiver.nominee)) | drained)
    held = level(contract, "held", depth, up=on_link, down=goes)
    back = contract.see("back", of(receiver.link.credit))
    away = contract.see("away", crosses + on_link + held + back)
    contract.claim("room", ~on_link | (held != depth))
    contract.claim("none_made", (away < depth) | ((away == depth) & ~taken))
    conserved = (Cat(able) ^ (away != depth).replicate(len(able))) & Cat(bodies)
    contract.claim("none_lost", ~conserved.any())
    return contract
