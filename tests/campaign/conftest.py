"""Fixtures of the campaign, shared with the integration tests, and the option that selects one commit's test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
sys.path += os.environ.get("ANSIBLE_COLLECTIONS_PATH", "").split(":")  # some tests use simulated APIs, which import the collection

from choice import chosen
from fixtures import bare, need_a_lab, ready

__all__ = ["bare", "ready"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slice", metavar="COMMIT", help="run the one test that this commit chooses, never a slow one")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than two minutes; never part of a slice")
    need_a_lab()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    commit = config.getoption("--slice")
    if not commit:
        return
    tests: dict[str, list[str]] = {}
    for item in items:
        tests.setdefault(item.path.name, []).extend([] if item.get_closest_marker("slow") else [item.nodeid])
    taken = chosen(commit, tests)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid != taken])
    items[:] = [item for item in items if item.nodeid == taken]
