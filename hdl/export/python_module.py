"""The headers as a Python module that needs no other."""

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import identifier
from fingerpost.hdl.export.headers import table

__all__ = ["python_module"]

FUNCTIONS = '''

def get(header, field):
    """Return a field of a header."""
    offset, width = FIELDS[field]
    return header >> offset & (1 << width) - 1


def put(header, **fields):
    """Return the header with some fields changed."""
    for field, value in fields.items():
        offset, width = FIELDS[field]
        if not 0 <= value < 1 << width:
            raise ValueError(f"{field} needs a value in 0..{(1 << width) - 1}, not {value}")
        header = header & ~((1 << width) - 1 << offset) | value << offset
    return header


def flit(data, head=False, tail=False):
    """Return a flit; a header is the lowest data of a head."""
    return data << 2 | tail << 1 | head
'''

BY_SOURCE = '''

def header(source, destination):
    """Return what the terminal of node `source` sends to reach node `destination`."""
    there = 0 <= source < len(HEADERS) and 0 <= destination < len(HEADERS)
    word = HEADERS[source][destination] if there else None
    if word is None:
        raise ValueError(f"There is no terminal at node {source} or {destination}")
    return word
'''

FOR_ALL = '''

def header(source, destination):
    """Return what the terminal of node `source` sends to reach node `destination`."""
    del source  # it is the same from every terminal
    word = HEADERS[destination] if 0 <= destination < len(HEADERS) else None
    if word is None:
        raise ValueError(f"There is no terminal at node {destination}")
    return word
'''


def python_module(network: Network) -> str:
    """Return a module: widths, fields, flits, and the header to send."""
    layout, known = network.routing.header, table(network)
    lines = [
        f'"""Headers of the network {identifier(network.name)}."""',
        "",
        f"NODES = {network.topology.nodes}",
        f"HEADER_WIDTH = {layout.width}",
        f"FLIT_WIDTH = {network.flit_width}",
        "",
        "FIELDS = {  # offset and width",
        *(
            f'    "{field}": ({at.offset}, {at.width}),  # {at.meaning}'
            for field, at in layout.items()
        ),
        "}",
    ]
    if known is None:
        lines += ["# The headers to send are too many to be listed; make them of the fields."]
        return "\n".join(lines) + "\n" + FUNCTIONS
    words = [hex(header) if header >= 0 else "None" for header in known.flat()]
    listed = known.headers.shape[1]
    lines.append("HEADERS = [")
    for row in range(len(known.headers)):
        some = words[row * listed : (row + 1) * listed]
        opened = "    [" if known.by_source else "    "
        closed = "]," if known.by_source else ","
        parts = [", ".join(some[at : at + 8]) for at in range(0, listed, 8)]
        lines.append(opened + ",\n     ".join(parts) + closed)
    return "\n".join([*lines, "]", ""]) + FUNCTIONS + (BY_SOURCE if known.by_source else FOR_ALL)
