"""`fingerpost soak`: a network kept full until so many flits have passed, from a checkpoint."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from fingerpost.files import write
from golden.measure.soak import ROUND, Soak, SoakError
from golden.network import Network

__all__ = ["EVERY", "facts", "render"]

EVERY = 30.0
"""Seconds from checkpoint to checkpoint."""


def facts(
    network: Network,
    *,
    flits: int,
    seed: int = 0,
    load: float | None = None,
    arrivals: str,
    packet_length: str,
    malformed: float = 0.05,
    stall: float = 0.1,
    state: Path | None = None,
    every: float = EVERY,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Run a soak until so many flits have passed, in whole rounds.

    Parameters
    ----------
    flits : int
        Those that are sent, at least.
    seed, load, arrivals, packet_length, malformed, stall
        See `golden.measure.soak.Soak`.
    state : Path, optional
        A file that keeps where it stands: the same soak goes on from there.
    every : float
        Seconds from one checkpoint to the next.
    progress : callable
        Called with the flits that came out, and those asked for.

    Raises
    ------
    ValueError
        If an argument is impossible, or the state is that of another soak.
    """
    started = time.perf_counter()
    soak = Soak(
        network,
        seed=seed,
        load=load,
        arrivals=arrivals,
        lengths=packet_length,
        malformed=malformed,
        stall=stall,
        packets=ROUND,
    )
    whole = {
        "network": network.name,
        "load": soak.load,
        "arrivals": arrivals,
        "packet_length": packet_length,
        "malformed": malformed,
        "stall": stall,
        "seed": seed,
        "engine": soak.engine.name,
    }
    digest = sha256(json.dumps(network.description, sort_keys=True).encode()).hexdigest()
    kept_as = whole | {"description": digest}
    if state is not None and state.exists():
        soak.restore(_read(state, kept_as))
    kept = time.monotonic()
    message = ""
    try:
        while soak.totals.flits < flits:
            soak.advance()
            progress(min(soak.flits, flits), flits)
            if state is not None and time.monotonic() - kept >= every:
                _write(state, kept_as, soak.state())
                kept = time.monotonic()
    except SoakError as error:
        message = str(error)
    if state is not None and not message:
        _write(state, kept_as, soak.state())
    return {
        **whole,
        **asdict(soak.totals),
        "message": message,
        "seconds": time.perf_counter() - started,
    }


def _write(path: Path, whole: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    def fill(scratch: Path) -> None:
        with scratch.open("wb") as file:
            _save(file, {"arguments": np.array(json.dumps(whole)), **arrays})

    write(path, fill)


def _save(file: BinaryIO, arrays: dict[str, Any]) -> None:
    np.savez(file, **arrays)


def _read(path: Path, whole: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a state file.

    Raises
    ------
    ValueError
        If it is no state of a soak, or of one with other arguments.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            arrays = dict(kept)
        known = json.loads(str(arrays.pop("arguments")))
        known = {key: known[key] for key in whole}
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile):
        raise ValueError(f"{path}: is not the state of a soak") from None
    if known["network"] == whole["network"] and known["description"] != whole["description"]:
        raise ValueError(f"{path}: is the state of a soak of another network of that name")
    for key, value in whole.items():
        if known[key] != value:
            raise ValueError(f"{path}: is the state of a soak with {key} {known[key]}, not {value}")
    return arrays


def render(facts: Mapping[str, Any]) -> str:
    """Return a soak as people read it."""
    found = facts["message"] or "none lost, doubled or misplaced"
    run = f"{facts['network']}, {facts['engine']} model, seed {facts['seed']}"
    drained = f"{facts['drained']:,} flits of malformed packets, {facts['errors']:,} errors counted"
    return "\n".join(
        (
            f"{run}: {facts['flits']:,} flits, {found}",
            f"delivered  {facts['delivered']:,} flits of {facts['packets']:,} packets",
            f"drained    {drained}",
            f"rounds     {facts['rounds']:,}, of {facts['cycles']:,} cycles in all",
            f"seconds    {facts['seconds']:.1f}",
        )
    )
