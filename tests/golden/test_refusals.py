"""Families, names of nodes and algorithms: each wrong value is told, and what is needed."""

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import yaml

from fingerpost.golden.algebra.gcr import GCR
from fingerpost.golden.algebra.group import BorelGroup
from fingerpost.golden.faults import faulty
from fingerpost.golden.measure import simulate
from fingerpost.golden.network.network import DeadlockError, build
from fingerpost.golden.parameters import ParameterError, either, section
from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES, Topology
from fingerpost.golden.traffic import PATTERNS
from fingerpost.golden.traffic.spelling import arrivals, lengths, pattern
from tests.golden.graphs import Edges
from tests.networks import load

TABLES = yaml.load(Path(__file__).with_name("refusals.yaml").read_text("utf-8"), yaml.CSafeLoader)
LIMITED = {name: algorithm for name, algorithm in ALGORITHMS.items() if algorithm.families}


def keys(text: str) -> tuple[str, dict[str, Any]]:
    """Return a name, and the keys and values behind it."""
    name, _, rest = text.partition(",")
    return name, yaml.safe_load(f"{{{rest}}}")


def topology(text: str) -> Topology:
    family, parameters = keys(text)
    pairs = {key: tuple(parameters[key]) for key in parameters.keys() & {"A", "B", "C"}}
    return FAMILIES[family](**parameters | pairs)


ALGEBRA: dict[str, Callable[..., object]] = {
    "borel-group": BorelGroup,
    "gcr": lambda p=7, **keys: GCR(BorelGroup(p, 2), **keys),
}


@pytest.mark.parametrize("line", TABLES["algebra"].splitlines())
def test_groups_and_what_is_made_of_them(line: str) -> None:
    text, message = line.split(" | ")
    name, parameters = keys(text)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        ALGEBRA[name](**parameters)


@pytest.mark.parametrize("line", TABLES["families"].splitlines())
def test_parameters_of_a_family(line: str) -> None:
    family, message = line.split(" | ")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        topology(family)


@pytest.mark.parametrize("line", TABLES["nodes"].splitlines())
def test_names_of_nodes(line: str) -> None:
    family, name, message = line.split(" | ")
    network = topology(family)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        network.node(name)


@pytest.mark.parametrize("line", TABLES["algorithms"].splitlines())
def test_options_of_an_algorithm(line: str) -> None:
    family, algorithm, message = line.split(" | ")
    name, options = keys(algorithm)
    make: Any = ALGORITHMS[name]
    network = topology(family)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make(network, **options)


LISTS = {
    "{ITEMS}": "link:0-5, node:12, links=3, links=2%, nodes=1 or seed=7, with commas between",
    "{PATTERNS}": either(PATTERNS),
}
SPELLED: dict[str, Callable[[str], object]] = {
    "faults": lambda text: faulty(Edges(nx.petersen_graph()), text),
    "patterns": pattern,
    "arrivals": arrivals,
    "lengths": lengths,
}


@pytest.mark.parametrize(
    ("kind", "line"), [(kind, line) for kind in SPELLED for line in TABLES[kind].splitlines()]
)
def test_what_is_spelled(kind: str, line: str) -> None:
    text, message = line.split(" | ")
    for name, words in LISTS.items():
        message = message.replace(name, words)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        SPELLED[kind](text)


def place(error: ParameterError) -> str:
    item = "" if error.index is None else f"[{error.index}]"
    return f"{error.section}{item}.{error.key}"


@pytest.mark.parametrize("line", TABLES["networks"].splitlines())
def test_other_parts_of_a_network(line: str) -> None:
    change, message = line.split(" | ")
    with pytest.raises(ParameterError) as caught:
        build({**load("borel-21").description, **yaml.safe_load(change)})
    assert f"{place(caught.value)}: {caught.value}" == message


@pytest.mark.parametrize("line", TABLES["simulations"].splitlines())
def test_simulations_that_cannot_be_or_take_too_long(line: str) -> None:
    options, message = line.split(" | ")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        simulate(
            load("borel-21"), **{"load": 0.1, "cycles": 100} | yaml.safe_load(f"{{{options}}}")
        )


@pytest.mark.parametrize("name", LIMITED)
def test_families_that_an_algorithm_does_not_serve(name: str) -> None:
    make: Any = LIMITED[name]
    message = rf" needs a {' or '.join(LIMITED[name].families)} network, not edges$"
    with pytest.raises(ValueError, match=message):
        make(Edges(nx.path_graph(3)))


def test_section_is_that_of_the_innermost() -> None:
    with pytest.raises(ParameterError) as caught, section("topology"), section("routing"):
        raise ParameterError("n", "Lamp needs an n")
    assert (caught.value.key, caught.value.section) == ("n", "routing")
    with pytest.raises(ParameterError) as caught, section("topology"):
        raise ParameterError("n", "Lamp needs an n", section="router")
    assert caught.value.section == "router"


def test_errors_of_workers_are_those_of_the_command() -> None:
    """Also of a class that is made from something else than key and message."""
    cyclic = {"family": "grid", "sizes": [5], "wrap": [True]}
    for kind, what in (
        (ParameterError, {"topology": {**STAR, "n": 2}}),
        (DeadlockError, {"topology": cyclic, "routing": {"algorithm": "dimension-order"}}),
    ):
        with pytest.raises(kind) as caught:
            build({"name": "x", "routing": GREEDY, "router": {"virtual_channels": 1}, **what})
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again)) == (kind, str(caught.value))
        assert vars(again) == vars(caught.value)


STAR = {"family": "star", "n": 3}
GREEDY = {"algorithm": "greedy"}
