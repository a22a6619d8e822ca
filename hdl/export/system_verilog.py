"""The headers as a SystemVerilog package."""

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import identifier
from fingerpost.hdl.export.headers import table

__all__ = ["system_verilog"]


def system_verilog(network: Network) -> str:
    """Return a package: widths, fields, flits, and the header to send."""
    name, layout = f"{identifier(network.name)}_header", network.routing.header
    width, top = network.flit_width, layout.width - 1
    lines = [
        f"package {name};",
        f"  localparam int HEADER_WIDTH = {layout.width};",
        f"  localparam int FLIT_WIDTH = {width};       // the data of a flit",
        f"  localparam int FLIT_BITS = {network.flit.width};        // with head and tail",
        f"  typedef logic [{top}:0] header_t;",
        "",
        "  // A flit; a header is the lowest data of a head.",
        f"  function automatic logic [{network.flit.width - 1}:0] flit(",
        f"    input logic head, input logic tail, input logic [{width - 1}:0] data);",
        "    return {data, tail, head};",
        "  endfunction",
    ]
    for field, (offset, bits, meaning) in (
        (field, (at.offset, at.width, at.meaning)) for field, at in layout.items()
    ):
        lines += [
            "",
            f"  // {field}: {meaning}",
            f"  function automatic logic [{bits - 1}:0] get_{field}(input header_t header);",
            f"    return header[{offset + bits - 1}:{offset}];",
            "  endfunction",
            f"  function automatic header_t set_{field}(",
            f"    input header_t header, input logic [{bits - 1}:0] value);",
            f"    set_{field} = header;",
            f"    set_{field}[{offset + bits - 1}:{offset}] = value;",
            "  endfunction",
        ]
    return "\n".join([*lines, *_to(network), "endpackage", ""])


def _to(network: Network) -> list[str]:
    known, width = table(network), network.routing.header.width
    if known is None:
        return ["", "  // The headers to send are too many to be listed; make them of the fields."]
    nodes = known.headers.shape[1]
    cases = [
        f"{number}: return {width}'h{header:x};"
        for number, header in enumerate(known.flat())
        if header >= 0
    ]
    which = "destination"
    if known.by_source:
        which = f"destination < {nodes} ? source * {nodes} + destination : -1"
    return [
        "",
        "  // What the terminal of node `source` sends to reach node `destination`; x: none there.",
        "  function automatic header_t header(input int source, input int destination);",
        f"    case ({which})",
        *(f"      {' '.join(cases[at : at + 4])}" for at in range(0, len(cases), 4)),
        "      default: return 'x;",
        "    endcase",
        "  endfunction",
    ]
