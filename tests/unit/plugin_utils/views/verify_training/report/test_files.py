# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the report, and the comparison with those of the last run."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.files import write_whole
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import report as views
from simulated.training_report import checks, job

from ..given import P5, variables

OPTIONS = {"verify_training_json": "v.json", "verify_training_html": "v.html", "verify_training_junit": "v.xml"}
CLAIM = {"verify_training_claim": "fsx", "verify_training_namespace": "ml"}


def given(folder: Path, rate: float | None = 283_900.0, **more: t.Any) -> dict[str, t.Any]:
    """Variables of a cluster whose two jobs ran, with its outcome."""
    results = [job(tokens_per_second=rate), job("resume", 40, 80)]
    own = {
        "hyperpod_state_dir": str(folder),
        "__verify_training_checks": [each.to_task() for each in checks()],
        **OPTIONS,
        **CLAIM,
        **more,
    }
    made = variables(("gpu", P5["name"]), ("gpu", P5["name"]), results=results, **own)
    made["hostvars"]["ml"][views.OUTCOME] = views.outcome(made)
    return {**made, views.OUTCOME: made["hostvars"]["ml"][views.OUTCOME]}


def run(folder: Path, rate: float | None = 283_900.0, **more: t.Any) -> list[dict[str, t.Any]]:
    """The outcome, the files, and the findings, in the order of the role's tasks."""
    made = given(folder, rate, **more)
    for each in views.report(made).files:
        write_whole(each["path"], each["content"], mode=int(each["mode"], 8))
    return [each for each in views.found(made) if each["code"] == "training-slower"]


def document(folder: Path) -> dict[str, t.Any]:
    found: dict[str, t.Any] = json.loads((folder / "v.json").read_text())
    return found


def test_each_form_has_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    files = views.report(given(tmp_path)).files
    assert [(Path(each["path"]).name, each["mode"]) for each in files] == [
        ("v.json", "0600"),
        ("v.html", "0600"),
        ("v.xml", "0600"),
    ]
    contents = [each["content"] for each in files]
    assert (
        json.loads(contents[0])["clusters"]["ml"]["verdict"] == "passed" and "<h1" in contents[1] and "<testsuites" in contents[2]
    )


def test_empty_paths_are_not_written(tmp_path: Path) -> None:
    made = given(tmp_path, verify_training_html="", verify_training_junit="", verify_training_json="/elsewhere/v.json")
    assert [each["path"] for each in views.report(made).files] == ["/elsewhere/v.json"]
    assert views.report(given(tmp_path, **dict.fromkeys(OPTIONS, ""))).files == []


def test_a_drop_since_the_last_run_is_pending_with_both_figures(tmp_path: Path) -> None:
    assert run(tmp_path) == []
    created = document(tmp_path)["created"]
    (found,) = run(tmp_path, 200_000.0)
    assert (found["kind"], found["code"]) == ("pending", "training-slower")
    assert found["text"].startswith(
        f"Training is 30 % slower than on {created[:10]} {created[11:16]} UTC: 200000 tokens per second instead of 283900."
    )
    cluster = document(tmp_path)["clusters"]["ml"]
    assert cluster["verdict"] == "passed" and cluster["compared"]["slower"] is True


@pytest.mark.parametrize("rate", [283_900.0, 256_000.0, 900_000.0, None])
def test_no_drop_is_no_finding(tmp_path: Path, rate: float | None) -> None:
    assert run(tmp_path) == [] and run(tmp_path, rate) == []


def test_a_run_that_measured_nothing_does_not_hide_a_drop(tmp_path: Path) -> None:
    run(tmp_path)
    run(tmp_path, None)
    assert document(tmp_path)["clusters"]["ml"]["compared"] is None and [each["kind"] for each in run(tmp_path, 200_000.0)] == [
        "pending"
    ]


def test_a_run_in_check_mode_neither_writes_nor_compares(tmp_path: Path) -> None:
    run(tmp_path)
    before = (tmp_path / "v.json").read_text()
    assert run(tmp_path, None, ansible_check_mode=True) == [] and views.report(given(tmp_path, ansible_check_mode=True)).files == []
    assert (tmp_path / "v.json").read_text() == before and sorted(each.name for each in tmp_path.iterdir()) == [
        "v.html",
        "v.json",
        "v.xml",
    ]


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"schema": 1}', '{"schema": 2, "measured": {"ml": 5}}', "{" * 100_000])
def test_a_damaged_file_is_no_earlier_run(tmp_path: Path, text: str) -> None:
    (tmp_path / "v.json").write_text(text)
    assert run(tmp_path, 10.0) == [] and document(tmp_path)["clusters"]["ml"]["compared"] is None


def test_without_a_file_nothing_is_compared(tmp_path: Path) -> None:
    run(tmp_path)
    assert run(tmp_path, 10.0, verify_training_json="") == []


def test_a_cluster_that_did_not_pass_is_never_without_a_failure(tmp_path: Path) -> None:
    made = given(tmp_path, __verify_training_checks=[each.to_task() for each in checks()[:2]])
    assert [(each["kind"], each["code"]) for each in views.found(made)][-1:] == [("failure", "training-not-verified")]
    assert made[views.OUTCOME]["verdict"] == "not_run"


def test_missing_evidence_in_a_failed_check_is_not_verified(tmp_path: Path) -> None:
    problems = [{"code": "node-unfit", "text": "i-1 is unfit."}, {"code": "health-unknown", "text": "i-2 is unknown."}]
    health = {"name": "health", "verdict": "failed", "text": "Bad.", "problems": problems, "figures": {}}
    made = given(tmp_path, __verify_training_checks=[checks()[0].to_task(), health, checks()[2].to_task()])
    assert [each["code"] for each in views.found(made)][:2] == ["training-failed", "training-not-verified"]


def test_a_cluster_that_failed_early_is_in_all_files(tmp_path: Path) -> None:
    made = given(tmp_path, ansible_play_hosts_all=["ml", "other"])
    made["hostvars"]["other"] = {"hyperpod_cluster_arn": "arn2"}
    contents = [each["content"] for each in views.report(made).files]
    assert all("The run failed for this cluster before its training jobs." in each for each in contents) and contents[2].count("<error ") == 8
