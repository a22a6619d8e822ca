"""A packet that crosses one router, as its wires show it."""

from collections.abc import Callable, Sequence

from fingerpost.drawing.timing import svg
from fingerpost.golden.network.network import Network
from fingerpost.report.crossing import FLITS, LARGEST, Crossing, cross, size, way
from fingerpost.report.inline import Pictures
from fingerpost.report.markup import Child, Element, element, facts
from fingerpost.report.subject import Subject


def waves(
    subjects: Sequence[Subject], pictures: Pictures, tell: Callable[[str], None]
) -> list[Element]:
    """Return the section; `tell` is called with each step.

    A flit takes its way through a deflection router whatever is there: its wires show nothing.
    """
    subjects = [each for each in subjects if each.network.has_routes]
    if not subjects:
        return []
    return [
        element(
            "p",
            f"A packet of {FLITS} flits crosses one idle router, simulated in Amaranth "
            "while this page was made. A box shows the data of a flit in hexadecimal: H marks "
            "the head flit, which carries the header, T the tail flit. Hatched: not valid. A "
            "credit returns one buffer slot to the sender.",
        ),
        *(part for subject in subjects for part in _one(subject, pictures, tell)),
    ]


def _one(subject: Subject, pictures: Pictures, tell: Callable[[str], None]) -> list[Element]:
    network, title = subject.network, element("h3", subject.name)
    if not isinstance(network, Network):
        return [title, _without("it has too many routes for a proof, so no router is built")]
    packet = way(network)
    if packet is None:
        return [
            title,
            _without("no packet of its first terminal passes through an intermediate router"),
        ]
    if (steps := size(network, packet.node)) > LARGEST:
        return [
            title,
            _without(
                f"its router has {steps:,} turns times virtual channels; above {LARGEST} the "
                "simulation takes long. ",
                "fingerpost cosim NET --waves",
                " writes a waveform of the whole network",
            ),
        ]
    tell(f"{subject.name}: waves")
    seen = cross(network, packet)
    try:
        drawn = svg(seen.diagram)
    except ModuleNotFoundError:
        # Pages can be made without what draws diagrams: the facts are there all the same.
        return [
            title,
            _facts(network, seen),
            element(
                "p",
                "No picture was drawn: it needs ",
                element("code", "pip install 'fingerpost[rtl]'"),
                ".",
            ),
        ]
    words = f"{subject.name}: {FLITS} flits cross {_node(network, seen.way.node)}"
    took = f"{words}. The head flit arrives in cycle {seen.entered}, departs in cycle {seen.left}"
    shown = pictures.waves(drawn, took, words)
    return [title, element("div", _facts(network, seen), shown, class_="waves")]


def _without(*why: str) -> Element:
    """Return a paragraph with the reason why there is none; the second part is a command."""
    parts = [element("code", words) if place == 1 else words for place, words in enumerate(why)]
    return element("p", "No waves: ", *parts, ".")


def _node(network: Network, node: int) -> str:
    name = network.topology.name(node)
    return f"node {name}" if name == str(node) else f"node {node} ({name})"


def _facts(network: Network, seen: Crossing) -> Element:
    packet = seen.way
    there = int(network.topology.neighbour[packet.node, packet.port])
    told: dict[str, Child] = {
        "packet": f"from {_node(network, packet.source)} to {_node(network, packet.destination)}",
        "router": _node(network, packet.node),
        "arrives": f"from {_node(network, packet.source)}: inputs__{packet.arrival}__*",
        "departs": f"to {_node(network, there)}: outputs__{packet.port}__*, channel {seen.channel}",
        "router latency, link to link [cycles]": seen.left - seen.entered,
        "header on arrival": _fields(network, packet.header),
        "header on departure": _fields(network, packet.onward),
    }
    return facts(f"The packet, in {network.name}", told)


def _fields(network: Network, word: int) -> str:
    header = network.routing.header
    return ", ".join(f"{name}={int(header.cut(name, word))}" for name in header)
