"""Parts of a deflection router: what becomes of flits, and their priorities."""

from functools import reduce
from operator import and_, or_
from typing import Any

from amaranth import Cat, Const, Mux, Signal, Value

from fingerpost.formal.contract import Contract
from fingerpost.formal.deflection import Cohort, cohort, total

__all__ = ["deflection_flits", "deflection_priority", "flits", "priority"]


def deflection_flits(*, topology: str, **router: Any) -> Contract:
    """Return the contract `flits` of a small router.

    Parameters
    ----------
    topology : str
        One of `fingerpost.formal.deflection.TOPOLOGIES`.
    router
        As in a network file.
    """
    return flits(cohort(topology, **router))


def flits(cohort: Cohort) -> Contract:
    """Return the contract of a router among any flits, with a table that says anything.

    What holds for any data, and for any header, holds for each flit: as many with that data leave
    by links and to the terminal as arrive and enter, and as many with that header leave by links
    as arrive and are not at their destination, or enter.
    """
    contract, node = cohort.contract, cohort.router
    header, data = contract.constant("header", len(node.inject.destination) + 1), node.flit_width
    some = contract.constant("data", data)

    def has(flit: Any) -> Value:
        return (flit.destination == header[1:]) & (flit.epoch == header[0])

    arriving = [link.valid for link in node.inputs]
    leaving = total([link.valid for link in node.outputs])
    ejected = [node.eject.valid[i] for i in range(len(node.eject.valid))]
    late = cohort.later(total([*arriving, cohort.entered]))
    out = cohort.later(total(ejected), node.network.hop_cycles - 1)
    contract.claim("as_many_leave", leaving + out == late)

    late = cohort.later(
        total(
            [
                *(link.valid & (link.flit.data == some) for link in node.inputs),
                cohort.entered & (node.inject.data == some),
            ]
        )
    )
    out = cohort.later(
        total(
            [
                valid & (node.eject.data.word_select(i, data) == some)
                for i, valid in enumerate(ejected)
            ]
        ),
        node.network.hop_cycles - 1,
    )
    here = total([link.valid & (link.flit.data == some) for link in node.outputs])
    contract.claim("same_data", here + out == late)

    for link in node.inputs:  # those that may be ejected are left out
        contract.assume(~link.valid | (link.flit.key != 0) | ~has(link.flit))
    enters = cohort.entered & (node.inject.destination == header[1:])
    late = cohort.later(
        total(
            [
                *(link.valid & has(link.flit) for link in node.inputs),
                enters & (cohort.current == header[0]),
            ]
        )
    )
    here = total([link.valid & has(link.flit) for link in node.outputs])
    contract.claim("same_header", here == late)
    return contract


def deflection_priority(*, topology: str, **router: Any) -> Contract:
    """Return the contract `priority` of a small router.

    Parameters
    ----------
    topology : str
        One of `fingerpost.formal.deflection.TOPOLOGIES`.
    router
        As in a network file.
    """
    return priority(cohort(topology, **router))


def priority(cohort: Cohort) -> Contract:
    """Return the contract of a router whose table goes with the keys, and whose terminal accepts.

    Of the flits that arrive together those of the older epoch come first, and of them those of
    least key. If that key is 0 one is ejected; if not, one of them leaves with a lower key. A flit
    that is injected has the current epoch, and is injected only if no other terminal is to come
    first.
    """
    contract, node = cohort.contract, cohort.router
    width = node.network.distance_width
    contract.assume(node.eject.ready.all())
    taking = cohort.later(Const(1), 1)  # not in the first cycle

    # Data tells what is old, and what was injected.
    for link, old in zip(node.inputs, cohort.old, strict=True):
        contract.assume(~link.valid | (link.flit.data == old))
    contract.assume(node.inject.data == 0b10)

    any_old = Cat(link.valid & old for link, old in zip(node.inputs, cohort.old, strict=True)).any()
    first = [
        link.valid & (old | ~any_old) for link, old in zip(node.inputs, cohort.old, strict=True)
    ]
    least: Value = Const((1 << width) - 1, width)
    for link, is_first in zip(node.inputs, first, strict=True):
        least = Mux(is_first & (link.flit.key < least), link.flit.key, least)
    least = contract.see("least", least)
    some = Cat(first).any()

    away, before = cohort.later(some & (least != 0)), cohort.later(least)
    kind = cohort.later(any_old)
    nearer = reduce(
        or_,
        [
            link.valid & (link.flit.key < before) & (~kind | link.flit.data[0])
            for link in node.outputs
        ],
    )
    contract.claim("first_gets_nearer", ~away | nearer)

    # The key is the distance behind the link, or more than it can be.
    most, keys = (1 << width) - 1, []
    slots = len(node.pairing.outputs)
    productive, distance = cohort.answer[:slots], cohort.answer[slots:]
    deflected = Mux(distance == most, most, distance + 1)[:width]
    if node.network.topology.directed:
        deflected = Const(most, width)
    for slot, port in enumerate(node.pairing.outputs):
        link = node.outputs[port]
        key = Mux(productive[slot], distance - 1, deflected)[:width]
        at_some = link.valid & (link.flit.destination == cohort.some)
        keys.append(~at_some | (link.flit.key == key))
    contract.claim("key_is_a_bound", reduce(and_, keys))

    if cohort.node_type.terminal:
        _terminal(cohort, any_old, some & (least == 0) & taking)
    return contract


def _terminal(cohort: Cohort, any_old: Value, home: Value) -> None:
    """Claim that what is at `home` is ejected, and when flits are injected."""
    contract, m, node = cohort.contract, cohort.contract.m, cohort.router
    home, kind = cohort.later(home, 1), cohort.later(any_old, 1)
    ejected = reduce(
        or_,
        [
            valid & (node.eject.data.word_select(i, node.flit_width) == kind)
            for i, valid in enumerate(iter(node.eject.valid))
        ],
    )
    contract.claim("first_ejected", ~home | ejected)

    now = cohort.later(cohort.current)
    injected = [
        ~(link.valid & link.flit.data[1]) | (link.flit.epoch == now) for link in node.outputs
    ]
    contract.claim("injected_is_new", reduce(and_, injected))

    if node.network.wait_limit is None:
        return
    held, ticked, pending = Signal(name="held"), Signal(name="ticked"), node.pending
    m.d.sync += [held.eq(node.hold), ticked.eq(node.tick)]
    inject = node.inject
    contract.claim("others_wait", ~inject.ready | pending | ~held)
    waits = inject.valid & ~inject.ready
    contract.claim("stays_pending", ~cohort.later(pending & waits, 1) | pending)
    contract.claim("becomes_pending", ~cohort.later(ticked & ~held & waits, 1) | pending)
    becomes = cohort.later(pending | (ticked & ~held), 1)
    contract.claim("none_joins", ~pending | (becomes & cohort.later(waits, 1)))
    places = [
        node.inputs[port].valid
        for slot, port in enumerate(node.pairing.inputs)
        if node.network.enters(slot)
    ]
    contract.claim(
        "enters_where_there_is_a_place", Cat(places).all() | inject.ready | (held & ~pending)
    )
