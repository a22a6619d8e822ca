"""A survey: networks of many sizes side by side, beside the largest graphs published."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Unpack

import numpy as np
import yaml

from fingerpost.cost.estimate import of_network
from fingerpost.golden.analysis.loads import loads
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.deadlock.order import heights, rank_classes, search, valleys
from fingerpost.golden.deadlock.state_graph import TooManyRoutesError
from fingerpost.golden.network.deflection import build_deflection
from fingerpost.golden.network.kinds import build_any, kind_of
from fingerpost.golden.network.network import routed
from fingerpost.golden.routing import Routing
from fingerpost.golden.topology.base import summary
from fingerpost.jobs.console import Columns, aligned, cells
from fingerpost.jobs.files import Output
from fingerpost.jobs.runner import Job, Listed, Means, run
from fingerpost.netfile.scaffold import choose
from fingerpost.netfile.schema import named, parsed
from fingerpost.netfile.source import Source, read

Row = dict[str, Any]

ROUTES = 2_000_000
"""More routes than this are not followed for loads."""

SEARCHED = 1_000_000
"""More than this are not searched for a channel order: one that is given is proven, or none."""

AREA = 100
"""Routers of networks with more terminals are not estimated: their channels take long to find."""

STEPS = 300
"""Steps of the search for an order, from one that serves another routing if there is one."""

CAYLEY_FAMILIES = frozenset({"borel", "metacyclic", "metacyclic-cubic", "star", "twisted-torus"})
"""Families all of whose graphs are Cayley graphs, made from a group."""

COLUMNS: Columns = {
    "network": "network",
    "nodes": "nodes",
    "degree": "degree",
    "diameter": "diameter",
    "mean": "{mean_distance:.3f}",
    "bound": "{bound:.3f}",
    "routing": "algorithm",
    "saturation": lambda row: row["saturation"] and f"{row['saturation']:.3f}",
    "channels": "virtual_channels",
    "bits": "table_bits",
    "sites": lambda row: row["sites"] and f"{row['sites']:,.0f}",
}
"""The columns that people are shown."""

RECORDS: Columns = {
    "degree": "degree",
    "diameter": "diameter",
    "nodes": "nodes",
    "network": "network",
    "published Cayley": "largest_known_cayley",
    "published": "largest_known",
}
"""The columns of the records."""

WORDS = "network", "routing"
"""Those of text."""

KNOWN: Mapping[str, Any] = yaml.safe_load(
    Path(__file__).with_name("known.yaml").read_text(encoding="utf-8")
)
"""What is compared, and the sizes of the largest graphs published."""

PAPERS = "two-phase", "vertex-transitive"
"""What routes dense graphs: the algorithms whose tables are small."""


class Entry(NamedTuple):
    """A network with a routing, to be surveyed."""

    kind: str
    """`dense` if it is one of those, `other` if it is one beside them, `given` if a user named it.
    """
    description: Mapping[str, Any]
    """As a network file has it."""
    order: list[int] | None = None
    """A channel order that was found for another routing, to start from."""


def known() -> list[Entry]:
    """Return the networks that are known here, each once for each of its algorithms."""
    found = []
    for file in choose(KNOWN["dense"]):
        source = read(file)
        order = source.description["router"].get("channel_order")
        found += [
            Entry("dense", source.changed(routing=algorithm).description, order)
            for algorithm in PAPERS
        ]
    made = [
        ("dense", f"{family}-{nodes}", {"family": family, **keys}, algorithm)
        for family, algorithms in (("borel", PAPERS), ("metacyclic-cubic", ("table",)))
        for nodes, keys in KNOWN[family].items()
        for algorithm in algorithms
    ]
    made += [
        ("other", name, other["topology"], other["routing"])
        for name, other in KNOWN["others"].items()
    ]
    return found + [
        Entry(kind, {"name": name, "topology": topology, "routing": parsed(algorithm)})
        for kind, name, topology, algorithm in made
    ]


def given(source: Source) -> Entry:
    """Return a network file as an entry."""
    return Entry("given", source.description)


def command(topology: Mapping[str, Any], nodes: int, diameter: int) -> str:
    """Return the command that finds a dense graph again, among those that are as good."""
    if topology["family"] == "borel":
        return f"search --diameter {diameter} --min-nodes {nodes} --p-max {topology['p']}"
    score = "" if topology["family"] == "metacyclic-cubic" else " --score load"
    return (
        f"search --family {topology['family']} --diameter {diameter} --min-nodes {nodes} "
        f"--max-nodes {nodes}{score}"
    )


def surveyed(description: str, order: list[int] | None) -> Row:
    """Return a row: what a network is, what its links carry, and what its routers need.

    `description` is that of `golden.network.network.build`, as JSON; `order` as in `Entry`. What
    would take too many routes is None, and what deflection routers do not have.
    """
    described = json.loads(description)
    routing = routed(described).routing
    topology = routing.topology
    kind = kind_of(described)
    deflects = not kind.has_routes
    diameter, mean_distance = summary(topology)
    terminals = len(topology.terminals)
    among = summary(topology, among_terminals=True)[1] if terminals < topology.nodes else None
    links = int((topology.neighbour >= 0).sum())
    few = not deflects and _routes(routing, routing.orbit) <= ROUTES
    found = loads(routing) if few else None
    given = (described.get("router") or {}).get("channel_order")
    bits = sum(routing.table_bits().values())
    if deflects:
        network = build_deflection(described)
        bits = network.entry_width << network.destination_width
    return {
        "network": described["name"],
        "family": topology.family,
        "nodes": topology.nodes,
        "terminals": terminals,
        "degree": topology.degree,
        "directed": topology.directed,
        "diameter": diameter,
        "mean_distance": mean_distance,
        "bound": links / terminals / (among or mean_distance),
        "algorithm": kind.router_kind if deflects else named(described),
        "mean_hops": found.mean_hops if found else None,
        "saturation": found.saturation if found else None,
        "virtual_channels": None if deflects else _channels(routing, given, order),
        "table_bits": bits,
        "header_width": routing.header.width,
        "sites": of_network(build_any(described)).sites / topology.nodes
        if terminals <= AREA
        else None,
    }


def _channels(routing: Routing, given: list[int] | None, start: list[int] | None) -> int | None:
    """Return the virtual channels that are proven to be enough, or None: too many routes."""
    increments = routing.vc_increments()
    if given is not None:
        increments = valleys(routing.topology, heights(routing, np.array(given)))
    if increments is None:
        if _routes(routing, rank_classes(routing)) > SEARCHED:
            return None
        return search(routing, steps=STEPS, start=None if start is None else np.array(start))[1]
    try:
        return Channels(routing, increments).needed
    except TooManyRoutesError:
        return None


def _routes(routing: Routing, orbit: IntArray) -> int:
    """Return how many routes there are from one terminal of each orbit to all."""
    terminals = routing.topology.terminal_nodes
    return len(np.unique(orbit[terminals])) * len(terminals)


def survey(entries: Sequence[Entry], **means: Unpack[Means]) -> list[Row]:
    """Return a row for each network with a routing, those with few nodes first.

    Raises
    ------
    ValueError, OSError
        See `fingerpost.jobs.runner.run`.
    """
    texts = [json.dumps(entry.description, sort_keys=True) for entry in entries]
    digests = [
        sha256(f"{text} {entry.order}".encode()).hexdigest()[:16]
        for text, entry in zip(texts, entries, strict=True)
    ]
    job = Job[int](
        "survey",
        surveyed,
        lambda number: (texts[number], entries[number].order),
        lambda number: {"network": digests[number]},
        {"steps": STEPS},
    )
    points = Listed(range(len(entries))[::-1])  # the largest are listed last
    run(job, points, **means)
    rows = []
    for number, entry in enumerate(entries):
        row, found_by = points.rows[number], None
        if entry.kind == "dense":
            found_by = command(entry.description["topology"], row["nodes"], row["diameter"])
        rows.append({"kind": entry.kind, **row, "found_by": found_by})
    return sorted(rows, key=lambda row: row["nodes"])


def records(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what is known of each degree and diameter beside the largest graph of the rows.

    Directed networks and those with nodes without a terminal do not count.
    """
    found = []
    for degree, published in KNOWN["published"].items():
        sizes = zip(published["any"], published["cayley"], strict=True)
        for diameter, (known, cayley) in enumerate(sizes, 2):
            here = [
                row
                for row in rows
                if (row["degree"], row["diameter"]) == (degree, diameter)
                and row["terminals"] == row["nodes"]
                and not row["directed"]
            ]
            largest = max(here, key=lambda row: row["nodes"], default=None)
            found.append(
                {
                    "degree": degree,
                    "diameter": diameter,
                    "largest_known": known,
                    "largest_known_cayley": cayley,
                    "nodes": largest and largest["nodes"],
                    "network": largest and largest["network"],
                    "cayley": True if largest and largest["family"] in CAYLEY_FAMILIES else None,
                }
            )
    return found


