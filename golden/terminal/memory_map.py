"""Memory maps: which node an address belongs to."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from fingerpost.golden.header import bits
from fingerpost.golden.parameters import Parameter, ParameterError

PAGE = 4096
"""Bytes that no burst crosses, and that the smallest region has."""

MOST_REGIONS = 64


@dataclass(frozen=True, kw_only=True)
class Region:
    """Addresses of one node, or a part of the same size for each node.

    Raises
    ------
    ParameterError
        If there can be no such region.
    """

    base: Annotated[int, Parameter("Its first address, in bytes.", minimum=0, example=0)]
    size: Annotated[
        int,
        Parameter(
            f"Bytes, a power of two from {PAGE}; with nodes: all, those of each node.",
            f"a power of two from {PAGE}",
            minimum=PAGE,
            example=PAGE,
        ),
    ]
    node: Annotated[
        int | None,
        Parameter("The node whose subordinate has it.", "the number of a node", example=0),
    ] = None
    nodes: Annotated[
        Literal["all"] | None,
        Parameter("all: node v has the part that begins at base + v * size.", "all"),
    ] = None

    def __post_init__(self) -> None:
        if self.size < PAGE or self.size & (self.size - 1):
            self._refuse(f"size a power of two from {PAGE}", self.size)
        if (self.node is None) == (self.nodes is None):
            raise ParameterError(
                "memory_map",
                f"Region at {self.base:#x} needs either node or nodes: all",
                section="memory_map",
            )
        if self.base < 0 or self.base % self.size:
            self._refuse(f"base a multiple of size, {self.size:#x}", hex(self.base))

    def _refuse(self, needs: str, given: object) -> None:
        where = f"Region at {self.base:#x}"
        raise ParameterError(
            "memory_map", f"{where} needs {needs}, not {given}", section="memory_map"
        )

    def span(self, nodes: int) -> int:
        """Return the bytes that the region takes in a network of so many nodes."""
        return self.size if self.nodes is None else self.size << bits(nodes)

    def check(self, nodes: int, address_width: int) -> None:
        """Refuse a region that does not fit a network, or addresses of so many bits.

        Raises
        ------
        ParameterError
            If it does not.
        """
        span = self.span(nodes)
        if self.base % span:
            self._refuse(
                f"base a multiple of {span:#x}, its size for {nodes} nodes", hex(self.base)
            )
        if self.base + span > 1 << address_width:
            self._refuse(f"to end below {1 << address_width:#x}", hex(self.base + span))
        if self.node is not None and not 0 <= self.node < nodes:
            self._refuse(f"a node in 0..{nodes - 1}", self.node)


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
        self.regions = tuple(sorted(regions, key=lambda region: region.base))
        self.nodes, self.address_width = nodes, address_width
        self.subordinates = frozenset(subordinates)
        if not 0 < len(self.regions) <= MOST_REGIONS:
            self._refuse(f"1 to {MOST_REGIONS} regions, not {len(self.regions)}")
        for region in self.regions:
            region.check(nodes, address_width)
            if region.node is not None and region.node not in self.subordinates:
                self._refuse(
                    f"a subordinate at node {region.node} for the region at {region.base:#x}"
                )
        for low, high in zip(self.regions, self.regions[1:], strict=False):
            if low.base + low.span(nodes) > high.base:
                end = low.base + low.span(nodes)
                self._refuse(
                    f"regions that do not overlap; that at {low.base:#x} ends at {end:#x}, and "
                    f"the next begins at {high.base:#x}"
                )

    @staticmethod
    def _refuse(needs: str) -> None:
        raise ParameterError("memory_map", f"Memory map needs {needs}", section="memory_map")

    def node(self, address: int) -> int | None:
        """Return the node to which an address belongs; None if there is none.

        Examples
        --------
        >>> region = Region(base=0, size=4096, nodes="all")
        >>> MemoryMap([region], nodes=3, subordinates=range(3), address_width=32).node(0x2004)
        2
        """
        for region in self.regions:
            if region.base <= address < region.base + region.span(self.nodes):
                node = (address - region.base) // region.size if region.nodes else region.node
                return node if node in self.subordinates else None
        return None

    def ranges(self) -> list[tuple[int, int, int]]:
        """Return (first address, bytes, node) of every node's parts, by address."""
        found = []
        for region in self.regions:
            for node in range(self.nodes) if region.nodes else [region.node]:
                if node in self.subordinates:
                    base = region.base + node * region.size * (region.nodes is not None)
                    found.append((base, region.size, node))
        return found

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
    return tuple(Region(**region) for region in description or ())
