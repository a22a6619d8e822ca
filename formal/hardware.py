"""What is proven of the generated hardware of a network, whatever the kind of its routers."""

from collections.abc import Callable, Iterator

from fingerpost.formal import deflection_network, network
from fingerpost.formal.finding import Finding
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork

__all__ = ["findings"]


def findings(some: AnyNetwork, progress: Callable[[str], None]) -> Iterator[Finding]:
    """Return what is found; `progress` is called with what is looked at.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    if isinstance(some, DeflectionNetwork):
        return deflection_network.findings(some, progress)
    return network.findings(some, progress)
