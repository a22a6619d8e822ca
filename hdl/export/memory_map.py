"""For software, test benches and device trees: which node an address belongs to.

What is of a region has its number in names, by which the network file lists it.
"""

from typing import NamedTuple

from fingerpost.golden.network.kinds import AnyNetwork
from fingerpost.golden.terminal import Axi4Terminal
from fingerpost.golden.terminal.memory_map import Part
from fingerpost.hdl.export.render import render
from fingerpost.hdl.lib.banner import banner
from fingerpost.hdl.lib.ports import identifier


class Row(NamedTuple):
    """A region as files describe it."""

    name: str
    base: int
    size: int
    node: int | None
    """None: each node has a part."""
    offset_bits: int
    """Those of an address below the number of the node."""
    span_bits: int
    """Those of an address that differ within the region."""
    parts: list[Part]


def memory_map_files(network: AnyNetwork) -> dict[str, str]:
    """Return a network's memory map by names of files; none without one.

    It is there in SystemVerilog, C, SystemRDL and as part of a device tree.
    """
    terminal = network.terminal
    if not isinstance(terminal, Axi4Terminal):
        return {}
    map, name = terminal.memory_map(network.topology), identifier(network.name)
    rows = [
        Row(
            name=f"region_{index}",
            base=region.base,
            size=region.size,
            node=region.node,
            offset_bits=region.size.bit_length() - 1,
            span_bits=region.span(map.nodes).bit_length() - 1,
            parts=map.parts(region),
        )
        for index, region in enumerate(map.regions)
    ]
    values = {
        "name": name,
        "network": network.name,
        "banner": banner(network),
        "rows": rows,
        "nodes": map.nodes,
        "everywhere": len(map.subordinates) == map.nodes,
        "present": sum(1 << node for node in map.subordinates),
        "address_width": map.address_width,
        "data_width": terminal.data_width,
    }
    return {
        f"{name}_memory_map.{kind}": render(f"memory_map/memory_map.{kind}", **values)
        for kind in ("sv", "h", "rdl", "dtsi")
    }
