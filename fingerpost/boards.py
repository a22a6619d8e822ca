"""The boards of `fingerpost board`: chip, clock and pins, from amaranth-boards."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

from fingerpost.golden.parameters import either

BOARDS = {
    f"ulx3s-{size}f": ("amaranth_boards.ulx3s", f"ULX3S_{size}F_Platform", f"--{size}k")
    for size in (12, 25, 45, 85)
}
"""By name: the module, the class, and what nextpnr calls the chip."""

LINKS, SHARED = 11, 27
"""How many pairs of the header's first row are free of the wireless chip, and which pin is at the
end of the second row."""

PULLED = {"link_in": "DOWN", "reset_n": "UP", "button": "DOWN"}
"""Pull resistors of the inputs."""

PACKAGES = {"BG381": "CABGA381"}
"""What nextpnr calls packages."""


@dataclass(frozen=True)
class Board:
    """A board."""

    name: str
    device: str
    """Of the chip."""
    options: tuple[str, ...]
    """Options of nextpnr that name the chip."""
    clock_hz: int
    pins: dict[str, str]
    """The pin of every port of the top that holds a whole network, by name."""
    pairs: tuple["Pair", ...]
    """Of the header: a link each."""
    shared: "Pin"
    """Of the header: the wire that goes to all boards of a network."""
    button: str
    """A pin that is high while a button is pressed."""

    def node_pins(self, links: int) -> dict[str, str]:
        """Return the pin of every port of a top that holds a node with some links, by name.

        Raises
        ------
        ValueError
            If it has more links than there are pairs of pins.
        """
        if links > len(self.pairs):
            raise ValueError(
                f"--board {self.name} has pins for {len(self.pairs)} links of a node, not {links}"
            )
        pins = self.pins | {"reset_n": self.shared.site, "button": self.button}
        for place, pair in enumerate(self.pairs[:links]):
            pins |= {f"link_out[{place}]": pair.out.site, f"link_in[{place}]": pair.into.site}
        return pins


class Pin(NamedTuple):
    """A pin of a header: what is printed beside it, and what the tools call it."""

    name: str
    site: str


class Pair(NamedTuple):
    """Two pins of a header, side by side: of a link, out and in."""

    out: Pin
    into: Pin


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
    header = platform.connectors[0].mapping
    pairs = tuple(Pair(_labelled(header, n, "+"), _labelled(header, n, "-")) for n in range(LINKS))
    shared, button = _labelled(header, SHARED, "+"), _pin(resources["button_fire", 0].ios[0])
    package = ("--package", PACKAGES[platform.package], "--speed", platform.speed)
    frequency = int(clock.clock.frequency)
    return Board(name, platform.device, (chip, *package), frequency, pins, pairs, shared, button)


def _labelled(header: Mapping[str, str], number: int, end: str) -> Pin:
    """Return a pin of the header by the name that is printed on the board."""
    return Pin(f"{'GP' if end == '+' else 'GN'}{number}", header[f"{number}{end}"])


def _pin(pins: Any) -> str:
    """Return the one pin that there is."""
    (name,) = pins.names
    return str(name)


def constraints(board: Board, pins: Mapping[str, str]) -> str:
    """Return clock and pins as LPF."""
    return "\n".join([*_lines(board, pins), ""])


def _lines(board: Board, pins: Mapping[str, str]) -> Iterator[str]:
    yield f"# {board.name}, {board.device}"
    yield f'FREQUENCY PORT "clk" {board.clock_hz / 1e6:.3f} MHZ;'
    for port, pin in pins.items():
        yield f'LOCATE COMP "{port}" SITE "{pin}";'
        pulled = PULLED.get(port.partition("[")[0])
        pull = f" PULLMODE={pulled}" if pulled else ""
        yield f'IOBUF PORT "{port}" IO_TYPE=LVCMOS33{pull};'
