"""Families, names of nodes and algorithms: each wrong value is told, and what is needed."""

import re
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import yaml

from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES, Topology
from tests.golden.graphs import Edges

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


@pytest.mark.parametrize("name", LIMITED)
def test_families_that_an_algorithm_does_not_serve(name: str) -> None:
    make: Any = LIMITED[name]
    message = rf" needs a {' or '.join(LIMITED[name].families)} network, not edges$"
    with pytest.raises(ValueError, match=message):
        make(Edges(nx.path_graph(3)))
