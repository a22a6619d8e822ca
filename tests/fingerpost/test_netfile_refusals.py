"""Every wrong value is told with its line, its key and what it needs."""

from pathlib import Path

import pytest
import yaml

from fingerpost.golden.routing import ALGORITHMS
from fingerpost.golden.topology import FAMILIES
from fingerpost.netfile.source import NetfileError, read
from tests.fingerpost.netfiles import GOOD, KEYS, NAME, PARTS, refusal, with_change

pytestmark = pytest.mark.usefixtures("here")

NAMED = {
    "{FAMILY}": f"needs one of {', '.join(FAMILIES)}",
    "{ALGORITHM}": f"needs one of {', '.join(ALGORITHMS)}",
    "{KEYS}": KEYS,
    "{PARTS}": PARTS,
    "{NAME}": NAME,
    "{NOT_KEYS}": "a network file needs keys such as name, topology, routing, as in "
    "networks/borel-21.yaml",
    "{CYCLE}": ", ".join(f"B^-1 from node {v} on channel 0" for v in ("0,0", "2,3", "1,1")),
}

TABLES = yaml.load(Path(__file__).with_name("refusals.yaml").read_text("utf-8"), yaml.CSafeLoader)


def told(message: str) -> str:
    for name, words in NAMED.items():
        message = message.replace(name, words)
    return message.replace("\\\\", "\\")


@pytest.mark.parametrize("line", TABLES["changed"].splitlines())
def test_wrong_topology_routing_or_name(line: str) -> None:
    old, new, message = line.split(" | ")
    assert refusal(with_change(old, new.replace("\\n", "\n"))) == f"x.yaml:{told(message)}"


@pytest.mark.parametrize("line", TABLES["added"].splitlines())
def test_wrong_router_or_link(line: str) -> None:
    more, message = line.split(" | ")
    assert refusal(GOOD + more.replace("\\n", "\n")) == f"x.yaml:{told(message)}"


@pytest.mark.parametrize("line", TABLES["texts"].splitlines())
def test_not_a_network_file(line: str) -> None:
    text, message = line.split(" | ")
    assert refusal(text.replace("\\n", "\n")) == f"x.yaml{told(message)}"


@pytest.mark.parametrize("line", TABLES["families"].splitlines())
def test_wrong_parameters_of_every_family(line: str) -> None:
    family, algorithm, message = line.split(" | ")
    Path("x.yaml").write_text(
        f"name: x\ntopology: {{family: {family}}}\nrouting: {{algorithm: {algorithm}}}\n",
        encoding="utf-8",
    )
    with pytest.raises(NetfileError) as caught:
        read("x.yaml").routed()
    assert str(caught.value).partition(": ")[2] == message
