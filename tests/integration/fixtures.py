"""Fixtures of the worlds in which tests begin, here and in the campaign."""

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
    """The first cluster as HyperPod delivers it, in an otherwise empty account; no file of this collection on the controller."""
    world = World()
    world.reset()
    return world


@pytest.fixture(scope="module")
def ready() -> World:
    """The first cluster after one run of login_access. Shared by the tests of a module, which restore what they change."""
    return ready_world()
