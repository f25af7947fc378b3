"""Worlds that tests begin with, here and in the campaign."""

from __future__ import annotations

import os

import pytest
from harness import World
from worlds import ready_world


def need_a_lab() -> None:
    """
    :raises pytest.UsageError: outside of a lab, where these tests would change the machine itself.
    """
    if "LAB_STATE" not in os.environ:
        raise pytest.UsageError("these tests run inside a lab: make integration, make campaign")


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
