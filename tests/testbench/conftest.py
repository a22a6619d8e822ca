import pytest

from fingerpost.golden.network.network import Network
from tests.networks import load


@pytest.fixture(scope="session")
def borel21() -> Network:
    return load("borel-21")


@pytest.fixture(scope="session")
def borel1081() -> Network:
    return load("borel-1081")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what Verilator compiles where the name or a parameter says so."""
    for item in items:
        if "verilator" in item.name:
            item.add_marker("verilator")
