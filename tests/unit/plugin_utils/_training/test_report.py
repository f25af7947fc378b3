# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on the jobs of a cluster, and how it is reported."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training import report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import Cluster, document, lines, of_cluster, verdict


def job(first: int = 0, steps: int = 20, **changes: t.Any) -> dict[str, t.Any]:
    losses = [[step, 9.0 / step] for step in range(first + 1, steps + 1)]
    return {
        "verdict": "passed", "failure": "", "text": "Trained.", "problems": [], "first_step": first, "losses": losses, "first_loss": 4.11,
        "last_loss": 0.5, "validation": 2.0 if first else None, "checkpoints": [[steps, 2.0]], "tokens_per_second": 200.4,
        "weights": "equal", "carried_by": "EFA", "dtypes": ["bfloat16"], "manifest": {"kind": "Job"}, **changes,
    }  # fmt: skip


def cluster(*results: dict[str, t.Any], resumes: bool = True, survives: bool = False, why: str = "") -> Cluster:
    return Cluster("arn", "111111111111", "us-west-2", "ml.p5.48xlarge", results, resumes, survives, why)


NOT_RUN = job(verdict="not_run", failure="busy", losses=[], first_loss=None, checkpoints=[], tokens_per_second=None, weights="not_read", carried_by="")


THREE = (job(), job(20, 40), job(40, 60))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (cluster(job(), job(20, 40)), "passed"),
        (cluster(job(), resumes=False), "passed"),
        (cluster(job()), "not_run"),
        (cluster(why="No node."), "not_run"),
        (cluster(NOT_RUN), "not_run"),
        (cluster(job(), {**NOT_RUN, "first_step": None}), "not_run"),
        (cluster(job(verdict="failed"), resumes=False), "failed"),
        (cluster(job(), job(20, 40, verdict="failed")), "failed"),
        (cluster(job(), job(20, 40, validation=2.5)), "failed"),
        (cluster(job(), job(20, 40, validation=None)), "not_run"),
        (cluster(job(), job(10, 40)), "failed"),
        (cluster(*THREE, survives=True), "passed"),
        (cluster(*THREE[:2], survives=True), "not_run"),
        (cluster(*THREE[:2], {**NOT_RUN, "failure": "kind"}, survives=True), "not_run"),
        (cluster(*THREE[:2], job(40, 60, verdict="failed"), survives=True), "failed"),
        (cluster(*THREE[:2], job(40, 60, validation=2.5), survives=True), "failed"),
        (cluster(*THREE[:2], job(20, 60), survives=True), "failed"),
    ],
)
def test_the_worst_of_all_jobs_counts(given: Cluster, expected: str) -> None:
    assert verdict(given) == expected
    made = of_cluster(given)
    assert made["verdict"] == expected and made["survive_verified"] is (expected == "passed" and given.survives)
    assert made["resume_verified"] is ((expected == "passed" or given.survives) and given.resumes)


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([job()], {}),
        ([job(), NOT_RUN], {}),
        ([job(), job(20, 40)], {"resume": []}),
        ([job(), job(20, 40, validation=2.5)], {"resume": ["validation-differs"]}),
        ([*THREE], {"resume": [], "survive": []}),
        ([*THREE[:2], NOT_RUN], {"resume": []}),
        ([*THREE[:2], job(40, 60, validation=2.5)], {"resume": [], "survive": ["validation-differs"]}),
        ([job(), job(20, 40, validation=2.5), job(40, 60)], {"resume": ["validation-differs"], "survive": []}),
    ],
)
def test_how_each_job_continued_the_one_before(results: t.Any, expected: dict[str, list[str]]) -> None:
    assert {name: [each.code for each in found] for name, found in report.continued(results).items()} == expected


@pytest.mark.parametrize(
    ("resumes", "survives", "names"),
    [(False, False, ("train",)), (True, False, ("train", "resume")), (True, True, ("train", "resume", "survive"))],
)
def test_jobs_that_must_pass(resumes: bool, survives: bool, names: tuple[str, ...]) -> None:
    assert report.wanted(resumes=resumes, survives=survives) == names


def test_the_document_has_no_manifests() -> None:
    made = document({"ml": of_cluster(cluster(job(), job(20, 40)))}, created="2026-11-29T03:00:00Z", not_read=["x"])
    assert json.loads(json.dumps(made, allow_nan=False)) == made and made["inventory_failures"] == ["x"]
    assert list(made["clusters"]["ml"]["jobs"]) == ["train", "resume"] and "manifest" not in made["clusters"]["ml"]["jobs"]["train"]


def test_lines() -> None:
    broken = cluster(job(), job(20, 40, validation=2.5, problems=[{"code": "loss-above-bound", "text": "Too high."}], verdict="failed"))
    given = {"ml": broken, "idle": cluster(why="No node."), "busy": cluster(NOT_RUN)}
    shown = lines(document({key: of_cluster(each) for key, each in given.items()}, created="", not_read=["other"]))
    assert shown[:4] == [
        "ml: It does not train as it must",
        "idle: Training was not verified. No node.",
        "busy: Training was not verified",
        "Not read by the inventory: other",
    ]
    text = "\n".join(shown)
    for part in ("1 to 20", "21 to 40", "4.11 to 0.5", "200", "EFA", "equal", "not proven"):
        assert part in text
    assert "ml, resume: loss-above-bound: Too high." in shown and any(line.startswith("ml, resume: validation-differs: ") for line in shown)
    assert "busy, train: busy: Trained." in shown


def test_a_row_and_the_problems_of_the_job_with_a_killed_process() -> None:
    given = of_cluster(cluster(*THREE[:2], job(40, 60, validation=2.5), survives=True))
    shown = lines(document({"ml": given}, created="", not_read=[]))
    assert [line.split()[1:3] for line in shown if line.startswith("ml  ")] == [["train", "passed"], ["resume", "passed"], ["survive", "passed"]]
    assert [line.partition(": ")[0] for line in shown if "validation-differs" in line] == ["ml, survive"]
    assert list(given["jobs"]) == ["train", "resume", "survive"] and given["resume_problems"] == []


def test_no_table_without_a_job() -> None:
    assert lines(document({"ml": of_cluster(cluster(why="No node."))}, created="", not_read=[])) == ["ml: Training was not verified. No node."]


def test_jobs_are_shown_in_the_order_in_which_they_ran() -> None:
    made = document({"ml": of_cluster(cluster(job(), job(20, 40)))}, created="", not_read=[])
    read = json.loads(json.dumps(made, sort_keys=True))
    shown = "\n".join(lines(read))
    assert shown.index("1 to 20") < shown.index("21 to 40")
