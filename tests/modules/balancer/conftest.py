# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulator without hosts for each test module, and modules run against it as Ansible runs them."""

from __future__ import annotations

import typing as t

import pytest
from simulated import Simulated, simulator as simulated_api


class Simulator(Simulated):
    """A run's result names the mutating calls and what was wrong with its requests."""

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        result = super().run(module, check=check, _ansible_diff=True, **options)
        calls = self.control("calls")
        result["mutating"] = [call["operation"] for call in calls if call["mutating"]]
        result["problems"] = [problem for call in calls for problem in call["problems"]]
        return result


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulator]:
    with simulated_api(tmp_path_factory.mktemp("lab")) as url:
        made = Simulator(url)
        made.control("settings", {"transition_seconds": 0.05})
        yield made
        made.stop()


@pytest.fixture
def faults(simulator: Simulator) -> t.Iterator[t.Callable[..., None]]:
    """Adds a fault rule; all rules are gone after the test."""
    yield simulator.fault
    simulator.clear_faults()
