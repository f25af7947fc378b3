# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods and Services of a job."""

from __future__ import annotations

import typing as t

import pytest
from lab.training import objects

CONTAINERS = [{"name": "pytorch", "env": [{"name": "OWN", "value": "1"}]}, {"name": "other"}]


def job(*kinds: str, elastic: dict[str, t.Any] | None = None, nproc: str = "8", policy: str = "OnFailure") -> dict[str, t.Any]:
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": CONTAINERS}}
    specs = {kind: {"replicas": 1 if kind == "Master" else 2, "restartPolicy": policy, "template": template} for kind in kinds}
    spec = {"nprocPerNode": nproc, "pytorchReplicaSpecs": specs, **({"elasticPolicy": elastic} if elastic else {})}
    return {"metadata": {"name": "train", "namespace": "ml", "uid": "u"}, "spec": spec}


def environment(pod: dict[str, t.Any]) -> dict[str, str]:
    return {each["name"]: each["value"] for each in pod["spec"]["containers"][0]["env"]}


def test_a_master_has_rank_0_and_gives_its_address_to_all() -> None:
    whole = job("Worker", "Master")
    assert list(objects.replicas(whole)) == ["Master", "Worker"]
    variables = environment(objects.pod(whole, "Worker", 1))
    expected = {"MASTER_ADDR": "train-master-0", "MASTER_PORT": "23456", "WORLD_SIZE": "24", "RANK": "2"}
    expected |= {"PET_NNODES": "3", "PET_NPROC_PER_NODE": "8", "PET_NODE_RANK": "2", "PET_MASTER_ADDR": "train-master-0"}
    assert expected.items() <= variables.items() and variables["OWN"] == "1"
    assert environment(objects.pod(whole, "Master", 0))["RANK"] == "0"


def test_an_elastic_job_meets_at_its_first_worker() -> None:
    elastic = {"rdzvBackend": "c10d", "minReplicas": 2, "maxReplicas": 2, "maxRestarts": 3, "rdzvConf": [{"key": "timeout", "value": "60"}]}
    variables = environment(objects.pod(job("Worker", elastic=elastic, nproc="auto"), "Worker", 1))
    assert variables == {
        "OWN": "1",
        "PYTHONUNBUFFERED": "1",
        "PET_NNODES": "2:2",
        "PET_NODE_RANK": "1",
        "PET_NPROC_PER_NODE": "auto",
        "PET_MAX_RESTARTS": "3",
        "PET_RDZV_BACKEND": "c10d",
        "PET_RDZV_ENDPOINT": "train-worker-0:23456",
        "PET_RDZV_CONF": "timeout=60",
    }


def test_only_the_container_that_trains_is_changed() -> None:
    first, second = objects.pod(job("Worker"), "Worker", 0)["spec"]["containers"]
    assert first["ports"][0]["containerPort"] == 23456
    assert second == {"name": "other"} and CONTAINERS[0]["env"] == [{"name": "OWN", "value": "1"}]


@pytest.mark.parametrize(("kind", "role"), [("Master", {"training.kubeflow.org/job-role": "master"}), ("Worker", {})])
def test_pods_and_services_have_labels_and_belong_to_the_job(kind: str, role: dict[str, str]) -> None:
    whole = job("Master", "Worker")
    pod, service = objects.pod(whole, kind, 0), objects.service(whole, kind, 0)
    labels = {f"{objects.PREFIX}{key}": value for key, value in (("job-name", "train"), ("replica-type", kind.lower()), ("replica-index", "0"))}
    labels |= {f"{objects.PREFIX}operator-name": "pytorchjob-controller", **role}
    assert pod["metadata"]["labels"] == {"app": "x", **labels} and service["spec"]["selector"] == labels
    for each in (pod, service):
        assert each["metadata"]["name"] == f"train-{kind.lower()}-0" and each["metadata"]["ownerReferences"][0]["controller"] is True


@pytest.mark.parametrize(("policy", "expected"), [("ExitCode", "Never"), ("OnFailure", "OnFailure"), ("Never", "Never")])
def test_the_operator_itself_restarts_by_exit_code(policy: str, expected: str) -> None:
    assert objects.pod(job("Worker", policy=policy), "Worker", 0)["spec"]["restartPolicy"] == expected
