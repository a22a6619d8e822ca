"""Latency where nothing is in the way: from hops and pipeline alone."""

from fingerpost.golden.network.kinds import AnyNetwork


def zero_load(
    network: AnyNetwork, hops: float, *, flits: float = 1.0, longest: int | None = None
) -> float | None:
    """Return the mean latency of packets that meet no others, in cycles.

    Parameters
    ----------
    network : AnyNetwork
    hops, flits : float
        The means over all packets.
    longest : int, optional
        Flits of the longest; by default all have as many.

    Returns
    -------
    float or None
        None where links or terminals vary, or where packets wait for a grant. A packet that is
        longer than its buffers and has fewer than five places in each takes longer than this, for
        its credits run out.

    Examples
    --------
    >>> from fingerpost.golden.network.network import build
    >>> star = {"topology": {"family": "star", "n": 3}, "routing": {"algorithm": "greedy"}}
    >>> zero_load(build({"name": "ring", **star}), 2.5, flits=4)
    13.5
    """
    uninvited = network.terminal.uninvited(network)
    if network.jitter_reason or (uninvited is not None and (longest or flits) > uninvited):
        return None
    path = network.least_latency(0, 1) + network.hop_cycles * hops
    return path + network.terminal.flit_cycles * (flits - 1)
