"""A deflection router keeps every flit, and changes none."""

from typing import Any

from amaranth import Value

from fingerpost.formal.contract import Contract
from fingerpost.formal.deflection import Cohort, cohort, total

__all__ = ["deflection_flits", "flits"]


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
