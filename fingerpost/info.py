"""`fingerpost info`: what a network is and what its routers need."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table

from golden.distance import summary
from golden.header import Layout
from golden.network import Network

__all__ = ["facts", "render"]

SMALL = 8
"""Classes whose GCR constants people are shown; JSON has them all."""

TABLE_I = {"A": "alpha", "A^-1": "alpha^-1", "B": "beta", "B^-1": "beta^-1"}
"""The columns of Table I of two-phase-1995, in its order, by the name of the port."""


def facts(network: Network) -> dict[str, Any]:
    """Return what there is to know about a network."""
    topology, routing, channels = network.topology, network.routing, network.channels
    diameter, mean_distance = summary(topology)
    return {
        "name": network.name,
        "family": topology.family,
        "nodes": topology.nodes,
        "degree": topology.degree,
        "diameter": diameter,
        "mean_distance": mean_distance,
        "ports": list(topology.port_names),
        "constants": topology.constants(),
        "algorithm": routing.algorithm,
        "routing_constants": routing.constants(),
        "table_bits": routing.table_bits(),
        "header": _layout(routing.header),
        "straps": _layout(routing.straps),
        "flit_width": network.flit_width,
        "buffer_depth": network.buffer_depth,
        "virtual_channels": {
            "needed": channels.needed,
            "in_use": network.virtual_channels,
            "proven": channels.is_free_of_deadlock(network.virtual_channels),
        },
    }


def _layout(layout: Layout) -> dict[str, Any]:
    return {"width": layout.width, "fields": layout.describe()}


def render(facts: Mapping[str, Any]) -> RenderableType:
    """Return the facts as tables."""
    channels, constants = facts["virtual_channels"], facts["constants"]
    proof = "proven free of deadlock" if channels["proven"] else "NOT PROVEN"
    scalars = {key: value for key, value in constants.items() if not isinstance(value, Mapping)}
    overview = Table.grid(padding=(0, 2))
    for name, value in {
        "name": facts["name"],
        "family": _pairs({facts["family"]: "", **scalars}),
        "nodes": facts["nodes"],
        "degree": f"{facts['degree']}, ports {', '.join(facts['ports'])}",
        "diameter": facts["diameter"],
        "mean distance": f"{facts['mean_distance']:.4f} over the {facts['nodes'] - 1} other nodes",
        "routing": _pairs({facts["algorithm"]: "", **facts["routing_constants"]}),
        "tables": _pairs({k: f"{v} bits" for k, v in facts["table_bits"].items()}) or "none",
        "flits": f"{facts['flit_width']} bits, {facts['buffer_depth']} to a buffer",
        "virtual channels": f"{channels['in_use']} in use, {channels['needed']} needed, {proof}",
    }.items():
        overview.add_row(name, str(value))
    parts: list[RenderableType] = [overview]
    gcr = constants.get("gcr")
    if gcr and len(next(iter(gcr.values()))) <= SMALL:
        parts += ["", "GCR constants (node j of class i is joined to j + constant)", _gcr(gcr)]
    for what in ("header", "straps"):
        parts += ["", f"{what}, {facts[what]['width']} bits", _fields(facts[what]["fields"])]
    return Group(*parts)


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key} {value}".strip() for key, value in values.items())


def _plain_table(*columns: str, right: Sequence[str] = ()) -> Table:
    table = Table(box=None, padding=(0, 2), header_style="", pad_edge=True)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


def _gcr(gcr: Mapping[str, Sequence[int]]) -> Table:
    """Return the GCR constants as Table I prints them."""
    columns = ["class", *TABLE_I.values()]
    table = _plain_table(*columns, right=columns)
    for number, row in enumerate(zip(*(gcr[port] for port in TABLE_I), strict=True)):
        table.add_row(str(number), *map(str, row))
    return table


def _fields(fields: Sequence[Mapping[str, Any]]) -> Table:
    """Return a layout, one line for fields that differ in their final number only."""
    table = _plain_table("bits", "field", "meaning", right=("bits",))

    def kind(field: Mapping[str, Any]) -> tuple[str, str, int]:
        return *(re.sub(r"\d+", "#", field[key]) for key in ("name", "meaning")), field["width"]

    for _, group in groupby(fields, kind):
        alike = list(group)
        first, last = alike[0], alike[-1]
        name, meaning = first["name"], first["meaning"]
        if len(alike) > 2:
            name = f"{name}..{re.sub(r'[^0-9]', '', last['name'])}"
            meaning = f"{meaning}, and so on"
        shown = [(name, meaning, first, last)]
        if len(alike) == 2:
            shown = [(f["name"], f["meaning"], f, f) for f in alike]
        for title, text, low, high in shown:
            top = high["offset"] + high["width"] - 1
            table.add_row(f"{top}:{low['offset']}", title, text)
    return table
