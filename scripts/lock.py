"""Resolve the packages of pyproject.toml afresh and write the two lock files.

The tools of the `cost` extra share the virtual environment, so everything is resolved together;
requirements-cost.lock is what they add.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


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
    """Write requirements.lock and requirements-cost.lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    # All but what `all` says again, and the tools of `cost`.
    base = [*project["dependencies"]]
    base += [each for name in extras if name not in ("all", "cost") for each in extras[name]]
    everything = resolve(*base, *extras["cost"])
    with tempfile.TemporaryDirectory() as folder:
        constraint = Path(folder, "constraint.txt")
        write(constraint, everything)
        tests = resolve(*base, constraint=constraint)
    write(ROOT / "requirements.lock", tests)
    added = {name: version for name, version in everything.items() if name not in tests}
    write(ROOT / "requirements-cost.lock", added)


if __name__ == "__main__":
    main()
