"""The registers of an OS-Link port as a C header."""

from collections.abc import Sequence

from fingerpost.hdl.export.counters_header import register_lines
from fingerpost.hdl.lib.registers import Register

__all__ = ["port_header"]

FUNCTIONS = """
/* Whether a port of these settings is there; `port` is where it is on your bus. */
static inline int @name@_is_here(volatile const uint32_t *port) {
  return port[@NAME@_ID / 4u] == @NAME@_ID_ID_VALUE &&
         port[@NAME@_VERSION / 4u] >> 16 == @NAME@_VERSION_MAJOR_VALUE &&
         port[@NAME@_SETTINGS / 4u] == @SETTINGS@;
}

/* Send a byte, when there is room for it. */
static inline void @name@_send(volatile uint32_t *port, uint8_t byte) {
  while (!(port[@NAME@_STATUS / 4u] & @NAME@_STATUS_ROOM)) {}
  port[@NAME@_SEND / 4u] = byte;
}

/* Take the oldest byte that came; -1 if there is none. */
static inline int @name@_receive(volatile const uint32_t *port) {
  uint32_t word = port[@NAME@_RECEIVE / 4u];
  return word & @NAME@_RECEIVE_VALID ? (int)(word & 0xffu) : -1;
}

/* Return what went wrong since the last time, and forget it. */
static inline uint32_t @name@_errors(volatile uint32_t *port) {
  uint32_t errors = port[@NAME@_ERRORS / 4u];
  port[@NAME@_ERRORS / 4u] = errors;
  return errors;
}
"""


def port_header(name: str, registers: Sequence[Register]) -> str:
    """Return a header of addresses and inline functions, for C99 and C++."""
    big = name.upper()
    lines = [
        f"#ifndef {big}_H",
        f"#define {big}_H",
        "",
        "#include <stdint.h>",
        "",
        "/* Addresses in bytes, from where the port is on your bus. */",
    ]
    for register in registers:
        lines += register_lines(register, big)
    (fields,) = (register.fields for register in registers if register.name == "settings")
    settings = sum(part.values[0] << part.offset for part in fields)
    text = FUNCTIONS.replace("@name@", name).replace("@NAME@", big)
    lines += text.replace("@SETTINGS@", f"0x{settings:x}u").splitlines()
    return "\n".join([*lines, "", f"#endif /* {big}_H */", ""])
