"""The checker and `prove --rtl` together: no changed network is accepted by both."""

import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from fingerpost.checker.deadlock import main
from fingerpost.formal.hardware import Written
from fingerpost.formal.prove import ProofError
from tests.checker.changed import RING, files
from tests.checker.test_changed import apply

WIDE = RING | {"router": {"flit_width": 24, "buffer_depth": 2}}
NETWORKS = {
    "ring": WIDE,
    "classes": RING | {"router": {"flit_width": 24, "buffer_depth": 1, "classes": 2}},
    "deflection": RING | {"router": {"kind": "deflection", "flit_width": 4}},
}
CHAIN = yaml.load(Path(__file__).with_name("chain.yaml").read_text("utf-8"), yaml.CSafeLoader)
OWN = {"network", "wrong", "checker", "rtl", "quick", "stress"}
STRESSED = [name for name in CHAIN if "stress" in CHAIN[name]]


def changed(name: str, folder: Path) -> tuple[Path, Path]:
    """Write a changed network; return manifest and certificate."""
    entry = CHAIN[name]
    f = files(NETWORKS[entry.get("network", "ring")])
    apply(f, {key: entry[key] for key in entry.keys() - OWN})
    return f.write(folder)


def checker(folder: tuple[Path, Path]) -> str:
    """Return why the checker refuses a network; nothing if it accepts."""
    try:
        main(*map(str, folder))
    except SystemExit as refusal:
        return str(refusal)
    return ""


def rtl(folder: Path) -> str:
    """Return why `prove --rtl` refuses a network; nothing if all is proven."""
    try:
        for finding in Written.read(folder).findings(lambda _: None):
            if finding.verdict != "proven":
                said = finding.broken or (finding.reason,)
                return f"{finding.component}: {finding.claim}: {', '.join(said)}"
    except (ValueError, ProofError) as refusal:
        return str(refusal)
    return ""


@pytest.mark.regress
@pytest.mark.parametrize("name", CHAIN)
def test_every_changed_network_is_refused(name: str, tmp_path: Path, record_property: Any) -> None:
    entry, paths, began = CHAIN[name], changed(name, tmp_path), time.process_time()
    assert {"checker", "rtl"} & entry.keys()
    for judge, said in ("checker", checker(paths)), ("rtl", rtl(tmp_path)):
        print(f"{name}: {judge}: {said[:160] or 'accepts'}: {time.process_time() - began:.1f} s")
        assert bool(said) == (judge in entry), said
        assert re.search(entry.get(judge, ""), said), said


@pytest.mark.parametrize("name", [name for name in CHAIN if "quick" in CHAIN[name]])
def test_a_changed_network_is_refused(name: str, tmp_path: Path) -> None:
    entry, paths = CHAIN[name], changed(name, tmp_path)
    said = checker(paths) if "checker" in entry else rtl(tmp_path)
    assert re.search(entry.get("checker", entry.get("rtl")), said), said


@pytest.mark.regress
@pytest.mark.parametrize("name", ["unchanged", *STRESSED])
def test_a_simulation_shows_what_is_wrong(name: str, tmp_path: Path) -> None:
    if name == "unchanged":
        files(WIDE).write(tmp_path)
    else:
        changed(name, tmp_path)
    bench, run = Path(__file__).with_name("stress.v"), tmp_path / "run"
    sources = [tmp_path / "ring_router.v", tmp_path / "ring_network.v", bench]
    subprocess.run(["iverilog", "-g2012", "-o", run, *sources], check=True)
    said = subprocess.run(["vvp", "-n", run], capture_output=True, text=True, check=True)
    assert said.stdout.split()[-1] == CHAIN.get(name, {"stress": "ok"})["stress"]


@pytest.mark.regress
@pytest.mark.parametrize("network", NETWORKS)
def test_unchanged_networks_are_accepted(network: str, tmp_path: Path) -> None:
    paths = files(NETWORKS[network]).write(tmp_path)
    assert rtl(tmp_path) == ""
    if network != "deflection":
        assert checker(paths) == ""
