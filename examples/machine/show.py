"""Who talked to whom: as text, and as a picture."""

from collections.abc import Mapping

from fingerpost.golden.network.kinds import AnyNetwork


def table(network: AnyNetwork, sent: Mapping[tuple[int, int], int]) -> str:
    """Return the packets from each terminal (a row) to each (a column) as text."""
    nodes = network.terminal.numbers(network.topology.terminals)
    width = 1 + max(len(str(n)) for n in [*nodes, *sent.values()])
    rows = [" " * 6 + "".join(f"{to:{width}}" for to in nodes)]
    rows += [
        f"{source:5} " + "".join(f"{sent.get((source, to), 0) or '.':>{width}}" for to in nodes)
        for source in nodes
    ]
    return "\n".join(rows)


def picture(network: AnyNetwork, sent: Mapping[tuple[int, int], int]) -> str:
    """Return the same as SVG: the darker, the more packets."""
    nodes = network.terminal.numbers(network.topology.terminals)
    most, cell = max(sent.values(), default=1), 20
    size = (len(nodes) + 1) * cell
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}">',
        '<g font-family="sans-serif" font-size="9" text-anchor="middle">',
        f"<title>{network.name}: packets by source (row) and destination (column)</title>",
    ]
    for i, node in enumerate(nodes, 1):
        for x, y in ((i, 0), (0, i)):
            parts.append(f'<text x="{(x + 0.5) * cell}" y="{(y + 0.7) * cell}">{node}</text>')
    at = {node: i for i, node in enumerate(nodes, 1)}
    parts += [
        f'<rect x="{at[to] * cell}" y="{at[source] * cell}" width="{cell}" height="{cell}" '
        f'fill="#124" fill-opacity="{count / most:.3f}">'
        f"<title>{source} to {to}: {count}</title></rect>"
        for (source, to), count in sorted(sent.items())
    ]
    return "\n".join([*parts, "</g></svg>", ""])
