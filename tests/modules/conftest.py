"""Modules run as Ansible runs them, against the simulated API; contained and limited in time as unit tests are."""

from unit.conftest import (
    pytest_configure,
    pytest_runtest_call,
    pytest_runtest_setup,
    pytest_runtest_teardown,
    pytest_unconfigure,
)

__all__ = ["pytest_configure", "pytest_runtest_call", "pytest_runtest_setup", "pytest_runtest_teardown", "pytest_unconfigure"]
