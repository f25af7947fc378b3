"""What integration tests stand on. They run inside a lab (`make integration`), on real machines and a simulated AWS."""

from __future__ import annotations

import os

import pytest
from harness import World
from worlds import ready_world


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a minute")
    if "LAB_STATE" not in os.environ:
        raise pytest.UsageError("integration tests run inside a lab: make integration")


@pytest.fixture
def bare() -> World:
    """The first cluster as HyperPod hands it over, and nothing else in the account; no file of ours on the controller."""
    world = World()
    world.reset()
    return world


@pytest.fixture(scope="module")
def ready() -> World:
    """The first cluster after one run of login_access. Shared by a module: tests leave it as they found it."""
    return ready_world()
