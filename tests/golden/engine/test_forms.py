"""The two forms of the model are equal in every register, and the parts of a network too."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fingerpost.golden.engine import engine, unfit, wormhole
from fingerpost.golden.engine.wormhole import Wormhole
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.traffic import Traffic
from fingerpost.netfile.source import load
from tests.networks import BIPARTITE, borel21, built, only

MASKS_OF_PARTS = "in_flight.arriving", "in_flight.credits"
"""Arrays of (runs, slots, parts, nodes) that have a mask for each part of a network."""

OF_PARTS = "winner", "of"
"""What means nothing between cycles, and the digest of the settings, which has the parts."""


def difference(
    network: Network, cycles: int, *, stop: int = 0, traffic: dict[str, Any], **options: Any
) -> str:
    """Return the first array in which the forms differ, looking 20 times; nothing if none does.

    Terminals begin nothing from cycle `stop` on.
    """
    packets = [Traffic(network, cycles=stop or cycles, **traffic) for _ in range(2)]
    models = [
        engine(network, [one], compiled=compiled, **options)
        for one, compiled in zip(packets, (True, False), strict=True)
    ]
    while (now := models[0].runs[0].now) < cycles:
        for model in models:
            model.run(min(cycles // 20, cycles - now))
            if model.runs[0].now >= stop > now:
                model.runs[0].stop()
        compiled, plain = (dict(model.state()) for model in models)
        for name, array in compiled.items():
            both = array, plain[name]
            if name in MASKS_OF_PARTS:
                both = np.bitwise_or.reduce(both[0], 2), np.bitwise_or.reduce(both[1], 2)
            if name not in OF_PARTS and not np.array_equal(*both):
                return f"{network.name}, cycle {models[0].runs[0].now}, {name}"
    return ""


NETWORKS = {
    path.stem: path
    for path in Path("networks").glob("*.yaml")
    if not path.stem.endswith("-deflection")
}

SERIAL = "-os-link", "-transputers"
"""How networks are called whose links or terminals are not those of the compiled model."""

SMALL = 200
"""Nodes up to which a network is run for 2,000 cycles; larger ones are run for 1,000 at most."""

MOST = 4_000_000
"""Cycles times nodes, at most: in plain Python so many take some minutes."""

MALFORMED: dict[str, Any] = {"load": 0.6, "lengths": (1, 4), "malformed": 0.03}

QUICK: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "free links": ("borel-21-adaptive", {}, MALFORMED, {"stall": 0.2}),
    "stalls": ("borel-21", {}, MALFORMED, {"stall": 0.3}),
    "one channel": ("mesh-8x8", {}, MALFORMED, {"stall": 0.3}),
    "no refusal at the door": ("rotator-4", {}, MALFORMED, {"stall": 0.1}),
    "leaves": ("kyklos-2-2-4", {}, MALFORMED, {"stall": 0.1}),
    "one way": ("super-rotator-13", {}, MALFORMED, {"stall": 0.1}),
    "one flit": ("borel-21-shortest", {}, {"load": 1.0}, {}),
    "bypass limit": ("borel-21", {"bypass_limit": 2}, MALFORMED, {"stall": 0.1}),
    "high bypass limit": ("torus-8x8", {"bypass_limit": 17}, {"load": 1.0}, {}),
    "turns": ("torus-8x8", {"bypass_limit": 0, "turn_bypass_limit": 3}, MALFORMED, {"stall": 0.1}),
    "lanes": ("borel-21", {"virtual_channels": 6}, MALFORMED, {"stall": 0.1}),
    "depth 1": ("borel-21", {"buffer_depth": 1}, MALFORMED, {"surplus": 3}),
    "depth 2": ("torus-8x8", {"buffer_depth": 2, "hop_cycles": 3}, MALFORMED, {}),
    "depth 3": ("star-4", {"buffer_depth": 3, "bypass_limit": 1}, MALFORMED, {"stall": 0.1}),
    "register": ("borel-21", {"routing_register": True}, MALFORMED, {"surplus": 2, "stall": 0.1}),
    "register and lanes": (
        "petersen",
        {"routing_register": True, "virtual_channels": 5, "bypass_limit": 2},
        MALFORMED,
        {"stall": 0.2},
    ),
    "classes": ("borel-21", {"classes": 2}, MALFORMED, {"stall": 0.2}),
    "classes, lanes and overruns": (
        "borel-21",
        {"classes": 2, "virtual_channels": 3, "buffer_depth": 2, "routing_register": True},
        MALFORMED,
        {"surplus": 2, "stall": 0.2},
    ),
    "classes of one channel": (
        "mesh-8x8", {"classes": 4, "buffer_depth": 2}, MALFORMED, {"surplus": 1, "stall": 0.3}
    ),
}  # fmt: skip

MESH = built({"family": "grid", "sizes": [4, 4]}, "dimension-order")

FLOW: dict[str, Any] = {"kind": "axi-stream", "flow_control": "end-to-end"}

LONG: dict[str, Any] = MALFORMED | {"lengths": (1, 40)}

TERMINALS: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "flow control": (
        "mesh-4x4", FLOW | {"eager": 4, "packet_limit": 32, "receive": 50}, {"classes": 2},
        LONG | {"load": 1.0}, {"stall": 0.2, "reads_until": {3: 90}, "reads_again": {3: 200}},
    ),
    "time-out": (
        "mesh-4x4", {"kind": "axi-stream", "timeout": 7}, {"classes": 2}, LONG, {"stall": 0.1}
    ),
    "default": ("borel-21", FLOW, {}, {"load": 1.0, "lengths": (1, 30)}, {}),
    "one beat": ("torus-8x8", FLOW, {"routing_register": True}, {"load": 1.0}, {}),
    "eager of one": ("borel-21", FLOW | {"eager": 1}, {}, LONG, {"stall": 0.3}),
    "never reads": ("mesh-8x8", FLOW, {}, {"load": 1.0, "lengths": 4}, {"reads_until": {9: 0}}),
    "stops": ("borel-21", FLOW, {}, LONG, {"sends_until": {5: 40, 7: 99}, "sends_again": {7: 150}}),
    "leaves": ("kyklos-2-2-4", FLOW, {"hop_cycles": 3}, LONG, {"stall": 0.1}),
    "stored": (
        "mesh-4x4", {"kind": "axi-stream", "store": 16}, {"classes": 2}, LONG, {"stall": 0.1},
    ),
    "raw": ("borel-21", {"kind": "axi-stream"}, {}, LONG | {"load": 1.0}, {"stall": 0.3}),
    "raw, one beat": ("torus-8x8", {"kind": "axi-stream"}, {}, {"load": 1.0}, {}),
    "one byte": ("borel-21", FLOW, {"flit_width": 8}, LONG, {"stall": 0.1}),
    "reordered": (
        "borel-21-adaptive", FLOW | {"eager": 4, "packet_limit": 20, "receive": 30}, {},
        LONG | {"load": 1.0}, {"stall": 0.2, "reads_until": {3: 190}, "reads_again": {3: 300}},
    ),
    "reordered by lanes": (
        "mesh-4x4", FLOW, {"classes": 2, "virtual_channels": 3}, LONG, {"stall": 0.1}
    ),
    "mailbox": ("mesh-4x4", {"kind": "mailbox"}, {"flit_width": 32}, MALFORMED, {"stall": 0.1}),
}  # fmt: skip
"""Network, terminals, router, traffic and options."""

COVERED = "stalls", "bypass limit", "lanes", "depth 2", "register", "classes"
"""What others have too is tried for long only."""

PARTS = "classes, lanes and overruns", "register and lanes", "free links"
WIDE = {"more than 31 queues": ("borel-21", {"virtual_channels": 8}, MALFORMED, {"stall": 0.1})}
"""For these there is another compilation."""


def network(name: str, router: dict[str, Any]) -> Network:
    description = dict(load(NETWORKS[name]).description)
    return build(description | {"router": {**(description.get("router") or {}), **router}})


@pytest.mark.parametrize("case", [case for case in QUICK if case not in COVERED])
def test_every_register_in_every_cycle(case: str) -> None:
    name, router, traffic, options = QUICK[case]
    found = difference(network(name, router), 160, stop=120, traffic=traffic, **options)
    assert found == ""


def test_ten_links_each_of_which_may_be_free() -> None:
    net = built(BIPARTITE, "adaptive-table")
    assert difference(net, 160, stop=120, traffic=MALFORMED | {"load": 1.0}, stall=0.2) == ""


@pytest.mark.parametrize("case", only(["classes, lanes and overruns"], PARTS))
def test_every_register_of_a_network_in_parts(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three threads run a part of the routers each."""
    monkeypatch.setattr(wormhole, "CACHED", 0)
    name, router, traffic, options = QUICK[case]
    net, used = network(name, router), engine(borel21(), [Traffic(borel21(), 0.1, 1)], threads=3)
    assert isinstance(used, Wormhole)
    assert used.parts == 3
    assert difference(net, 160, stop=120, traffic=traffic, threads=3, **options) == ""


