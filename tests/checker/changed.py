"""A generated network to be changed: manifest, certificate and Verilog, with hashes that agree.

What a faulty generator would write: each change keeps the hashes of the files right.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fingerpost.golden.network.kinds import build_any
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.certificate import certificate
from fingerpost.hdl.export.generate import generate

RING = {
    "name": "ring",
    "topology": {"family": "edge-list", "links": [(i, (i + 1) % 5) for i in range(5)], "nodes": 5},
    "routing": {"algorithm": "table"},
    "router": {"flit_width": 8},
}
"""Five nodes in a circle: two virtual channels, which packets must change to break it."""


CONSTANTS = "straps", "increments", "table"


@dataclass
class Files:
    """What is beside each other in a folder, as data and text."""

    manifest: Any
    certificate: Any
    verilog: dict[str, str]

    @property
    def network(self) -> str:
        """The Verilog of the module of the network."""
        return self.verilog[self._named("network")]

    @network.setter
    def network(self, text: str) -> None:
        self.verilog[self._named("network")] = text

    @property
    def router(self) -> str:
        """The Verilog of the first kind of node."""
        return self.verilog[self._named("node")]

    @router.setter
    def router(self, text: str) -> None:
        self.verilog[self._named("node")] = text

    def _named(self, what: str) -> str:
        return f"{self.manifest['modules'][what]}.v"

    def inside(self, part: str, changes: Mapping[str, Any]) -> None:
        """Change a module of the first kind of node, in all its instances.

        Parameters
        ----------
        part : str
            Which, by the path of its instance; nothing is the node itself.
        changes : mapping
            `declare`: text for its begin; `add`: for its end; `replace`: texts by what they
            replace, a regular expression; `pins`: by instance and port, what is connected instead,
            in which ``@`` is what was.
        """
        name = self.manifest["modules"]["node"]
        for instance in filter(None, part.split(".")):
            found = re.search(rf"^  (\w+) {instance} \($", self.verilog[f"{name}.v"], re.M)
            assert found, part
            name = found[1]
        text = self.verilog[f"{name}.v"]
        for pattern, new in changes.get("replace", {}).items():
            text, count = re.subn(pattern, new, text, flags=re.M)
            assert count, pattern
        for instance, pins in changes.get("pins", {}).items():
            place = re.search(rf"^  \w+ {instance} \(.*?^  \);", text, re.M | re.S)
            assert place, instance
            there = place[0]
            for port, new in pins.items():
                pin = re.search(rf"(\.{port} *\()(.*?)(\)(?:,\n    \.|\n  \);))", there, re.S)
                assert pin, port
                put = pin[1] + new.replace("@", pin[2]) + pin[3]
                there = there[: pin.start()] + put + there[pin.end() :]
            text = text.replace(place[0], there)
        text = replaced(text, "\n);\n", f"\n);\n  {changes.get('declare', '')}\n", 1)
        added = f"\n  {changes.get('add', '')}\nendmodule\n"
        self.verilog[f"{name}.v"] = replaced(text, "\nendmodule\n", added)

    def text(self, file: str, pattern: str, new: str) -> None:
        """Replace text of a file by a regular expression."""
        self.verilog[file], count = re.subn(pattern, new, self.verilog[file], count=1, flags=re.M)
        assert count, pattern

    def instance(self, node: int) -> str:
        """Return the text of the instance at a node."""
        found = re.search(rf"^ *\w+ node_{node}\(.*?^  \);", self.network, re.M | re.S)
        assert found
        return found[0]

    def pin(self, node: int, port: str) -> str:
        """Return what is connected to a port of a node."""
        found = re.search(rf"\.{port}\((.*?)\)(?=[,\s])", self.instance(node))
        assert found, port
        return found[1]

    def connect(self, node: int, port: str, signal: str) -> None:
        """Connect something else to a port of a node; PIN stands for what was there."""
        old, there = self.instance(node), self.pin(node, port)
        pin, signal = f".{port}({there})", signal.replace("PIN", there)
        self.network = replaced(self.network, old, replaced(old, pin, f".{port}({signal})"))

    def swap(self, node: int, port: str, other: int, its_port: str) -> None:
        """Swap what is connected to two ports."""
        signal = self.pin(other, its_port)
        self.connect(other, its_port, self.pin(node, port))
        self.connect(node, port, signal)

    def add(self, text: str) -> None:
        """Write text at the end of the module of the network."""
        self.network = replaced(self.network, "\nendmodule", f"\n  {text}\nendmodule")

    def rewrite(self, pattern: str, new: str, count: int = 1) -> None:
        """Replace text of the network's module by a regular expression."""
        changed = re.sub(pattern, new, self.network, count=count, flags=re.S | re.M)
        assert changed != self.network
        self.network = changed

    def seal(self) -> None:
        """Let the hash of the certificate be that of the manifest's wiring."""
        wiring = [
            [x["module"], *(x.get(key, "0x0") for key in CONSTANTS), []]
            for x in self.manifest["node_straps"]
        ]
        for link in sorted(self.manifest["links"], key=lambda x: (x["node"], x["port"])):
            wiring[link["node"]][-1].append([link["port"], link["to_node"], link["to_port"]])
        digest = hashlib.sha256(json.dumps(wiring).encode()).hexdigest()
        self.certificate["wiring_sha256"] = digest

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write all, with hashes that are right; return manifest and certificate."""
        manifest, certificate = folder / "m.json", folder / "c.json"
        for name, text in self.verilog.items():
            (folder / name).write_text(text)
            self.manifest["sha256"][name] = hashlib.sha256(text.encode()).hexdigest()
        manifest.write_text(json.dumps(self.manifest))
        certificate.write_text(json.dumps(self.certificate))
        return manifest, certificate


def replaced(text: str, old: str, new: str, count: int = -1) -> str:
    """Return the text with something replaced, which must be there."""
    assert old in text, old
    return text.replace(old, new, count)


def files(description: dict[str, Any]) -> Files:
    """Return what is generated for a network, to be changed."""
    manifest, order, *verilog = json.loads(_generated(json.dumps(description)))
    return Files(manifest, order, dict(verilog))


@cache
def _generated(description: str) -> str:
    network = build_any(json.loads(description))
    order = certificate(network) if isinstance(network, Network) else {}
    with TemporaryDirectory() as folder:
        paths = generate(network, Path(folder))
        manifest = json.loads(paths[-1].read_text())
        texts = [(p.name, p.read_text()) for p in paths if p.suffix in (".v", ".f")]
    return json.dumps([manifest, order, *texts])
