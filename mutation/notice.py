"""Which contract notices a fault: run in a copy of the tree that has it.

python -m mutation.notice FILE CACHE SECONDS <GENUINE

GENUINE is what `describe` says of the sources without it, as JSON. The answer is JSON, too.
"""

import hashlib
import json
import re
import resource
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fingerpost.formal.proofs import PROOFS, Proof
from fingerpost.formal.prove import design, prove

PATIENCE = 30
"""After so many seconds PDR gives up on one proof."""


def describe() -> list[dict[str, Any]]:
    """Return of each proof a digest and the size of its design, and the files in hdl/ of it."""
    said = []
    for proof in PROOFS:
        text = design([proof.make()])
        files = sorted(set(re.findall(r"hdl/(\w[\w/]*\.py):", text)))
        plain = _plain(text)
        said.append(
            {"proof": str(proof), "digest": _digest(plain), "size": len(plain), "files": files}
        )
    return said


def notice(
    file: str, genuine: Sequence[Mapping[str, Any]], cache: Path, *, seconds: float
) -> dict[str, Any]:
    """Return the first proof that fails of those in which a file of hdl/ makes a difference.

    The smallest designs come first. A verdict is kept by the digest of its design.

    Parameters
    ----------
    seconds : float
        After these, of processor time, no other proof is begun.
    """
    proofs, tried = {str(proof): proof for proof in PROOFS}, 0
    for entry in sorted(genuine, key=lambda entry: int(entry["size"])):
        if file not in entry["files"]:
            continue
        proof = proofs[entry["proof"]]
        digest = _digest(_plain(design([proof.make()])))
        if digest == entry["digest"]:
            continue
        tried += 1
        broken = _broken(proof, cache / f"{digest}.json")
        if broken:
            return {"noticed": f"{entry['proof']}: {', '.join(broken)}", "tried": tried}
        if _used() > seconds:
            return {"noticed": "", "tried": tried, "complete": False}
    return {"noticed": "", "tried": tried, "complete": True}


def _used() -> float:
    """Return the seconds of processor time that this process and its children have taken."""
    each = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(sum(resource.getrusage(one)[:2]) for one in each)


def _broken(proof: Proof, stored: Path) -> list[str]:
    """Return the claims that do not hold; none if they do, or nothing is decided in time."""
    if not stored.exists():
        verdict = prove(proof.make(), seconds=PATIENCE, depth=proof.depth)
        scratch = stored.with_suffix(".part")
        scratch.write_text(json.dumps(verdict.broken))
        scratch.replace(stored)
    broken: list[str] = json.loads(stored.read_text())
    return broken


def _plain(text: str) -> str:
    """Return a design without the lines of its sources."""
    return re.sub(r"^\s*attribute \\src .*\n", "", text, flags=re.MULTILINE)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


if __name__ == "__main__":
    file, cache, seconds = sys.argv[1:]
    said = notice(file, json.load(sys.stdin), Path(cache), seconds=float(seconds))
    print(json.dumps(said))
