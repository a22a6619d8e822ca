"""Why the network cannot deadlock, and the cycle that one virtual channel fewer would leave."""

from collections.abc import Sequence

from fingerpost.golden.network.network import Network
from fingerpost.report.markup import Child, Element, element, facts
from fingerpost.report.subject import Subject


def deadlock(subjects: Sequence[Subject]) -> list[Element]:
    """Return the section."""
    parts = [element("div", *map(_card, subjects), class_="cards")]
    if not any(subject.network.has_routes for subject in subjects):
        return parts
    return [
        element(
            "p",
            "A packet that holds a virtual channel of a link and requests another makes "
            "the first depend on the second. The dependencies of all routes form no cycle, so "
            "no packets can wait for each other, as long as terminals accept what arrives.",
        ),
        *parts,
    ]


def _card(subject: Subject) -> Element:
    network = subject.network
    if not network.has_routes:
        return _bounds(subject)
    if not isinstance(network, Network):
        return element(
            "div", element("h3", subject.name), element("p", "Not proven: too many routes.")
        )
    proof, channels = subject.proof, network.channels
    told: dict[str, Child] = {
        "virtual channels needed": proof["virtual_channels"]["needed"],
        "virtual channels in use": proof["virtual_channels"]["in_use"],
        "channels (links times virtual channels)": f"{proof['channels']:,}",
        "dependencies": f"{proof['dependencies']:,}",
        "equivalence classes of nodes": f"{proof['classes_of_nodes']:,}",
        "ranks of the acyclic order": f"{proof['ranks']:,}",
        "a packet takes the next virtual channel": "at turns that the routing names"
        if network.order is None
        else "at every local minimum of an order of the nodes on its route",
    }
    parts: list[Element] = [facts(f"Proof for {subject.name}", told)]
    if network.order is not None:
        first = [int(node) for node in _firsts(network)]
        heights = ", ".join(f"{network.topology.name(n)}: {network.order[n]}" for n in first)
        some = "" if len(first) == network.topology.nodes else ", one node of each class"
        parts.append(
            _folded(f"The order of the nodes: the rank of each{some}", element("p", heights))
        )
    fewer = channels.needed - 1
    if subject.cycle:
        steps = [
            element(
                "li",
                f"{network.topology.port_name(port)} from node "
                f"{network.topology.name(node)}, channel {channel}",
            )
            for node, port, channel in subject.cycle
        ]
        summary = f"With {fewer} the dependencies form a cycle of {len(steps)} channels"
        parts.append(_folded(summary, element("ol", *steps)))
    elif not fewer:
        parts.append(element("p", "One virtual channel is enough."))
    return element("div", element("h3", subject.name), *parts)


def _bounds(subject: Subject) -> Element:
    """Return what is proven of deflection routers."""
    proof = subject.proof
    told: dict[str, Child] = {
        "time of a flit in the network, at most [cycles]": _bound(proof["time_bound"]),
        "wait for injection, at most [cycles]": _bound(proof["wait_bound"]),
        "epoch [cycles]": f"{proof['epoch_cycles']:,}",
        "all flits of the epoch before are delivered within [cycles]": (
            f"{proof['drain_cycles']:,}"
        ),
    }
    return element(
        "div",
        element("h3", subject.name),
        element("p", f"Deadlock: {proof['deadlock']}."),
        facts(f"Bounds of {subject.name}", told),
        _folded("If", element("ul", *(element("li", each) for each in proof["conditions"]))),
    )


def _bound(cycles: int | None) -> str:
    return "no bound" if cycles is None else f"{cycles:,}"


def _firsts(network: Network) -> list[int]:
    """Return the first node of each class in the proof."""
    seen: dict[int, int] = {}
    for node, orbit in enumerate(network.channels.orbit.tolist()):
        seen.setdefault(orbit, node)
    return list(seen.values())


def _folded(summary: str, content: Element) -> Element:
    return element("details", element("summary", summary), content)
