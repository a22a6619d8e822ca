"""`make mutate`: mutants of hardware before contracts and benches, as a table.

python -m mutation [SUBJECT...] [--all] [--count N] [--seed S] [--json FILE] [--no-proofs]

By default some mutants of each subject are tried. What was found before is kept, and an interrupted
run resumes.
"""

import argparse
import json
import resource
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from fingerpost.jobs.console import plain_table
from fingerpost.jobs.files import write_text
from mutation.campaign import Fate, Subject, campaign, read
from mutation.subjects import SUBJECTS

KILLED = tuple(f"killed by {bench}" for bench in ("contract", "decision", "network", "router"))

COUNT, SEED, SAMPLE = 200, 1, 12
"""Mutants that are made of each subject, at most, and those of them that are tried by default."""

COLUMNS = "made", *KILLED, "equivalent", "explained", "alive"


def verdict(fate: Fate, explained: set[str]) -> str:
    """Return the column that a mutant counts in."""
    if fate.killed:
        return f"killed by {fate.killed.by}"
    if fate.equivalent:
        return "equivalent"
    return "explained" if fate.mutant.name in explained else "alive"


def row(subject: Subject, fate: Fate, verdict: str) -> dict[str, object]:
    """Return the fate of a mutant as plain data."""
    return {
        "network": subject.name,
        "number": fate.mutant.number,
        "mutant": str(fate.mutant),
        "component": subject.part(fate.mutant),
        "lines": fate.mutant.lines,
        "verdict": verdict,
        "cycle": fate.killed.cycle if fate.killed else None,
        "proof": {True: "equivalent", False: "differs", None: None}[fate.equivalent],
    }


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 if a mutant is alive without an entry that explains it, or an explained one is killed.

    One that is proven equivalent may have an entry: what ABC proves in time depends on the machine.
    """
    parser = argparse.ArgumentParser(prog="python -m mutation", description=__doc__)
    parser.add_argument(
        "subjects", nargs="*", metavar="SUBJECT", help="a name, or part of some, such as mailbox"
    )
    parser.add_argument("--all", action="store_true", help=f"not {SAMPLE} of each only: hours")
    parser.add_argument("--count", type=int, default=COUNT, help="mutants that are made of each")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what came out, too")
    parser.add_argument("--no-proofs", action="store_true", help="do not compare those that live")
    parser.add_argument("--list", action="store_true", help="print the names of all subjects")
    parser.add_argument("--directory", type=Path, default=Path("sim_build"))
    options = parser.parse_args(arguments)
    names = {subject.name for subject in SUBJECTS}
    wanted = set[str]()
    for word in options.subjects:
        found = {word} & names or {name for name in names if word in name}
        if not found:
            parser.error(f"SUBJECT needs to be part of a name that --list prints, not {word}")
        wanted |= found
    chosen = [subject for subject in SUBJECTS if subject.name in (wanted or names)]
    if options.list:
        print(*(subject.name for subject in chosen), sep="\n")
        return 0
    cache = options.directory / "mutation"
    cache.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    stale: list[str] = []
    explanations = read()
    for number, subject in enumerate(chosen, 1):
        entries = [entry.mutants for entry in explanations if entry.subject == subject.name]
        explained = {mutant for several in entries for mutant in several}
        fates = campaign(
            subject,
            count=options.count,
            seed=options.seed,
            cache=cache,
            sample=None if options.all else SAMPLE,
            prove=not options.no_proofs,
            progress=partial(_tell, f"{number}/{len(chosen)}"),
        )
        killed = {fate.mutant.name for fate in fates if fate.killed}
        stale += [f"{subject.name}: {mutant}" for mutant in sorted(explained & killed)]
        rows += [row(subject, fate, verdict(fate, explained)) for fate in fates]
    _show(rows)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        write_text(options.json, json.dumps({"mutants": rows}, indent=1) + "\n")
    for each in rows:
        if each["verdict"] == "alive":
            print(f"alive: {each['network']}, {each['number']}: {each['mutant']}")
    for entry in stale:
        print(f"explained, and killed: {entry}")
    return int(bool(stale) or any(r["verdict"] == "alive" for r in rows))


def _tell(subject: str, what: str, done: int, total: int) -> None:
    if done % 20 == 0:
        print(f"{subject} {what}, {done}/{total}", file=sys.stderr, flush=True)


def _show(rows: Sequence[dict[str, object]]) -> None:
    """Print tables, by subject and by component."""
    used = sum(
        sum(resource.getrusage(process)[:2])
        for process in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    for title, what in (("subject", "network"), ("component", "component")):
        names = [name.removeprefix("killed ") for name in (*COLUMNS, "% killed")]
        table = plain_table(title, *names, right=names)
        kinds = list(dict.fromkeys(str(each[what]) for each in rows))
        for kind in (*sorted(kinds), "all"):
            some = [each for each in rows if kind in (each[what], "all")]
            count = Counter(str(each["verdict"]) for each in some)
            count["made"] = len(some)
            different = count["made"] - count["equivalent"]
            killed = sum(count[name] for name in KILLED)
            share = f"{100 * killed / different:.1f}" if different else ""
            table.add_row(kind, *(str(count[name]) for name in COLUMNS), share)
        Console(highlight=False, markup=False, width=150).print(table)
    print(f"{used:.0f} s of processor time")


if __name__ == "__main__":
    sys.exit(main())
