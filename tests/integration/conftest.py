"""Set-up of the integration tests, which run in a lab (`make integration`), on real machines and a simulated AWS."""

from __future__ import annotations

import pytest
import turns
from fixtures import bare, need_a_lab, ready

__all__ = ["bare", "ready"]


def pytest_configure(config: pytest.Config) -> None:
    need_a_lab()


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A file whose tests are all left to other commits has not failed."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.getoption(turns.OPTION):
        session.exitstatus = pytest.ExitCode.OK