def facts(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the rows as the answer of a command.

    Keys
    ----
    networks
        For each network and routing: `kind` (`dense`, `other`, `given`), `network`, `family`,
        `nodes`, `terminals`, `degree`, `directed`, `diameter`, `mean_distance`, `algorithm`,
        `mean_hops`, `saturation`, `bound`, `virtual_channels`, `table_bits`, `header_width`,
        `sites` (LUT4 sites of a router with its tables on ECP5, estimated; `null` above 100
        terminals), `found_by` (arguments of `fingerpost` that find a dense graph).
    records
        For degrees 3 and 4 and diameters 2 to 10: `degree`, `diameter`, `largest_known`,
        `largest_known_cayley` (nodes of published graphs), and of the largest undirected network
        of the survey `network`, `nodes`, `cayley` (`null`: not known to be one).
    """
    return {"networks": list(rows), "records": records(rows)}


def render(facts: Mapping[str, Any]) -> str:
    """Return the rows as a table, a line each, and the records that they come near."""
    lines = _table(COLUMNS, facts["networks"])
    lines += [
        "",
        "mean: mean distance in hops; bound and saturation in flits per terminal and cycle",
        "bits: tables of a router; -: too many routes to follow, or none (deflection)",
        "sites: LUT4 of a router on ECP5 with its tables, an estimate; -: more than 100 terminals",
    ]
    near = [row for row in facts["records"] if row["network"] is not None]
    if near:
        lines += ["", *_table(RECORDS, near), "", "published: nodes of the largest graphs known"]
    return "\n".join(lines)


def _table(columns: Columns, rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a line with the names of the columns, and one for each row."""
    left = [place for place, name in enumerate(columns) if name in WORDS]
    return aligned([[*columns], *cells(columns, rows, none="-")], left=left)


def save(found: Mapping[str, Any], output: Output) -> list[Path]:
    """Draw the picture, and write the rows as a table and as JSON; return the files."""
    from fingerpost.survey import chart

    return output.save(partial(chart.draw, found["networks"]), found["networks"], found)
