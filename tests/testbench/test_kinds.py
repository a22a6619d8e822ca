"""Kinds of links and terminals: each has its twin, and what is outside of them serves any."""

from pathlib import Path
from typing import Any

import pytest

from fingerpost.golden.link import LINKS
from fingerpost.golden.model import Model, Traffic, cycle
from fingerpost.golden.network.network import Network, build
from fingerpost.golden.terminal import TERMINALS
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.hdl.link import LINK_ENDS
from fingerpost.hdl.node import additions
from fingerpost.hdl.terminal import TERMINAL_ENDS
from fingerpost.netfile.derived import LINK_PARTS, TERMINAL_PARTS
from fingerpost.testbench.benches import make
from fingerpost.testbench.runner import Outcome, cosimulate
from fingerpost.testbench.write import write
from tests.testbench.late_kinds import registered

LINE: dict[str, Any] = {
    "name": "line",
    "topology": {"family": "edge-list", "nodes": 3, "links": [(0, 1), (1, 2)]},
    "routing": {"algorithm": "table"},
    "router": {"flit_width": 24},
}
LATE = {"kind": "late"}


def late(**more: Any) -> Network:
    return build(LINE | more)


def test_every_kind_of_link_has_its_twin_and_its_keys() -> None:
    assert list(LINKS) == ["flit", "os-link"]
    assert list(LINK_ENDS) == [*LINKS, "single-flit"]  # that of deflection routers
    kinds = [part.model_json_schema()["properties"]["kind"]["const"] for part in LINK_PARTS]
    assert kinds == list(LINKS)


def test_every_kind_of_terminal_has_its_twin_and_its_keys() -> None:
    kinds = ["credit", "axi-stream", "os-link", "mailbox"]
    assert list(TERMINALS) == kinds
    assert [*TERMINAL_ENDS] == [*kinds, "single-flit"]  # that of deflection routers
    kinds = [part.model_json_schema()["properties"]["kind"]["const"] for part in TERMINAL_PARTS]
    assert kinds == list(TERMINALS)


@pytest.mark.parametrize("what", ["link", "terminal"])
def test_refuses_an_unknown_kind(what: str) -> None:
    terminals = "credit, axi-stream, os-link or mailbox"
    known = {"link": "flit or os-link", "terminal": terminals}[what]
    message = f"^{what.capitalize()} needs a kind that is {known}, not 'late'$"
    with pytest.raises(ValueError, match=message):
        late(**{what: LATE})


def lock_step(network: Network, folder: Path) -> Outcome:
    bench = make(network, "network", seed=3, cycles=300, load=0.4, malformed=0.1)
    return cosimulate(
        "tests.testbench.late_kinds",
        sources=write(bench, folder / "sources"),
        toplevel=bench.top,
        simulator="icarus",
        folder=folder,
        cache=folder / "built",
        parameters=bench.parameters(),
    )


@pytest.mark.regress
@pytest.mark.parametrize(
    "kinds",
    [
        {"link": LATE, "terminal": LATE},
        {"link": LATE},
        {"terminal": LATE},
    ],
    ids=" ".join,
)
def test_lock_step_with_other_kinds(kinds: dict[str, Any], tmp_path: Path) -> None:
    with registered():
        network = late(**kinds)
        assert additions(network) == ["registers" for _ in kinds]
        assert manifest(network, {})["modules"]["node"] == "line_node_0"
        outcome = lock_step(network, tmp_path)
    assert (outcome.report["mismatches"], outcome.report["message"]) == (0, "")
    assert outcome.report["delivered"] == outcome.report["packets"] > 50


def test_another_link_takes_longer() -> None:
    """A packet alone takes a cycle more for every link of its route."""
    latency = []
    with registered():
        for link in ({"kind": "flit"}, LATE):
            network = late(link=link)
            traffic = Traffic(network, 0.004, 1500)
            terminals, model = network.terminal.model(traffic), Model(network)
            for now in range(1600):
                cycle(model, terminals, now)
            latency.append((terminals.delivered - traffic.time).tolist())
    traffic = Traffic(late(), 0.004, 1500)
    hops = abs(traffic.source - traffic.destination).tolist()
    assert len(hops) > 9
    assert [b - a for a, b in zip(*latency, strict=True)] == hops
