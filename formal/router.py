"""Two ports joined by a link, and a whole router: credits both ways, packets in one piece."""

from itertools import product
from typing import Any

import numpy as np
from amaranth import Cat, Signal, Value
from amaranth.lib import data

from fingerpost.formal.contract import Contract, at_most_one, claim_room, in_stages, level, past
from fingerpost.formal.input_port import PORTS, any_outputs, leaves, triangle, triangle_input
from fingerpost.golden.deadlock.lanes import Lanes
from fingerpost.golden.router.pipeline import Pipeline
from fingerpost.hdl.lib.header import flit_layout
from fingerpost.hdl.router.output_port import OutputPort
from fingerpost.hdl.router.router import Router

LOCAL = PORTS - 1


def joined(*, channels: int, depth: int, pipeline: Pipeline = Pipeline()) -> Contract:
    """Return the contract of an output port with the input port behind its link.

    The inputs of the one have any flits, malformed or not; from the other, flits leave at any time
    or are discarded. Add up, for any one virtual channel, the credits at the sender, the flits in
    switch traversal, on the link and in the buffer, and the returning credit. In every state the
    sum is the depth of the buffer. A body flit that waits at the sender shows whether there is a
    credit.

    Parameters
    ----------
    channels, depth, pipeline
        As for `InputPort`.
    """
    contract = Contract()
    m = contract.m
    lanes = Lanes(channels, channels)
    receiver = triangle_input(m, channels=channels, depth=depth, pipeline=pipeline)
    routing = receiver.routing
    m.submodules.sender = sender = OutputPort(
        channels=(channels, channels),
        terminals=0,
        lanes=lanes,
        eject=False,
        depth=depth,
        flit_width=receiver.flit_width,
        pipeline=pipeline,
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
    ]
    any_outputs(contract, receiver)
    chosen = contract.one_of("chosen", channels)

    def of(values: Value) -> Value:
        return (values & chosen).any()

    # The sender.
    bodies, eligible, sends = [], [], []
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
            sends.append(here & sender.grant[i] & front.candidate[v])
    taken = contract.see("taken", Cat(sends).any())
    crosses = in_stages(m, taken, pipeline.link_cycles - 1)

    # All that is away from it.
    on_link = contract.see("on_link", of(sender.link.valid))
    goes = contract.see("goes", leaves(receiver, chosen))
    held = level(contract, "held", depth, up=on_link, down=goes)
    returning = in_stages(m, goes, pipeline.credit - 1)
    back = contract.see("back", of(receiver.link.credit) + returning)
    away = contract.see("away", crosses + on_link + held + back)
    contract.claim("room", ~on_link | (held != depth))
    contract.claim("none_made", (away < depth) | ((away == depth) & ~taken))
    conserved = (Cat(eligible) ^ (away != depth).replicate(len(eligible))) & Cat(bodies)
    contract.claim("none_lost", ~conserved.any())
    return contract


