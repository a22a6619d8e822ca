"""What stands around the nodes: tables of headers, and ports of each terminal."""

import re

import pytest

from fingerpost.golden.network.network import Network, build
from fingerpost.hdl.emit.network import around_network
from fingerpost.hdl.lib.ports import part
from fingerpost.hdl.terminal import headers
from tests.networks import load


def around(name: str, kind: str) -> tuple[Network, dict[str, str]]:
    """Return a network with other terminals, and the modules around its nodes."""
    network = build({**load(name).description, "terminal": {"kind": kind}})
    return network, around_network(network)


def test_tables_are_one_where_the_source_does_not_matter() -> None:
    borel = around("borel-21", "axi-stream")[1]["borel_21_headers"]
    assert re.findall(r"^module (\w+)", borel, re.MULTILINE) == ["borel_21_headers"]
    star = around("star-4", "axi-stream")[1]["star_4_headers"]
    names = re.findall(r"^module (\w+)", star, re.MULTILINE)
    assert names == [f"star_4_headers_{node}" for node in range(24)]
    assert star.count("5'd23: entry") == star.count("5'd23: exists") == 24


def test_refuses_too_many_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "MOST_ENTRIES", 400)
    message = (
        r"^AXI4-Stream terminals need at most 20 terminals where headers depend on the source, "
        r"as in star networks, not 24$"
    )
    with pytest.raises(ValueError, match=message):
        around("star-4", "axi-stream")


def test_nodes_without_terminal_have_no_ports() -> None:
    network, texts = around("kyklos-2-2-4", "os-link")
    text, terminals = texts["kyklos_2_2_4_links"], network.topology.terminals.tolist()
    assert re.findall(r"input link_in_(\d+)", text) == [str(v) for v in terminals]
    assert re.findall(r"output link_out_(\d+)", text) == [str(v) for v in terminals]
    for v in range(network.topology.nodes):
        assert (f"assign {part('link_in', v, 1)} = link_in_{v};" in text) == (v in terminals)
