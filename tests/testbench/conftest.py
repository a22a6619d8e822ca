from pathlib import Path

import pytest

from fingerpost.netfile import load
from golden.network import Network

NETWORKS = Path(__file__).parents[2] / "networks"


@pytest.fixture(scope="session")
def borel21() -> Network:
    return load(NETWORKS / "borel-21.yaml")


@pytest.fixture(scope="session")
def borel1081() -> Network:
    return load(NETWORKS / "borel-1081.yaml")
