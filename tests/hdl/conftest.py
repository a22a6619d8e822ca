import pytest

from fingerpost.golden.network.network import Network
from tests.networks import load


@pytest.fixture(scope="session")
def borel21() -> Network:
    return load("borel-21")
