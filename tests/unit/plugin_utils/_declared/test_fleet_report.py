# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fleet report needs a report store."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.fleet_report import NO_STORE, offline
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import of_run

STORE = {"hyperpod_report_store": "/store", "hyperpod_report_store_profile": ""}


@pytest.mark.parametrize(("taken", "expected"), [(STORE, []), ({**STORE, "hyperpod_report_store": ""}, [NO_STORE]), ({}, [NO_STORE])])
def test_a_run_without_a_report_store_is_refused(monkeypatch: pytest.MonkeyPatch, taken: dict[str, str], expected: list[str]) -> None:
    monkeypatch.setattr(of_run, "OF_THIS_RUN", taken)
    assert offline({}, {}) == expected


@pytest.mark.parametrize(("hours", "refused"), [(1, False), (8760, False), (0, True), (8761, True)])
def test_the_age(monkeypatch: pytest.MonkeyPatch, hours: t.Any, refused: bool) -> None:
    monkeypatch.setattr(of_run, "OF_THIS_RUN", STORE)
    assert bool(offline({"fleet_report_old_hours": hours}, {})) is refused
