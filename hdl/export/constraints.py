"""What synthesis and placement must know of clocks and pins: SDC, XDC and LPF."""

from collections.abc import Iterator
from typing import NamedTuple

from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.network import node_names
from fingerpost.hdl.terminal import terminal_end

__all__ = ["Pins", "constraints", "network_pins"]

PERIOD = 10.0
"""Nanoseconds of a clock: 5 of them are a bit time at 20 Mbit/s."""


class Pins(NamedTuple):
    """What of a module is outside of its clock, if its ports are pins.

    Attributes
    ----------
    module : str
    links : int, optional
        OS-Links: of vectors of so many bits, or none at all.
    numbers : tuple of int, optional
        Of these OS-Links, if they are no vectors: their ports are named as ``link_in_12``.
    single : bool
        There is one OS-Link, whose ports are no vectors.
    synchronizes_reset : bool
        The reset may be of any clock.
    terminals : tuple of int, optional
        Those with clocks of their own, ports as ``axis_12_clk``, and queues in between.
    """

    module: str
    links: int = 0
    single: bool = False
    synchronizes_reset: bool = False
    numbers: tuple[int, ...] = ()
    terminals: tuple[int, ...] = ()

    @property
    def clocks(self) -> list[str]:
        """Return the names of the ports that are clocks, that of the network first."""
        return ["clk", *(f"axis_{number}_clk" for number in self.terminals)]

    def wires(self, name: str) -> list[str]:
        """Return the names of the ports `link_in` or `link_out`, bit by bit."""
        if self.numbers:
            return [f"{name}_{number}" for number in self.numbers]
        return [name] if self.single else [f"{name}[{port}]" for port in range(self.links)]


def network_pins(network: Network) -> list[Pins]:
    """Return the modules of a network that may be the only one of a chip.

    With clocks of their own the nodes are on boards of their own.
    """
    if not network.link.own_clocks:
        end = terminal_end(network)
        module, serial = end.pins()
        return [Pins(module, links=len(serial), numbers=serial, terminals=end.clocks())]
    return [Pins(name, network.topology.local) for name in node_names(network).values()]


def constraints(pins: Pins) -> dict[str, str]:
    """Return the texts of the three files for a module, by name, without a banner."""
    texts = {"sdc": _sdc(pins), "xdc": _xdc(pins), "lpf": _lpf(pins)}
    return {f"{pins.module}.{kind}": "\n".join([*lines, ""]) for kind, lines in texts.items()}


def _clock(pins: Pins) -> Iterator[str]:
    yield f"# For {pins.module} as the top of a chip. Inside a design of yours clocks are yours:"
    yield "# leave their lines out, let the others name them, and those of pins your pins."
    if pins.terminals:
        yield "# Each terminal has a clock of its own, in no step with clk; queues are in between."
    else:
        yield "# Inside, every path between two registers is of the one clock."


def _created(pins: Pins) -> Iterator[str]:
    for clock in pins.clocks:
        yield f"create_clock -name {clock} -period {PERIOD:.3f} [get_ports {{{clock}}}]"


def _asynchronous(pins: Pins) -> Iterator[str]:
    """Say that what comes from outside, or goes there, is of no clock."""
    if pins.links:
        yield "# OS-Links are of no clock: a receiver finds the bits by the first edge of a packet."
        yield f"set_false_path -from [get_ports {{{_all(pins, 'link_in')}}}]"
        yield f"set_false_path -to [get_ports {{{_all(pins, 'link_out')}}}]"
    if pins.synchronizes_reset:
        yield "# The reset passes two flip-flops, so it may be of any clock."
        yield "set_false_path -from [get_ports {rst}]"


def _all(pins: Pins, name: str) -> str:
    if pins.numbers:
        return f"{name}_*"
    return name if pins.single else f"{name}[*]"


def _sdc(pins: Pins) -> Iterator[str]:
    yield from _clock(pins)
    yield from _created(pins)
    if pins.terminals:
        yield "# What crosses passes two flip-flops, or waits for what does."
        groups = " ".join(f"-group [get_clocks {{{clock}}}]" for clock in pins.clocks)
        yield f"set_clock_groups -asynchronous {groups}"
    yield from _asynchronous(pins)


def _xdc(pins: Pins) -> Iterator[str]:
    yield from _clock(pins)
    yield from _created(pins)
    if pins.terminals:
        yield "# What crosses passes two flip-flops, or waits for what does. The bits of a pointer"
        yield "# are to be less than a cycle apart: the time is the shorter period of both clocks."
        for own in pins.clocks[1:]:
            for start, end in ((own, "clk"), ("clk", own)):
                yield (
                    f"set_max_delay -datapath_only -from [get_clocks {{{start}}}] "
                    f"-to [get_clocks {{{end}}}] {PERIOD:.3f}"
                )
        yield "# Those two flip-flops: side by side, and neither copied."
        yield _together("_cdc")
    yield from _asynchronous(pins)
    if pins.links:
        yield "# The two flip-flops that a wire passes first: side by side, and neither copied."
        yield _together("synchronizer")
        yield "# A wire rests low, also when nobody is at its other end."
        yield f"set_property PULLTYPE PULLDOWN [get_ports {{{_all(pins, 'link_in')}}}]"
        for name in ("link_in", "link_out"):
            yield f"set_property IOSTANDARD LVCMOS33 [get_ports {{{_all(pins, name)}}}]"
        for wire in _both(pins):
            yield f"# set_property PACKAGE_PIN ? [get_ports {{{wire}}}]"
    if pins.synchronizes_reset:
        yield _together("reset")


def _together(instance: str) -> str:
    cells = f"get_cells -hierarchical -filter {{NAME =~ *{instance}/stage*_reg*}}"
    return f"set_property ASYNC_REG TRUE [{cells}]"


def _both(pins: Pins) -> list[str]:
    return [*pins.wires("link_in"), *pins.wires("link_out")]


def _lpf(pins: Pins) -> Iterator[str]:
    yield from _clock(pins)
    for clock in pins.clocks:
        yield f'FREQUENCY PORT "{clock}" {1000 / PERIOD:.3f} MHZ;'
    if pins.terminals:
        yield "# What crosses passes two flip-flops, or waits for what does."
        yield "BLOCK INTERCLOCKDOMAIN PATHS;"
    if pins.links:
        yield "# OS-Links are of no clock. They rest low, also when nobody is at the other end."
        yield "BLOCK ASYNCPATHS;"
        for wire in pins.wires("link_in"):
            yield f'IOBUF PORT "{wire}" IO_TYPE=LVCMOS33 PULLMODE=DOWN;'
        for wire in pins.wires("link_out"):
            yield f'IOBUF PORT "{wire}" IO_TYPE=LVCMOS33;'
        for wire in _both(pins):
            yield f'# LOCATE COMP "{wire}" SITE "?";'
