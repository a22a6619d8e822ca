"""The boards that `fingerpost board` knows: chip, clock and pins, from amaranth-boards."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from golden.parameters import either

__all__ = ["BOARDS", "Board", "board", "constraints"]

BOARDS = {
    f"ulx3s-{size}f": ("amaranth_boards.ulx3s", f"ULX3S_{size}F_Platform", f"--{size}k")
    for size in (12, 25, 45, 85)
}
"""By name: the module, the class, and what nextpnr calls the chip."""

PACKAGES = {"BG381": "CABGA381"}
"""What nextpnr calls packages."""


@dataclass(frozen=True)
class Board:
    """A board.

    Attributes
    ----------
    name : str
    device : str
        Of the chip.
    options : tuple of str
        What tells nextpnr the chip.
    clock_hz : int
    pins : dict
        The pin of every port of the top, by name.
    """

    name: str
    device: str
    options: tuple[str, ...]
    clock_hz: int
    pins: dict[str, str]


def board(name: str) -> Board:
    """Return a board.

    Raises
    ------
    ValueError
        If it is not known.
    """
    if name not in BOARDS:
        raise ValueError(f"--board needs {either(BOARDS)}, not {name!r}")
    module, kind, chip = BOARDS[name]
    platform: Any = getattr(import_module(module), kind)
    resources = {(each.name, each.number): each for each in platform.resources}
    clock = resources[platform.default_clk, 0]
    pins = {"clk": _pin(clock.ios[0])}
    pins["tx"] = next(_pin(io.ios[0]) for io in resources["uart", 0].ios if io.name == "tx")
    pins |= {f"led[{i}]": _pin(resources["led", i].ios[0]) for i in range(8)}
    package = ("--package", PACKAGES[platform.package], "--speed", platform.speed)
    return Board(name, platform.device, (chip, *package), int(clock.clock.frequency), pins)


def _pin(pins: Any) -> str:
    """Return the one pin that there is."""
    (name,) = pins.names
    return str(name)


def constraints(board: Board) -> str:
    """Return clock and pins as LPF."""
    return "\n".join([*_lines(board), ""])


def _lines(board: Board) -> Iterator[str]:
    yield f"# {board.name}, {board.device}"
    yield f'FREQUENCY PORT "clk" {board.clock_hz / 1e6:.3f} MHZ;'
    for port, pin in board.pins.items():
        yield f'LOCATE COMP "{port}" SITE "{pin}";'
        yield f'IOBUF PORT "{port}" IO_TYPE=LVCMOS33;'