@pytest.mark.regress
@pytest.mark.parametrize("family", ["star", "scc"])
def test_chance_is_the_same(family: str) -> None:
    net = built({"family": family, "n": 4}, "random")
    found = difference(net, 250, stop=200, traffic=MALFORMED, stall=0.1)
    assert found == ""


def axi_difference(case: str, cycles: int) -> str:
    name, terminal, router, traffic, options = TERMINALS[case]
    description = (MESH if name == "mesh-4x4" else load(NETWORKS[name])).description
    wide = {**(description.get("router") or {}), "flit_width": 64, **router}
    net = build({**description, "router": wide, "terminal": terminal})
    assert unfit(net) == ""
    return difference(net, cycles, stop=cycles * 7 // 8, traffic=traffic, **options)


# To compile these takes long: `make test` compiles AXI4-Stream below AXI4, in test_axi4.
@pytest.mark.regress
@pytest.mark.parametrize("case", TERMINALS)
def test_every_register_of_axi_terminals_in_every_cycle(case: str) -> None:
    assert axi_difference(case, 2000) == ""


@pytest.mark.regress
@pytest.mark.parametrize("share", [0.1, 0.4, 1.0])
@pytest.mark.parametrize("name", [x for x in NETWORKS if not x.endswith(SERIAL)])
def test_all_network_files(name: str, share: float) -> None:
    net = load(NETWORKS[name])
    assert unfit(net) == ""
    cycles = 2000 if net.topology.nodes <= SMALL else min(1000, MOST // net.topology.nodes)
    traffic = MALFORMED | {"load": share, "seed": 1}
    assert difference(net, cycles, stop=cycles * 4 // 5, traffic=traffic, stall=0.1) == ""


@pytest.mark.regress
@pytest.mark.parametrize("case", [*QUICK, *WIDE])
def test_all_parameters_for_long(case: str) -> None:
    name, router, traffic, options = (QUICK | WIDE)[case]
    found = difference(network(name, router), 2000, stop=1800, traffic=traffic, **options)
    assert found == ""
