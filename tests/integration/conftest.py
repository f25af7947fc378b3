"""What integration tests stand on. They run inside a lab (`make integration`), on real machines and a simulated AWS."""

from __future__ import annotations

import pytest
from fixtures import bare, need_a_lab, ready

__all__ = ["bare", "ready"]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a minute")
    need_a_lab()
