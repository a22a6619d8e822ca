"""Mailboxes: what can be. What their registers do is proven (fingerpost.formal)."""

from typing import Any

import pytest

from fingerpost.golden.link import link
from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.network.network import build, routed
from fingerpost.golden.terminal import terminal
from fingerpost.golden.terminal.flow_layout import FlowLayout
from fingerpost.golden.traffic import Traffic
from tests.golden.deflection.examples import deflection
from tests.networks import load

GRID: dict[str, Any] = {
    "name": "four",
    "topology": {"family": "grid", "sizes": [2, 2]},
    "routing": {"algorithm": "table"},
    "terminal": {"kind": "mailbox", "packet_limit": 6},
}


def test_numbers_of_endpoints_fit_into_a_register() -> None:
    many = routed(load("borel-15657").description).routing
    four, eight = (terminal({"terminal": {"kind": "mailbox", "endpoints": n}}, 32) for n in (4, 8))
    with pytest.raises(ValueError, match="for a head flit"):  # their numbers fit
        four.flit_width(32, many, link(None))
    message = "^Mailbox needs at most 65535 nodes or endpoints, not 125256$"
    with pytest.raises(ValueError, match=message):
        eight.flit_width(32, many, link(None))


def test_a_beat_of_the_network_is_not_of_the_limits() -> None:
    """The limits of a file count words; those of flow control count the first beat, too."""
    own = {"flow_control": "end-to-end", "eager": 2, "packet_limit": 6, "receive": 8}
    shared = build(GRID | {"terminal": GRID["terminal"] | own | {"endpoints": 2}})
    flow = shared.terminal.flow(shared)  # type: ignore[attr-defined]
    assert (flow.eager, flow.packet_limit, flow.receive) == (3, 7, 9)
    wide = own | {"kind": "axi-stream", "endpoints": 2, "eager": 16, "packet_limit": 16}
    most = build(GRID | {"terminal": wide | {"receive": 16}})
    flow = most.terminal.flow(most)  # type: ignore[attr-defined]
    assert flow.window == 34 < 1 << FlowLayout.controlled(most, flow).length
    shared.terminal.check(Traffic(shared, load=0.1, cycles=100, lengths=(7, 7)))
    message = "^Mailbox needs a packet_limit of at least 7 words for such packets, not 6$"
    with pytest.raises(ValueError, match=message):
        shared.terminal.check(Traffic(shared, load=0.1, cycles=100, lengths=(8, 8)))


def test_needs_of_deflection_routers() -> None:
    plain = deflection("uneven").description
    for router, own, message in (
        ({}, {}, "^Mailbox at deflection routers needs flow_control: end-to-end, not none"),
        ({"flit_width": 64}, {"flow_control": "end-to-end"}, "^Mailbox needs a flit_width of 32"),
    ):
        changed = {"router": plain["router"] | router, "terminal": GRID["terminal"] | own}
        with pytest.raises(ValueError, match=message):
            build_deflection({**plain, **changed})
