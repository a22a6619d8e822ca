"""The hooks of pre-commit are the commands of `make lint`."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


def test_the_hooks_are_the_checks_of_make_lint() -> None:
    (recipe,) = re.findall(
        r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.M
    )
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe.splitlines()]
    (repo,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert [hook["entry"] for hook in repo["hooks"]] == commands
