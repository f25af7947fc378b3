"""The option and the marker with which slow tests take turns."""

from __future__ import annotations

import pytest
import turns


def pytest_addoption(parser: pytest.Parser) -> None:
    turns.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"slow: {turns.SLOW}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    turns.leave_out_others(config, items)
