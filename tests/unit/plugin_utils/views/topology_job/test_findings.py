# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job import findings

from .test_asked import variables

NAME = "Job hyperpod-ns-a/mnist"
MANIFEST = {"kind": "Job", "metadata": {"name": "mnist"}}


def job(verdict: str = "kept", state: str = "running", **more: t.Any) -> dict[str, t.Any]:
    placement = {"verdict": verdict, "told": "the main Pods are in aaa (2)", "rows": [{}], "table": ["pods", "main"]}
    about = {"kind": "Job", "namespace": "hyperpod-ns-a", "name": "mnist", "state": state, "why": "no room", "problem": ""}
    return {**about, "placement": placement, **more}


def done(check: bool = False, changes: t.Sequence[str] = (), **given: t.Any) -> findings.Done:
    one = job(**given)
    result = {"job": one, "placement": one["placement"], "changes": list(changes)}
    return findings.done(variables(__topology_job_done=result, ansible_check_mode=check))


def codes(findings: t.Any) -> list[tuple[str, str, str]]:
    return [(each["kind"], each["code"], each["subject"]) for each in findings]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"verdict": "kept"}, [("note", "topology-job-kept", NAME)]),
        ({"verdict": "moved"}, [("note", "topology-job-kept", NAME)]),
        ({"verdict": "spilled"}, [("note", "topology-job-spilled", NAME)]),
        ({"verdict": "unknown"}, [("note", "topology-job-unproven", NAME)]),
        ({"verdict": "left"}, [("failure", "topology-job-misplaced", NAME)]),
        ({"verdict": "differs"}, [("failure", "topology-job-misplaced", NAME)]),
        ({"state": "waiting"}, [("pending", "topology-job-waits", NAME)]),
        ({"state": "admitted"}, [("pending", "topology-job-waits", NAME)]),
        ({"state": "admitted", "why": ""}, [("note", "topology-job-kept", NAME)]),
        ({"state": "failed"}, [("failure", "topology-job-failed", NAME)]),
        ({"state": "absent"}, []),
        ({"changes": ["create"], "check": True, "state": "waiting"}, []),
        ({"changes": ["create"], "state": "waiting"}, [("pending", "topology-job-waits", NAME)]),
    ],
)
def test_the_state_of_a_job_is_reported(given, expected):
    found = done(**given)
    assert codes(found.findings) == expected and found.table == ["pods", "main"]


def test_a_job_without_a_topology_request_is_not_judged():
    one = job("unknown")
    one["placement"]["told"] = ""
    result = {"job": one, "placement": one["placement"], "changes": []}
    assert findings.done(variables(__topology_job_done=result, ansible_check_mode=False)).findings == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("topology-job-waits", ("pending", "topology-job-waits", NAME)),
        ("topology-job-misplaced", ("failure", "topology-job-misplaced", NAME)),
        ("topology-job-failed", ("failure", "topology-job-failed", NAME)),
        ("option-refused", ("failure", "option-refused", NAME)),
        (None, ("failure", "task-failed", NAME)),
    ],
)
def test_the_reason_of_a_failure_is_reported(code, expected):
    why = {"kind": "failure", "code": code, "text": "it is so", "severity": "error", "subject": ""}
    result = {"msg": "it is so\npods  pod\x1b[31m", "changes": [], **({"hyperpod_failure": why} if code else {})}
    made = variables(__topology_job_done=result, ansible_check_mode=False, topology_job_manifest=MANIFEST, topology_job_team="a")
    found = findings.done(made)
    assert codes(found.findings) == [expected] and found.findings[0]["text"] == "it is so" and found.table == []


def test_the_refused_option_is_the_subject():
    why = {"kind": "failure", "code": "option-refused", "text": "no", "severity": "error", "subject": "queue"}
    result = {"msg": "no", "hyperpod_failure": why}
    assert codes(findings.done(variables(__topology_job_done=result)).findings) == [("failure", "option-refused", "queue")]


def test_all_jobs_are_counted_and_important_ones_reported():
    others = [job("spilled", name=f"s{number}") for number in range(findings.MOST + 5)]
    wrong = [job("left", name=f"w{number}") for number in range(findings.MOST + 5)]
    jobs = [job("kept"), job("", "waiting", name="a"), job("unknown", problem="two annotations.", name="b"), *others, *wrong]
    found = findings.found({findings.SEEN: {"jobs": jobs, "unseen": ["Nodes"]}})
    assert found[0]["text"] == "53 jobs with a topology request: 1 kept, 25 left, 1 nowhere yet, 25 spilled, 1 unknown."
    kinds = [each["code"].removeprefix("topology-job-") for each in found]
    assert {each: kinds.count(each) for each in kinds} == {"kept": 1, "misplaced": 25, "unproven": 1, "spilled": findings.MOST - 1, "unseen": 1}
    assert codes(found)[-1][:2] == ("pending", "topology-job-unseen")


def test_without_jobs_the_count_is_zero():
    (one,) = findings.found({findings.SEEN: {"jobs": [], "unseen": []}})
    assert one["text"] == "0 jobs with a topology request: none exists, and jobs that Kubernetes removed after their end are not counted."
