# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import base64
import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.workload import read
from lab.kueue.admission import OF_TEAMS, configuration, judged
from lab.kueue.objects import HOSTNAME, KINDS, admission, podsets
from lab.kueue.webhook import reviewed


@pytest.mark.parametrize("nodes", [["hyperpod-i-1"], ["hyperpod-i-1", "hyperpod-i-2"], ["a", "a", "b"], ["n", "n1"]])
def test_both_versions_have_the_same_meaning(nodes: list[str]) -> None:
    found = [
        read({"metadata": {"name": "w"}, "status": {"admission": admission(version, {"main": nodes})}}).assigned
        for version in ("v1beta1", "v1beta2")
    ]
    assert found[0] == found[1]
    assert (found[0][0].pods, found[0][0].levels) == (len(nodes), (HOSTNAME,))
    assert dict(found[0][0].domains) == {(name,): nodes.count(name) for name in nodes}


def test_each_version_has_its_form() -> None:
    (old,), (new,) = (admission(each, {"main": ["n1", "n2"]})["podSetAssignments"] for each in ("v1beta1", "v1beta2"))
    assert old["topologyAssignment"]["domains"] == [{"values": ["n1"], "count": 1}, {"values": ["n2"], "count": 1}]
    (part,) = new["topologyAssignment"]["slices"]
    assert part == {"domainCount": 2, "valuesPerLevel": [{"individual": {"prefix": "n", "roots": ["1", "2"]}}], "podCounts": {"universal": 1}}


@pytest.mark.parametrize("notes", [None, {"a": "b"}])
def test_a_held_job_keeps_its_request(notes: dict[str, str] | None) -> None:
    job = {"metadata": {"name": "j", **({"annotations": notes} if notes else {})}, "spec": {"parallelism": 3, "template": {}}}
    answer = reviewed({"apiVersion": "admission.k8s.io/v1", "request": {"uid": "u", "object": job}})
    response = answer["response"]
    assert (answer["kind"], response["uid"], response["allowed"]) == ("AdmissionReview", "u", True)
    for each in json.loads(base64.b64decode(response["patch"])):
        _empty, part, name = each["path"].split("/")
        job[part][name] = each["value"]
    assert job["spec"]["parallelism"] == 0 and (notes or {}).items() <= job["metadata"]["annotations"].items()
    assert podsets(KINDS[0], job) == {"main": (3, {})}


QUEUED = {"kueue.x-k8s.io/queue-name": "q"}
OPERATOR = [{"apiVersion": "sagemaker.amazonaws.com/v1", "kind": "HyperPodPyTorchJob", "name": "a", "uid": "u"}]


@pytest.mark.parametrize(
    ("meta", "allowed"),
    [
        ({"name": "a"}, False),
        ({"name": "a", "labels": {"kueue.x-k8s.io/queue-name": ""}}, False),
        ({"name": "a", "labels": QUEUED}, True),
        ({"generateName": "a-", "ownerReferences": OPERATOR}, True),
        ({"name": "a", "ownerReferences": [{"apiVersion": "batch/v1"}]}, False),
        ({"name": "scripted-1", "labels": QUEUED}, False),
    ],
)
def test_pods_without_a_queue_are_refused(meta: dict[str, t.Any], allowed: bool) -> None:
    review = {"apiVersion": "admission.k8s.io/v1", "request": {"uid": "u", "object": {"metadata": meta}}}
    response = judged(review, {"scripted": "no"})["response"]
    assert (response["uid"], response["allowed"]) == ("u", allowed)
    assert allowed or (response["status"]["code"] == 403 and response["status"]["message"])


def test_the_scope_of_the_policy() -> None:
    (webhook,) = configuration({"url": "https://a"})["webhooks"]
    assert webhook["namespaceSelector"] == {"matchLabels": OF_TEAMS} and webhook["failurePolicy"] == "Fail"
    assert [name for each in webhook["rules"] for name in each["resources"]] == ["pods", "deployments", "statefulsets"]
