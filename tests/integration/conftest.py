"""What integration tests stand on. They run inside a lab (`make integration`), on real machines and a simulated AWS."""

from __future__ import annotations

import pytest
import turns
from fixtures import bare, need_a_lab, ready

__all__ = ["bare", "ready"]


def pytest_addoption(parser: pytest.Parser) -> None:
    turns.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "slow: takes more than a minute, and no other needs what it leaves; a commit runs a quarter of them, the campaign all"
    )
    need_a_lab()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    turns.leave_out_others(config, items)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A file whose tests are all of other commits' quarters has not failed."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.getoption(turns.OPTION):
        session.exitstatus = pytest.ExitCode.OK
