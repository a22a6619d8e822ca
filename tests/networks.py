"""The network files of the repository, for tests of rooms that know nothing of the front door."""

from pathlib import Path
from typing import Any

import yaml

from fingerpost.golden.network.network import Network, build

__all__ = ["load"]


def load(name: str) -> Network:
    """Build the network of a file in networks/."""
    file = Path(__file__).parents[1] / "networks" / f"{name}.yaml"
    description: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return build(description)
