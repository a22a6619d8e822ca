"""Resolve the packages of pyproject.toml afresh and write the lock files.

What the extras of `APART` bring shares the virtual environment, so everything is resolved together;
requirements-cost.lock is what `cost` adds, and so on.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

APART = "cost", "docs", "machine"
"""Extras that `scripts/setup NAME` installs, and not every set-up."""


def resolve(*requirements: str, constraint: Path | None = None) -> dict[str, str]:
    """Return name and version of all that pip would install for `requirements`."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        command += ["--dry-run", "--ignore-installed", "--report", str(report), *requirements]
        command += ["--constraint", str(constraint)] if constraint else []
        subprocess.run(command, check=True)
        packages = json.loads(report.read_text())["install"]
    return {package["metadata"]["name"]: package["metadata"]["version"] for package in packages}


def write(path: Path, packages: dict[str, str]) -> None:
    """Write a lock file."""
    lines = [f"{name}=={packages[name]}" for name in sorted(packages, key=str.lower)]
    path.write_text("\n".join(["# Written by `make lock`. Do not edit.", *lines, ""]))


def main() -> None:
    """Write requirements.lock, and a file for each extra that is apart."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    # All but what is apart, and what extras say of others.
    base = [*project["dependencies"]]
    base += [each for name in extras if name not in APART for each in extras[name]]
    base = [each for each in base if not each.startswith(f"{project['name']}[")]
    everything = resolve(*base, *(each for name in APART for each in extras[name]))
    with tempfile.TemporaryDirectory() as folder:
        constraint = Path(folder, "constraint.txt")
        write(constraint, everything)
        tests = resolve(*base, constraint=constraint)
        write(ROOT / "requirements.lock", tests)
        for name in APART:
            with_extra = resolve(*base, *extras[name], constraint=constraint)
            added = {each: with_extra[each] for each in with_extra if each not in tests}
            write(ROOT / f"requirements-{name}.lock", added)


if __name__ == "__main__":
    main()
