"""`fingerpost order`: an order of the nodes that needs fewer virtual channels, or of the links."""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from fingerpost.cli import options
from fingerpost.cli.app import command, option
from fingerpost.golden.arrays import IntArray
from fingerpost.golden.deadlock.channels import Channels
from fingerpost.golden.deadlock.order import STEPS, heights, rank_classes, search, valleys
from fingerpost.golden.parameters import ParameterError
from fingerpost.golden.routing.acyclic import Acyclic, Choice
from fingerpost.golden.routing.base import Routing
from fingerpost.jobs.console import answer, progress
from fingerpost.jobs.provenance import uses
from fingerpost.netfile.source import Source


@command("order networks/borel-21.yaml --channels 2 --steps 5000")
def main(
    net: options.Net,
    channels: int = option(1, "Stop when this number suffices.", min=1),
    steps: int = option(2000, "Steps of the search.", min=0),
    seed: options.Seed = 0,
    faults: options.Faults = None,
    algorithm: options.Algorithm = None,
    as_json: options.AsJson = False,
) -> None:
    """Search for an order of the nodes that needs fewer virtual channels.

    Starts from the order of the file, if it has one. Prints none if the routing algorithm has a
    scheme of its own that needs no more channels. With acyclic routing it is an order of the links,
    for the number of channels that the routing has.
    """
    source = options.load_source(net, faults=faults, routing=algorithm)
    uses(source.description)
    with progress("looking for an order") as tell:
        found = facts(source, channels=channels, steps=steps, seed=seed, progress=tell)
    answer(found, render, as_json=as_json)


def facts(
    source: Source,
    *,
    channels: int,
    steps: int,
    seed: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Return the best order that was found, or none if the algorithm's own scheme is as good.

    A network as it is has the order of its file, the increments of its routing, or else the order
    that is searched whenever it is loaded. Nothing is returned that needs more channels than that.
    `progress` is called with (steps done, steps to do).

    Keys
    ----
    network, algorithm, seed, seconds
    channel_order
        Rank of every class or node, for the network file; `null` if the algorithm's own
        scheme needs no more channels.
    virtual_channels : channels
        `as_it_is`, and `needed` with the answer.
    link_order, saturation : flits/cycle
        Of `acyclic` routing: the order of its links, for the network file, and the limit of the
        busiest link. `null` for other algorithms.
    steps : steps
        The argument.
    """
    started = time.perf_counter()
    routing = source.routed().routing
    if isinstance(routing, Acyclic):
        return _of_links(source, routing, steps=steps, seed=seed, progress=progress)
    start, own = _kept(source, routing), _without_order(routing)
    first = 0
    if start is None and own is None:
        first = STEPS
        start, _ = search(routing, progress=lambda done, _: progress(done, first + steps))
    known = None if start is None else _needed(routing, start)
    limit = min(count for count in (known, own) if count is not None)
    ranks, needed = start, known
    if limit > channels:
        ranks, needed = search(
            routing,
            steps=steps,
            seed=seed,
            target=channels,
            start=start,
            progress=lambda done, _: progress(first + done, first + steps),
        )
    without = needed is None or (own is not None and own <= needed)
    return {
        "network": source.file.name,
        "algorithm": routing.algorithm,
        "channel_order": None if without or ranks is None else ranks.tolist(),
        "virtual_channels": {
            "needed": own if without else needed,
            "as_it_is": own if known is None else known,
        },
        "link_order": None,
        "saturation": None,
        "steps": steps,
        "seed": seed,
        "seconds": time.perf_counter() - started,
    }


def _of_links(
    source: Source,
    routing: Acyclic,
    *,
    steps: int,
    seed: int,
    progress: Callable[[int, int], None],
) -> dict[str, Any]:
    """Return the better of the links' order as it is and the one that a search finds."""
    started, channels = time.perf_counter(), routing.virtual_channels
    tried = [routing]
    if steps:
        tried.append(
            Acyclic(routing.topology, progress, virtual_channels=channels, steps=steps, seed=seed)
        )
    best = max(tried, key=lambda each: _choice(each).merit)
    return {
        "network": source.file.name,
        "algorithm": routing.algorithm,
        "channel_order": None,
        "virtual_channels": {"needed": channels, "as_it_is": channels},
        "link_order": best.link_order.tolist(),
        "saturation": _choice(best).saturation,
        "steps": steps,
        "seed": seed,
        "seconds": time.perf_counter() - started,
    }


def _choice(routing: Acyclic) -> Choice:
    """Return what the routes are that a routing has chosen."""
    return next(
        each for each in routing.choices if each.virtual_channels == routing.virtual_channels
    )


def _kept(source: Source, routing: Routing) -> IntArray | None:
    """Return the order of the file, if it is one of this network.

    An order that was found before the topology was changed is as good as none.
    """
    kept = source.parameters()[0].channel_order
    count = int(rank_classes(routing).max()) + 1
    return np.array(kept) if kept is not None and sorted(kept) == list(range(count)) else None


def _without_order(routing: Routing) -> int | None:
    """Return the channels that the routing's own increments need, or None if it has none."""
    increments = routing.vc_increments()
    if increments is not None:
        with suppress(ParameterError):  # of increments that leave a cycle, as good as none
            return Channels(routing, increments).needed
    return None


def _needed(routing: Routing, ranks: IntArray) -> int:
    return Channels(routing, valleys(routing.topology, heights(routing, ranks))).needed


def render(facts: Mapping[str, Any]) -> str:
    """Return the line for the network file, if there is one; the rest is a comment in it."""
    channels, order = facts["virtual_channels"], facts["channel_order"]
    if facts["link_order"] is not None:
        return (
            f"# {facts['network']}: links saturate at {facts['saturation']:.3f} with this order\n"
            f"routing: {{algorithm: acyclic, virtual_channels: {channels['needed']}, "
            f"order: {facts['link_order']}}}"
        )
    if order is None:
        return (
            f"# {facts['network']}: leave out channel_order: {facts['algorithm']} needs "
            f"{channels['needed']} virtual channels without one, and none was found that needs "
            "fewer"
        )
    count = channels["needed"]
    needed = "1 virtual channel is" if count == 1 else f"{count} virtual channels are"
    same = channels["needed"] == channels["as_it_is"]
    return (
        f"# {facts['network']}: {needed} enough with this order"
        f"{', as many as before' if same else ''}\n"
        f"channel_order: {order}"
    )
