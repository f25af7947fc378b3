# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action fleet_report writes its files in check mode as well, and returns no texts of reports."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action.fleet_report import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import of_run
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder
from simulated.fleet_store import ACCOUNT, add, arn, finding, of_cluster

CLUSTER = {"key": "ml", "arn": arn("ml"), "account": ACCOUNT, "region": "us-west-2", "orchestrator": "slurm", "nodes": {}}


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    place = Folder(str(tmp_path / "store"))
    monkeypatch.setattr(of_run, "OF_THIS_RUN", {"hyperpod_report_store": place.path, "hyperpod_report_store_profile": ""})
    return place


def run(action, files, *, check=False):
    made, node = action(ActionModule, {"clusters": [CLUSTER], "known": ["ml"], "files": files}, check=check)
    result = made.run(task_vars={})
    assert (node.calls, result["changed"]) == ([], False), "it must run on the controller only"
    return result


@pytest.mark.parametrize("check", [False, True])
def test_files_and_result(action, store, tmp_path, check):
    add(store, "2026-11-29T10:00:00Z", "verify", of_cluster("ml", "failed", finding(text="a text")))
    files = {"json": str(tmp_path / "new/a.json"), "html": str(tmp_path / "new/a.html")}
    result = run(action, files, check=check)
    assert result["written"] == list(files.values()) and (result["failure"], result["empty"]) == ("", False)
    assert "a text" not in json.dumps(result) and set(result["clusters"]) == {"ml"}
    assert all("a text" in Path(each).read_text() and stat.S_IMODE(Path(each).stat().st_mode) == 0o600 for each in files.values())


def test_an_empty_store(action, store):
    assert run(action, {})["empty"] is True


def test_a_file_that_cannot_be_written_is_named(action, store, tmp_path):
    (tmp_path / "file").write_text("")
    result = run(action, {"json": str(tmp_path / "file/x")})
    assert result["failed"] and result["msg"] == f"The report {tmp_path}/file/x could not be written: File exists."


def test_a_run_without_a_store_fails(action, monkeypatch):
    monkeypatch.setattr(of_run, "OF_THIS_RUN", {})
    assert run(action, {})["msg"] == "The fleet report requires a report store, such as -e hyperpod_report_store=/srv/reports."
