"""Memory maps: which node an address belongs to."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, NamedTuple

from fingerpost.golden.header import bits
from fingerpost.golden.parameters import Parameter, ParameterError, section

PAGE = 4096
"""Bytes that no burst crosses, and that the smallest region has."""

LARGEST = 1 << 63
"""Bytes of the largest region: a size fits in 64 bits, as addresses do."""

MOST_REGIONS = 64


def _refuse(key: str, needs: str, given: object) -> None:
    raise ParameterError(key, f"Region needs {needs}, not {given}")


@dataclass(frozen=True, kw_only=True)
class Region:
    """Addresses of one node, or a part of the same size for each node.

    Raises
    ------
    ParameterError
        If there can be no such region.
    """

    base: Annotated[
        int,
        Parameter(
            "Its first address, a multiple of the bytes that it takes in all.",
            minimum=0,
            example=0,
        ),
    ]
    size: Annotated[
        int,
        Parameter(
            "Bytes, a power of two; with nodes: all, those of each node.",
            f"a power of two in {PAGE}..2^63",
            minimum=PAGE,
            maximum=LARGEST,
            example=PAGE,
        ),
    ]
    node: Annotated[
        int | None,
        Parameter("The node whose subordinate has it.", "the number of a node"),
    ] = None
    nodes: Annotated[
        Literal["all"] | None,
        Parameter(
            "all, in place of node: node v has the addresses from base + v * size.",
            "all",
            example="all",
        ),
    ] = None

    def __post_init__(self) -> None:
        if not PAGE <= self.size <= LARGEST or self.size & (self.size - 1):
            _refuse("size", f"size a power of two in {PAGE:#x}..2^63", hex(self.size))
        if (self.node is None) == (self.nodes is None):
            given = "neither" if self.node is None else "both"
            _refuse("node", "either node, the number of one, or nodes: all", given)
        if self.base < 0 or self.base % self.size:
            _refuse("base", f"base a multiple of size, {self.size:#x}", hex(self.base))

    def span(self, nodes: int) -> int:
        """Return the bytes that the region takes in a network of so many nodes.

        With ``nodes: all`` they are a power of two, so that the node is a field of the address.
        """
        return self.size if self.nodes is None else self.size << bits(nodes)

    def check(self, nodes: int, address_width: int) -> None:
        """Refuse a region that does not fit a network, or addresses of so many bits.

        Raises
        ------
        ParameterError
            If it does not.
        """
        span = self.span(nodes)
        if self.base + span > 1 << address_width:
            key = "base" if self.base >> address_width else "size"
            needs = f"an end of at most 2^{address_width}, by terminal.address_width"
            _refuse(key, needs, hex(self.base + span))
        if self.base % span:
            times = f"{span // self.size} times size for {nodes} nodes"
            _refuse("base", f"base a multiple of {span:#x}, {times}", hex(self.base))
        if self.node is not None and not 0 <= self.node < nodes:
            _refuse("node", f"node in 0..{nodes - 1}", self.node)


class Part(NamedTuple):
    """Addresses of one node."""

    base: int
    size: int
    node: int


class MemoryMap:
    """The regions of a network.

    Parameters
    ----------
    regions : iterable of Region
    nodes : int
    subordinates : iterable of int
        The nodes that have a subordinate.
    address_width : int
        Bits of an address.

    Attributes
    ----------
    regions : tuple of Region
        In the order in which they were given, by which errors and generated files number them.

    Raises
    ------
    ParameterError
        If regions overlap, or one is of a node without a subordinate.
    """

    def __init__(
        self,
        regions: Iterable[Region],
        *,
        nodes: int,
        subordinates: Iterable[int],
        address_width: int,
    ) -> None:
        self.regions = tuple(regions)
        self.nodes, self.address_width = nodes, address_width
        self.subordinates = frozenset(subordinates)
        if not 0 < len(self.regions) <= MOST_REGIONS:
            needs = f"Memory map needs 1 to {MOST_REGIONS} regions, not {len(self.regions)}"
            raise ParameterError("", needs, section="memory_map")
        for index, region in enumerate(self.regions):
            with section("memory_map", index):
                region.check(nodes, address_width)
                if region.node is not None and region.node not in self.subordinates:
                    needs = "a node with a terminal, and among terminal.subordinates"
                    _refuse("node", needs, region.node)
                self._check_overlap(index)

    def _check_overlap(self, index: int) -> None:
        """Refuse a region that has addresses of one before it in the list."""
        base, end = self._limits(self.regions[index])
        for before, region in enumerate(self.regions[:index]):
            first, last = self._limits(region)
            if base <= last and first <= end:
                both = f"{max(base, first):#x}..{min(end, last):#x}"
                needs = f"Region needs addresses of its own; memory_map[{before}] has {both}, too"
                raise ParameterError("base", needs)

    def _limits(self, region: Region) -> tuple[int, int]:
        """Return the first and the last address of a region."""
        return region.base, region.base + region.span(self.nodes) - 1

    def node(self, address: int) -> int | None:
        """Return the node to which an address belongs; None if there is none.

        Addresses of ``nodes: all`` belong to no node where the node has no subordinate.

        Examples
        --------
        >>> region = Region(base=0, size=4096, nodes="all")
        >>> MemoryMap([region], nodes=3, subordinates=range(3), address_width=32).node(0x2004)
        2
        """
        for region in self.regions:
            first, last = self._limits(region)
            if first <= address <= last:
                node = (address - first) // region.size if region.nodes else region.node
                return node if node in self.subordinates else None
        return None

    def parts(self, region: Region) -> list[Part]:
        """Return the parts of a region, by address; none of nodes without a subordinate."""
        if region.node is not None:
            return [Part(region.base, region.size, region.node)]
        return [
            Part(region.base + node * region.size, region.size, node)
            for node in sorted(self.subordinates)
        ]

    def ranges(self) -> list[Part]:
        """Return the parts of all regions, by address."""
        return sorted(part for region in self.regions for part in self.parts(region))

    def describe(self) -> list[dict[str, Any]]:
        """Return the regions as plain data."""
        return [
            {key: value for key, value in asdict(region).items() if value is not None}
            for region in self.regions
        ]


def regions(description: Iterable[Mapping[str, Any]] | None) -> tuple[Region, ...]:
    """Return the regions that `memory_map` of a network file lists.

    Raises
    ------
    ParameterError
        If there can be no such region.
    """
    found = []
    for index, region in enumerate(description or ()):
        with section("memory_map", index):
            found.append(Region(**region))
    return tuple(found)
