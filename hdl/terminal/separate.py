"""A network with ports of their own for every terminal, around the one with packed ports."""

from collections.abc import Iterable, Iterator

from golden.network import Network
from hdl.ports import Port, declaration, part

__all__ = ["separate"]


def separate(network: Network, name: str, ports: Iterable[Port]) -> dict[str, str]:
    """Return the module by its name: `s_axis_12_tdata` is the part of terminal 12.

    Parameters
    ----------
    network : Network
    name : str
        Of the network, as an identifier.
    ports : iterable of Port
        Those of the network; what begins with ``s_axis_`` or ``m_axis_`` is split.
    """
    streams: list[Port] = []
    others: list[Port] = []
    for port in ports:
        (streams if port.name.startswith(("s_axis_", "m_axis_")) else others).append(port)
    nodes, terminals = network.topology.nodes, network.topology.terminals.tolist()
    header = [declaration(port) for port in others]
    for v in terminals:
        header += [
            declaration(Port(_of(port, v), port.direction, port.bits // nodes, port.meaning))
            for port in streams
        ]
    body = [f"  wire [{port.bits - 1}:0] {port.name};" for port in streams]
    for v in range(nodes):
        body += _joined(streams, v, nodes, there=v in terminals)
    connections = ", ".join(f".{port.name}({port.name})" for port in [*others, *streams])
    module = f"{name}_streams"
    lines = [
        f"// {name}_network with ports of their own for every terminal.",
        f"module {module}(",
        ",\n".join(f"  {line}" for line in header),
        ");",
        *body,
        f"  {name}_network network(\n    {connections}\n  );",
        "endmodule",
    ]
    return {module: "\n".join(lines)}


def _of(port: Port, v: int) -> str:
    """Return the name of the part of a port that is terminal v's."""
    return port.name.replace("axis_", f"axis_{v}_")


def _joined(streams: Iterable[Port], v: int, nodes: int, *, there: bool) -> Iterator[str]:
    """Join the ports of a terminal with its parts; without one nothing comes in."""
    for port in streams:
        width = port.bits // nodes
        packed = part(port.name, v, width)
        if port.direction == "input":
            source = _of(port, v) if there else f"{width}'d0"
            yield f"  assign {packed} = {source};"
        elif there:
            yield f"  assign {_of(port, v)} = {packed};"
