"""The registers of the counters as a C header."""

from fingerpost.golden.network.network import Network
from fingerpost.hdl.counting import RegisterMap, counting
from fingerpost.hdl.lib.registers import Register

__all__ = ["counters_header", "register_lines"]


def counters_header(network: Network) -> str | None:
    """Return a header of addresses and inline functions, for C99 and C++; none without counters."""
    found = counting(network)
    if found is None:
        return None
    map, name = found.map, found.name
    big = name.upper()
    lines = [
        f"#ifndef {big}_H",
        f"#define {big}_H",
        "",
        "#include <stdint.h>",
        "",
        "/* Addresses in bytes, from where the counters are on your bus. */",
    ]
    for register in (*map.fixed, map.cycles):
        lines += register_lines(register, big)
    lines += ["", "/* Of node v: */"]
    lines += [_of_node(register, big, map) for register in map.node]
    lines += _functions(network, map, name)
    return "\n".join([*lines, "", f"#endif /* {big}_H */", ""])


def register_lines(register: Register, big: str) -> list[str]:
    """Define the address of a register, and the values or bits of its fields."""
    name = f"{big}_{register.name.upper()}"
    row = "(i) (0x{:x}u + 4u * (i))" if register.many else " 0x{:x}u"
    lines = ["", f"/* {register.meaning} */", f"#define {name}{row.format(register.address)}"]
    for part in register.fields:
        field = f"{name}_{part.name.upper()}"
        if len(part.values) > 1:
            words = ", ".join(f"0x{value:08x}u" for value in part.values)
            lines.append(f"#define {name}_VALUES {{{words}}}")
        elif part.values:
            lines.append(f"#define {field}_VALUE 0x{part.values[0]:x}u")
        elif part.width == 1:
            lines.append(f"#define {field} 0x{1 << part.offset:x}u /* {part.meaning} */")
    return lines


def _of_node(register: Register, big: str, map: RegisterMap) -> str:
    name, at = f"{big}_{register.name.upper()}", map.address(0, register.name)
    row, each = ("(v, i)", " + 4u * (i)") if register.many else ("(v)", "")
    return (
        f"/* {register.meaning}{f': i in 0..{register.count - 1}' if register.many else ''} */\n"
        f"#define {name}{row} (0x{at:x}u + 0x{map.stride:x}u * (v){each})"
    )


def _functions(network: Network, map: RegisterMap, name: str) -> list[str]:
    big = name.upper()
    lines = [
        "",
        "/* Take a snapshot, and count from 0 again if `clear`; `counters` is where they are on",
        "   your bus. Nothing is lost or counted twice between two snapshots. */",
        f"static inline void {name}_snapshot(volatile uint32_t *counters, int clear) {{",
        f"  uint32_t what = {big}_CONTROL_SNAPSHOT | (clear ? {big}_CONTROL_CLEAR : 0u);",
        f"  counters[{big}_CONTROL / 4u] = what;",
        f"  while (counters[{big}_STATUS / 4u] & {big}_STATUS_BUSY) {{}}",
        "}",
        "",
        "/* Whether what is there are the counters of this very network. */",
        f"static inline int {name}_is_here(volatile const uint32_t *counters) {{",
        f"  static const uint32_t hash[8] = {big}_HASH_VALUES;",
        f"  int same = counters[{big}_ID / 4u] == {big}_ID_ID_VALUE &&",
        f"             counters[{big}_VERSION / 4u] >> 16 == {big}_VERSION_MAJOR_VALUE;",
        "  for (unsigned i = 0; same && i < 8; i++)",
        f"    same = counters[{big}_HASH(i) / 4u] == hash[i];",
        "  return same;",
        "}",
    ]
    if network.counters and network.counters.ports:
        lines += _incoming(network, map, name)
    return lines


def _incoming(network: Network, map: RegisterMap, name: str) -> list[str]:
    """Return a function that finds what comes in by a link: what has left at its other end."""
    topology = network.topology
    nodes, degree = topology.nodes, topology.degree
    starts = [0] * (nodes * degree)
    for node in range(nodes):
        for port in range(degree):
            to = int(topology.neighbour[node, port])
            if to >= 0:
                arrival = int(topology.arrival_port[node, port])
                starts[to * degree + arrival] = map.address(node, "out", port)
    words = [f"0x{start:x}" for start in starts]
    return [
        "",
        "/* The address of the count of flits that have come in to a node by a port, that at the",
        "   other end of the link; 0 if there is no link. */",
        f"static inline uint32_t {name}_in(unsigned node, unsigned port) {{",
        f"  static const uint32_t in[{nodes * degree}] = {{",
        *(f"    {', '.join(words[at : at + 8])}," for at in range(0, len(words), 8)),
        "  };",
        f"  return node < {nodes} && port < {degree} ? in[node * {degree} + port] : 0;",
        "}",
    ]
