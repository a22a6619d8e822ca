"""Latency where nothing is in the way: from hops and pipeline alone."""

from fingerpost.golden.network.network import Network

__all__ = ["zero_load"]


def zero_load(network: Network, hops: float, *, flits: float = 1.0) -> float | None:
    """Return the mean latency of packets that meet no others, in cycles.

    Parameters
    ----------
    network : Network
    hops, flits : float
        The means over all packets.

    Returns
    -------
    float or None
        None where links or terminals vary. A packet that is longer than its buffers and has fewer
        than five places in each takes longer than this, for its credits run out.

    Examples
    --------
    >>> from fingerpost.golden.network.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> zero_load(build({"name": "ring", **star}), 2.5, flits=4)
    13.5
    """
    if network.varies:
        return None
    return network.least_latency(0, 1) + network.hop_cycles * hops + flits - 1
