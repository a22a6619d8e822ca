from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shared by the tests of a module: a simulator builds the same sources only once."""
    return tmp_path_factory.mktemp("sim_build")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what Verilator compiles where the name or a parameter says so."""
    for item in items:
        if "verilator" in item.name:
            item.add_marker("verilator")
