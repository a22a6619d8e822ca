"""What stands for a destination in a header, as a table beside each AXI4-Stream terminal."""

from typing import Any

import numpy as np

from fingerpost.golden.header import bits
from fingerpost.golden.network.kinds import AnyNetwork

MOST_ENTRIES = 1 << 18
"""Of all tables, where they differ from node to node: then each is written."""


def header_tables(network: AnyNetwork, name: str) -> dict[str, str]:
    """Return the tables of a network as Verilog by their names: what `Routing.encode` gives.

    There is one for all nodes if the source does not matter, else one for each.

    Raises
    ------
    ValueError
        If there would be too much of them.
    """
    terminals = network.topology.terminals
    tables: dict[str, list[int]] = {}
    one = alike(network)
    if not one and len(terminals) ** 2 > MOST_ENTRIES:
        raise ValueError(
            f"AXI4-Stream terminals need at most {int(MOST_ENTRIES**0.5)} terminals where headers "
            f"depend on the source, as in {network.topology.family} networks, "
            f"not {len(terminals)}"
        )
    for source in terminals[: 1 if one else None].tolist():
        headers = network.routing.encode(np.full_like(terminals, source), terminals)
        tables[table_name(name, None if one else source)] = headers.tolist()
    return {table: _table(network, table, headers) for table, headers in tables.items()}


def table_name(name: str, node: int | None) -> str:
    """Return the name of the table of a node, or of all."""
    return f"{name}_headers" if node is None else f"{name}_headers_{node}"


def alike(network: AnyNetwork) -> bool:
    """Return whether headers are the same from all sources, so that one table serves all.

    This asks for the headers of all pairs.
    """
    terminals = network.topology.terminals
    first = network.routing.encode(np.full_like(terminals, terminals[0]), terminals)
    every: Any = (
        network.routing.encode(np.full_like(terminals, source), terminals) for source in terminals
    )
    return all(np.array_equal(row, first) for row in every)


def _table(network: AnyNetwork, name: str, headers: list[int]) -> str:
    """Return a table as a function, which every simulator evaluates at time 0, too.

    Whether there is a terminal is another one: so a tool can keep the headers in block RAM.
    """
    number, width = bits(network.topology.nodes), network.routing.header.width
    terminals = network.topology.terminals.tolist()
    entries = "\n".join(
        f"      {number}'d{node}: entry = {width}'h{header:x};"
        for node, header in zip(terminals, headers, strict=True)
    )
    exists = "\n".join(f"      {number}'d{node}: exists = 1'b1;" for node in terminals)
    return f"""// The header of a packet to node `tdest`; `known` is 0 without a terminal there.
module {name}(
  input [{number - 1}:0] tdest,
  output [{width - 1}:0] header,
  output known
);
  function [{width - 1}:0] entry(input [{number - 1}:0] to);
    case (to)
{entries}
      default: entry = {width}'d0;
    endcase
  endfunction
  function exists(input [{number - 1}:0] to);
    case (to)
{exists}
      default: exists = 1'b0;
    endcase
  endfunction
  assign header = entry(tdest);
  assign known = exists(tdest);
endmodule
"""
