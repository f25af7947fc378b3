# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations of the simulator follow their settings while they run."""

from __future__ import annotations

import threading

import pytest
from lab.aws import cloud, delays


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> cloud.Cloud:
    made = cloud.Cloud(None, None, None)
    monkeypatch.setattr(cloud, "_current", made)
    return made


def paused() -> threading.Thread:
    thread = threading.Thread(target=delays.pause, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("change", [{"transition_seconds": 0}, {"transition_steps": 1}])
def test_a_change_of_the_settings_ends_a_running_pause(simulated: cloud.Cloud, change: dict[str, float]) -> None:
    simulated.change_settings({"transition_seconds": 3600})
    thread = paused()
    thread.join(0.01)
    assert thread.is_alive()
    simulated.change_settings(change)
    thread.join(60)
    assert not thread.is_alive() and simulated.settings["transition_steps"] == 0


def test_a_step_also_ends_a_pause_that_begins_later_and_only_one(simulated: cloud.Cloud) -> None:
    simulated.change_settings({"transition_seconds": 3600, "transition_steps": 1})
    first = paused()
    first.join(60)
    second = paused()
    second.join(0.01)
    assert (first.is_alive(), second.is_alive()) == (False, True)
    simulated.change_settings({"transition_seconds": 0})
    second.join(60)


def test_only_a_shorter_setting_applies_to_a_running_delay(simulated: cloud.Cloud) -> None:
    none, hour = (_delay(simulated, seconds) for seconds in (0, 3600))
    assert (none.is_over, hour.is_over) == (True, False)
    simulated.change_settings({"policy_lag_seconds": 0})
    assert hour.is_over
    simulated.change_settings({"policy_lag_seconds": 3600})
    assert (none.is_over, hour.is_over) == (True, True)


def _delay(simulated: cloud.Cloud, seconds: float) -> delays.Delay:
    simulated.change_settings({"policy_lag_seconds": seconds})
    return delays.Delay("policy_lag_seconds")