def router(
    *,
    lanes: Lanes,
    depth: int,
    bypass_limit: int = 0,
    turn_bypass_limit: int = 0,
    batches: bool = True,
    pipeline: Pipeline = Pipeline(),
) -> Contract:
    """Return what a router of two links and a terminal promises, at any node and of any flits.

    Flits come on links with credits, from the terminal with or without. Each gives back one
    credit. On any one channel of any output none is sent without a credit, and heads and tails
    take turns. The flits of any one packet are marked, of all others not: no packet that leaves
    has both. A marked head leaves once at most, by the port of its header, and never if that names
    no node or no port. An output that is said to stall sends nothing for the cycle that is meant.

    Parameters
    ----------
    lanes, depth, batches, pipeline
        As for `Router`.
    bypass_limit, turn_bypass_limit : int
        The bypass limit of the terminal, and that of one link at the output to the other.
    """
    contract = Contract()
    m = contract.m
    routing = triangle()
    width = routing.header.width + 1
    bypass_limits = np.zeros((LOCAL + 1, LOCAL + 1), int)
    bypass_limits[LOCAL] = bypass_limit
    bypass_limits[0, 1] = turn_bypass_limit
    m.submodules.dut = dut = Router(
        routing,
        lanes=lanes,
        depth=depth,
        flit_width=width,
        batches=batches,
        bypass_limits=bypass_limits,
        pipeline=pipeline,
        stalls=True,
    )
    straps = contract.constant("straps", routing.straps.width)
    m.d.comb += [dut.straps.eq(straps), dut.increments.eq(contract.constant("increments", 4))]

    # What comes in: the packet that begins at some moment on some channel is marked.
    ways = [(p, v) for p in range(LOCAL) for v in range(lanes.all_channels)]
    ways += [(LOCAL, c) for c in range(lanes.copies)]
    chosen = contract.one_of("chosen", len(ways))
    marking, marked, now = Signal(), Signal(), contract.anything("now")
    kept = Signal(routing.header.width)
    links = [*dut.inputs, dut.inject]
    for p, link in enumerate(links):
        valid = contract.anything(f"in{p}", len(link.valid))
        word = contract.anything(f"in{p}_flit", flit_layout(width).size)
        flit: Any = data.View(flit_layout(width), word)
        m.d.comb += [link.valid.eq(valid), link.flit.eq(flit)]
        contract.assume(at_most_one(valid))
        mark = Signal(name=f"mark{p}")
        contract.assume(flit.data[-1] == mark)  # of a flit that the injection makes, too
        for k in range(len(ways)):
            if ways[k][0] != p:
                continue
            v = ways[k][1]
            arrives = valid[v]
            owed = level(contract, f"owed{p}{v}", depth, up=arrives, down=link.credit[v])
            with_credit = (owed != depth) | ~arrives
            if p == LOCAL:
                # Without credits the injection drops flits, and inserts tails.
                contract.assume(with_credit | ~chosen[k])
                contract.claim(f"credit{p}{v}", ~link.credit[v] | (owed != 0) | ~chosen[k])
            else:
                contract.assume(with_credit)
                contract.claim(f"credit{p}{v}", ~link.credit[v] | (owed != 0))
            inside = Signal(name=f"inside{p}{v}")
            with m.If(arrives):
                m.d.sync += inside.eq((inside | flit.head) & ~flit.tail)
            with m.If(chosen[k] & arrives):
                begins = now & ~marked & flit.head & ~inside
                m.d.comb += mark.eq(begins | marking)
                m.d.sync += marking.eq((begins | marking) & ~flit.tail)
                with m.If(begins):
                    m.d.sync += [marked.eq(1), kept.eq(flit.data[:-1])]
    contract.see("marked", marked)

    port = Signal(range(PORTS + 1), init=PORTS)
    for node in range(3):
        with m.If(marked & (kept == node)):
            m.d.comb += port.eq(straps.word_select(node, len(straps) // 3))
    with m.If(kept == 3):
        m.d.comb += port.eq(PORTS)
    _outputs(contract, dut, ways, chosen, port, depth)
    return contract


def _outputs(
    contract: Contract,
    dut: Router,
    ways: list[tuple[int, int]],
    chosen: Signal,
    port: Signal,
    depth: int,
) -> None:
    """Claim all that is about one channel of one output."""
    m = contract.m
    watched = contract.one_of("watched", len(ways))
    flit = Signal(len(Value.cast(dut.eject.flit)))
    valid, credit, sends, stalled = Signal(), Signal(), Signal(), Signal()
    for p, link in enumerate([*dut.outputs, dut.eject]):
        back = contract.anything(f"back{p}", len(link.credit))
        m.d.comb += link.credit.eq(back)
        if len(link.valid) > 1:
            contract.claim(f"one_channel{p}", at_most_one(link.valid))
        for k, (at, v) in enumerate(ways):
            if at == p:
                with m.If(watched[k]):
                    m.d.comb += [flit.eq(link.flit), valid.eq(link.valid[v]), credit.eq(back[v])]
                    m.d.comb += [sends.eq(link.valid.any()), stalled.eq(dut.stalled[p])]
    claim_room(contract, "", depth, valid=valid, credit=credit)

    word: Any = data.View(flit_layout(dut.flit_width), flit)
    mark = word.data[-1]
    inside, its_mark, left = Signal(), Signal(), Signal()
    with m.If(valid):
        m.d.sync += [inside.eq(~word.tail), its_mark.eq(mark), left.eq(left | (word.head & mark))]
    for name, value in (("leaves", valid), ("flit", flit), ("inside", inside)):
        contract.see(name, value)
    contract.claim("stalled", ~past(m, stalled, dut.pipeline.link_cycles - 1) | ~sends)
    contract.claim("head_first", ~valid | (word.head == ~inside))
    contract.claim("unmixed", ~(valid & inside) | (mark == its_mark))
    contract.claim("once", ~(valid & word.head & mark & left))
    by = Cat(watched[k] & (port == p) for k, (p, _) in enumerate(ways)).any()
    contract.claim("by_its_port", ~(valid & mark) | by)
    if dut.classes > 1:
        of = [v if p == LOCAL else v // dut.lanes.channels for p, v in ways]
        both = [(k, i) for k, i in product(range(len(ways)), repeat=2) if of[k] == of[i]]
        same = Cat(watched[k] & chosen[i] for k, i in both).any()
        contract.claim("in_its_class", ~(valid & mark) | same)
