"""Terminals of deflection routers: packets of one flit, in any order."""

from dataclasses import dataclass
from typing import ClassVar

from fingerpost.golden.header import Layout
from fingerpost.golden.terminal.base import Terminal
from fingerpost.golden.traffic import Traffic
from fingerpost.golden.traffic.carrier import Carrier


@dataclass(frozen=True)
class SingleFlitTerminal(Terminal):
    """The port of the router itself: valid and ready."""

    kind: ClassVar[str] = "single-flit"
    late: ClassVar[tuple[str, ...]] = ("ready",)

    ejections: int = 1
    """Flits that come out in a cycle at most."""

    def one_class(self, *, counted: bool) -> str:
        return "routers are of kind deflection"

    def given(self, network: Carrier) -> Layout:
        return Layout.sequence(
            valid=(1, "a flit is offered"),
            destination=(network.routing.address_layout.width, "number of its terminal"),
            data=(network.flit_width, "the user's"),
            eject_ready=(self.ejections, "by ejection port: a flit can be taken two cycles later"),
        )

    def seen(self, network: Carrier) -> Layout:
        return Layout.sequence(
            ready=(1, "what is offered goes in"),
            valid=(self.ejections, "by ejection port: there is a flit"),
            **{f"data{port}": (network.flit_width, "the user's") for port in range(self.ejections)},
        )

    @property
    def payload(self) -> tuple[str, ...]:
        """Return nothing: ejection registers keep the last flit."""
        return ()

    def check(self, traffic: Traffic, *, surplus: int = 0) -> None:
        """Refuse packets of more than one flit, and a surplus.

        Raises
        ------
        ValueError
            If there is one of these.
        """
        super().check(traffic, surplus=surplus)
        if (traffic.length != 1).any():
            raise ValueError(
                "Deflection routers need packets of 1 flit (--packet-length 1), "
                f"not {int(traffic.length.max())}"
            )
