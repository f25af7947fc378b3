# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run adds to the report store, and the parts that it could not add."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import of_run, place

REPORT = {"schema": 3, "status": "changed", "started": "2026-11-22T08:00:00Z", "playbook": "verify", "clusters": {}}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(of_run, "OF_THIS_RUN", {place.OPTION: str(tmp_path / "store"), place.PROFILE: ""})
    return tmp_path / "store"


def test_without_the_callback_there_is_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_run, "OF_THIS_RUN", {})
    assert of_run.place_of_run() is None and of_run.add(REPORT, ()) == ("", [])


def test_a_file_that_is_too_large_is_reported_and_the_report_is_stored(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_run, "LARGEST", 5)
    large, small = store.with_name("large.html"), store.with_name("small.json")
    large.write_text("123456")
    small.write_text("12345")
    address, found = of_run.add(REPORT, [str(large), str(small)])
    assert [each.text for each in found] == [f"A file of this run was not stored: {large} has more than 5 characters."]
    assert Path(address).exists() and [path.name for path in store.rglob("*/*/small.json")] == ["small.json"]


def test_each_call_has_keys_of_its_own(store: Path) -> None:
    addresses = {of_run.add(REPORT, ())[0] for _turn in range(3)}
    assert len(addresses) == len(list((store / "v1/runs").iterdir())) == 3
