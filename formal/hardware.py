"""What is proven of generated hardware, and the networks of which `make formal` proves it."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from fingerpost.checker.deadlock import read
from fingerpost.formal import deflection_network, network
from fingerpost.formal.gates import Finding
from fingerpost.golden.network.deflection import DeflectionNetwork
from fingerpost.golden.network.kinds import AnyNetwork, build_any
from fingerpost.golden.network.network import Network
from fingerpost.hdl.emit.manifest import manifest
from fingerpost.hdl.emit.network import verilog_files

SHIPPED = "borel-21", "kautz-2-4", "borel-21-deflection", "borel-21-axi-deflection"
"""Files in networks/."""

NETWORKS = Path(__file__).parents[1] / "networks"

Found = tuple[str, Finding, float]
"""The network, what was found of it, and the seconds; few if verdicts were cached."""


@dataclass(frozen=True)
class Written:
    """What `fingerpost generate` wrote to a folder, perhaps changed since."""

    network: AnyNetwork
    """That of the description in the manifest."""
    manifest: dict[str, Any]
    file: str
    sha256: str
    """The name of the manifest, and its hash: it has those of all other files."""
    texts: dict[str, str]
    """The Verilog of the file list by name of file."""

    @classmethod
    def read(cls, folder: Path) -> "Written":
        """Return what is in a folder.

        Raises
        ------
        ValueError
            If it has no manifest or several, the manifest is damaged, files are not those of the
            manifest, or there is Verilog that tools may read in several ways.
        """
        found = [path for path in sorted(folder.glob("*.json")) if _is_manifest(path)]
        if len(found) != 1:
            names = ", ".join(path.name for path in found) or "none"
            raise ValueError(
                f"{folder} needs one manifest, NAME.json of `fingerpost generate`, not {names}"
            )
        data = found[0].read_bytes()
        told = json.loads(data)
        try:
            texts = read(folder, told)
            made = build_any(told["description"])
        except (SystemExit, OSError, ValueError) as refusal:
            raise ValueError(f"{folder}: {refusal}; `fingerpost generate` writes it anew") from None
        except (LookupError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{found[0]} is damaged ({error!r}); `fingerpost generate` writes it anew"
            ) from None
        return cls(made, told, found[0].name, hashlib.sha256(data).hexdigest(), texts)

    def findings(self, progress: Callable[[str], None]) -> Iterator[Finding]:
        """Return what is found, first of the manifest; `progress` is called with what is looked at.

        Raises
        ------
        ProofError
            If a tool is missing or breaks down, or refuses the text.
        """
        due = json.loads(json.dumps(manifest(self.network, {})))
        keys = sorted((due.keys() | self.manifest.keys()) - FREE)
        other = [key for key in keys if due.get(key) != self.manifest.get(key)]
        agrees = Finding("manifest", "agrees with its description", "text", len(keys), tuple(other))
        return chain([agrees], findings(self.network, self.texts, progress))


FREE = {"fingerpost", "versions", "sha256", "cost"}
"""Keys of a manifest that its description does not give."""


def _is_manifest(path: Path) -> bool:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(told, dict) and {"description", "sha256", "modules"} <= told.keys()


def findings(
    some: AnyNetwork, texts: Mapping[str, str], progress: Callable[[str], None]
) -> Iterator[Finding]:
    """Return what is found of Verilog; `progress` is called with what is looked at.

    `texts` are the files of the network by name.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """
    return FINDINGS[some.router_kind](some, texts, progress)


FINDINGS: dict[str, Callable[..., Iterator[Finding]]] = {
    Network.router_kind: network.findings,
    DeflectionNetwork.router_kind: deflection_network.findings,
}
"""What is found of the Verilog of a network, by the kind of its routers."""


def run_shipped(progress: Callable[[str], None], *, workers: int = 2) -> Iterator[Found]:
    """Prove the hardware of these networks, some at a time, and yield what is found in their order.

    Raises
    ------
    ProofError
        If a tool is missing or breaks down.
    """

    def prove(name: str) -> list[Found]:
        made = build_any(yaml.safe_load((NETWORKS / f"{name}.yaml").read_text(encoding="utf-8")))
        found, began = list[Found](), time.monotonic()
        for finding in findings(
            made, verilog_files(made), lambda told: progress(f"{name}: {told}")
        ):
            found.append((name, finding, time.monotonic() - began))
            progress(f"{name}, {finding.component}: {finding.claim}: {_said(finding)}")
            began = time.monotonic()
        return found

    with ThreadPoolExecutor(workers) as pool:
        for found in pool.map(prove, SHIPPED):
            yield from found


def _said(finding: Finding) -> str:
    """Return the verdict, with what is broken or why nothing was decided."""
    return " ".join([finding.verdict, *finding.broken, finding.reason]).strip()
