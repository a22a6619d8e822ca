"""The headers as a C header."""

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import identifier
from fingerpost.hdl.export.headers import table

__all__ = ["c_header"]


def c_header(network: Network) -> str:
    """Return a header of inline functions, for C99 and C++: fields, and the header to send."""
    name, layout = identifier(network.name), network.routing.header
    guard = f"{name.upper()}_HEADER_H"
    lines = [
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <stdint.h>",
        "",
        f"#define {name.upper()}_NODES {network.topology.nodes}",
        f"#define {name.upper()}_HEADER_WIDTH {layout.width}",
        f"#define {name.upper()}_FLIT_WIDTH {network.flit_width}",
    ]
    for field, at in layout.items():
        mask = f"UINT64_C(0x{(1 << at.width) - 1:x})"
        lines += [
            "",
            f"/* {field}: {at.meaning} */",
            f"static inline uint64_t {name}_get_{field}(uint64_t header) {{",
            f"  return header >> {at.offset} & {mask};",
            "}",
            f"static inline uint64_t {name}_set_{field}(uint64_t header, uint64_t value) {{",
            f"  return (header & ~({mask} << {at.offset})) | (value & {mask}) << {at.offset};",
            "}",
        ]
    return "\n".join([*lines, *_to(network, name), "", f"#endif /* {guard} */", ""])


def _to(network: Network, name: str) -> list[str]:
    known, nodes = table(network), network.topology.nodes
    if known is None:
        return ["", "/* The headers to send are too many to be listed; make them of the fields. */"]
    rows, listed = known.headers.shape
    words = [f"0x{header:x}" if header >= 0 else "UINT64_MAX" for header in known.flat()]
    some = [", ".join(words[at : at + 8]) for at in range(0, len(words), 8)]
    which = f"source * {listed} + destination" if known.by_source else "destination"
    bound = f"destination >= {listed}"
    bound += f" || source >= {listed}" if known.by_source else ""
    ignored = "" if known.by_source else "  (void)source; /* the same from every terminal */\n"
    return [
        "",
        "/* What the terminal of node `source` sends to reach node `destination`; UINT64_MAX if",
        f"   there is none there. Nodes are 0..{nodes - 1}. */",
        f"static inline uint64_t {name}_header(unsigned source, unsigned destination) {{",
        f"  static const uint64_t headers[{rows * listed}] = {{",
        *(f"    {each}," for each in some),
        "  };",
        f"{ignored}  return {bound} ? UINT64_MAX : headers[{which}];",
        "}",
    ]
