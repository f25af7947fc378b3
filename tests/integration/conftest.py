"""What integration tests stand on. They run inside a lab (`make integration`), on real machines and a simulated AWS."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from fixtures import bare, need_a_lab, ready

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "campaign"))

from choice import third

__all__ = ["bare", "ready"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow-of", metavar="COMMIT", help="of the slow tests, run the third that this commit draws")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "slow: takes more than a minute, and no test needs what it leaves; a commit runs a third of them, the campaign all"
    )
    need_a_lab()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    commit = config.getoption("--slow-of")
    if not commit:
        return
    slow = {item.nodeid for item in items if item.get_closest_marker("slow")}
    left_out = slow.difference(third(commit, sorted(slow)))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A file whose tests are all of other commits' thirds has not failed."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.getoption("--slow-of"):
        session.exitstatus = pytest.ExitCode.OK
