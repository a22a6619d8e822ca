"""All mutants of a subject before all benches; those that live are compared with the hardware."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from golden.network import Network, build
from hdl.network import node_names, node_straps
from hdl.node import additions
from hdl.verilog import node
from mutation.alone import alone
from mutation.equivalent import Constants, equivalent
from mutation.hunt import Killed, healthy, hunt
from mutation.mutant import Mutant
from mutation.mutated import Mutated, mutate
from mutation.subjects import Subject
from mutation.trial import Trial
from mutation.whole import whole

__all__ = ["Fate", "Progress", "campaign"]

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many, and of how many."""


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    Attributes
    ----------
    killed : Killed, optional
        By which bench.
    equivalent : bool, optional
        Whether it is proven to change nothing; nothing if that was not asked or not decided.
    """

    mutant: Mutant
    killed: Killed | None
    equivalent: bool | None = None


def campaign(
    subject: Subject,
    *,
    count: int,
    seed: int,
    cache: Path,
    prove: bool = True,
    progress: Progress = lambda what, done, total: None,
) -> list[Fate]:
    """Return what becomes of so many mutants.

    Parameters
    ----------
    cache : Path
        Where what is compiled and proven is kept.
    prove : bool
        Whether to look for a proof that those that live change nothing.

    Raises
    ------
    BenchError, ToolError, ProofError
        If a tool is missing or breaks down.
    RuntimeError
        If hardware differs from its model without any mutant.
    """
    network = build(subject.description)
    progress(f"{subject.name}: mutants", 0, count)
    module = node_names(network)[network.topology.node_types[0]]
    mutated = mutate(node(network), module, count=count, seed=seed, within=subject.within)
    trials = _trials(subject, network, module, mutated, cache)
    healthy(trials)
    fates = []
    for done, mutant in enumerate(mutated.mutants):
        progress(f"{subject.name}: benches", done, count)
        fates.append(Fate(mutant, hunt(trials, mutant.number)))
    if not prove:
        return fates
    lives = [fate for fate in fates if fate.killed is None]
    constants = _constants(network, module)
    proven = {}
    for done, fate in enumerate(lives):
        progress(f"{subject.name}: proofs", done, len(lives))
        proven[fate.mutant.number] = equivalent(
            mutated.verilog, module, fate.mutant.number,
            depth=network.buffer_depth, constants=constants, cache=cache,
        )  # fmt: skip
    return [
        Fate(fate.mutant, fate.killed, proven.get(fate.mutant.number)) for fate in fates
    ]  # fmt: skip


def _trials(
    subject: Subject, network: Network, module: str, mutated: Mutated, cache: Path
) -> Sequence[Trial]:
    found = [whole(network, module, mutated, subject.stimuli, cache=cache)]
    if not additions(network):
        found.append(alone(network, module, mutated, cache=cache))
    return found


def _constants(network: Network, module: str) -> Constants:
    names = node_names(network)
    several: list[Mapping[str, int]] = []
    for number, node_type in enumerate(network.topology.node_type):
        if names[node_type] == module:
            pair = dict(zip(("straps", "increments"), node_straps(network, number), strict=True))
            if pair not in several:
                several.append(pair)
    return several
