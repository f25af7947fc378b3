# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal, as the user reads it."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import removal

from .given import cluster, resource, seen, variables


def test_nothing_to_remove_is_reported() -> None:
    found = removal.removed(variables(resource("vpc", "other", ours=False)))
    assert (found.needed, found.findings, found.kinds["vpc"]) == (False, [], [])
    assert found.lines == ["stays: vpc other"]
    assert removal.removed(variables()).lines == ["No resource that this role created exists."]


def test_what_goes_and_what_stays_is_listed() -> None:
    data, logs = resource("file_system", "ml", deployment_type="SCRATCH_2"), resource("log_group", "/aws/eks/ml/cluster", ours=False)
    found = removal.removed(variables(cluster(), data, logs))
    assert found.needed and found.lines == [
        "remove: file_system ml (all its data is lost)",
        "remove: eks_cluster ml",
        "stays: log_group /aws/eks/ml/cluster",
    ]
    assert [each["id"] for each in found.kinds["file_system"]] == ["file_system-1"]
    assert "remove: log_group /aws/eks/ml/cluster" in removal.removed(variables(logs, remove_logs=True)).lines


LEAVING = resource("nat_gateway", "ml", status="deleting")


def test_a_nat_gateway_of_an_interrupted_removal_is_listed_and_waited_for() -> None:
    found = removal.removed(variables(LEAVING, resource("vpc", "ml"), wait_timeout=60))
    assert found.lines == ["remove: vpc ml", "wait: nat_gateway ml (EC2 is deleting it)"]
    assert found.kinds["nat_gateway"] == []


def test_objects_in_kubernetes_are_removed_from_a_cluster_that_stays() -> None:
    ours = (resource("file_system", "ml"), resource("eks_nodegroup", "gpu"))
    given = {"claim": "data", "namespace": "research"}
    found = removal.removed(variables(cluster(ours=False), *ours, **given))
    assert [(each["kind"], each["metadata"]) for each in found.objects] == [
        ("PersistentVolumeClaim", {"name": "data", "namespace": "research"}),
        ("PersistentVolume", {"name": "research-data"}),
    ]
    assert found.plugins
    assert "remove: PersistentVolume research-data" in found.lines and "remove: device plugins that this role installed" in found.lines
    assert removal.removed(variables(cluster(ours=False), *ours)).objects == []
    gone = removal.removed(variables(cluster(ours=False), **given))
    assert (gone.objects, gone.plugins) == ([], False)


def pod(name: str, group: str = "", claim: str = "") -> dict[str, t.Any]:
    claims = [f"research/{claim}"] if claim else []
    return {"namespace": "research", "name": name, "node": "n", "node_group": group, "owner": f"Job {name}", "claims": claims}


def job(kind: str, name: str, namespace: str = "research") -> dict[str, str]:
    return {"api_version": "batch/v1", "kind": kind, "namespace": namespace, "name": name}


OURS = (cluster(status="ACTIVE"), resource("file_system", "ml"), resource("eks_nodegroup", "gpu"))
VOLUME = {"name": "pvc-1", "driver": "ebs.csi.aws.com", "handle": "vol-1", "claim": "research/logs", "dynamic": True}
STATIC = {"name": "static", "driver": "fsx.csi.aws.com", "handle": "file_system-1", "claim": "research/data", "dynamic": False}


def test_a_cluster_of_ours_is_read_and_its_pods_are_named() -> None:
    assert removal.removed(variables(*OURS)).reads and not removal.removed(variables(*OURS[1:])).reads
    assert not removal.removed(variables(cluster(status="DELETING"), OURS[1])).reads
    parts = {"pods": [pod("train", "gpu"), pod("web")], "jobs": [job("Job", "check", "ours")], "volumes": [VOLUME, STATIC]}
    found = removal.removed(variables(*OURS, claim="data", namespace="research", **seen(**parts, load_balancers=["research/board"])))
    assert "end: Pod research/train (Job train, node group gpu)" in found.lines and "end: Pod research/web (Job web)" in found.lines
    assert [each["kind"] for each in found.objects] == ["PersistentVolumeClaim", "PersistentVolume"]
    assert [each["metadata"] for each in found.jobs] == [{"namespace": "ours", "name": "check"}] and "remove: Job check" in found.lines
    assert (found.drained, found.system_pods, found.plugins) == (["gpu"], False, True)
    ends, leaves = found.findings
    assert ends["code"] == "training-cluster-ends" and "research/train" in ends["text"]
    assert leaves["kind"] == "pending" and "the load balancer of Service research/board" in leaves["text"] and "vol-1" in leaves["text"]
    assert "file_system-1" not in leaves["text"]


def test_in_a_cluster_that_stays_only_pods_of_removed_groups_end() -> None:
    parts = seen(pods=[pod("train", "gpu"), pod("web", "other")], load_balancers=["research/board"])
    found = removal.removed(variables(cluster(ours=False, status="ACTIVE"), *OURS[1:], **parts))
    (ends,) = found.findings
    assert "research/train" in ends["text"] and "research/web" not in ends["text"] and found.system_pods


JOBS = {"unfinished_jobs": [job("Job", "train"), job("HyperPodPyTorchJob", "llm")]}
OPERATOR = resource("eks_addon", "amazon-sagemaker-hyperpod-training-operator")


def test_jobs_without_pods_end_with_the_cluster() -> None:
    found = removal.removed(variables(*OURS, **seen(pods=[pod("web")], **JOBS)))
    ends = ["end: Pod research/web (Job web)", "end: Job research/train", "end: HyperPodPyTorchJob research/llm"]
    assert [each for each in found.lines if each.startswith("end:")] == ends
    (note,) = found.findings
    text = "These Pods and jobs of people end: Pod research/web (Job web), Job research/train, HyperPodPyTorchJob research/llm."
    assert (note["code"], note["kind"], note["text"]) == ("training-cluster-ends", "note", text)


def test_in_a_cluster_that_stays_jobs_end_only_with_their_operator() -> None:
    stays = cluster(ours=False, status="ACTIVE")
    for addon in (resource("eks_addon", "coredns"), {**OPERATOR, "ours": False}):
        assert removal.removed(variables(stays, *OURS[1:], addon, **seen(**JOBS))).findings == []
    found = removal.removed(variables(stays, OPERATOR, **seen(**JOBS)))
    line = "HyperPodPyTorchJob research/llm (its operator is removed)"
    assert [each for each in found.lines if each.startswith("end:")] == [f"end: {line}"]
    assert [each["text"] for each in found.findings] == [f"These Pods and jobs of people end: {line}."]


def test_kinds_of_jobs_that_cannot_be_read_do_not_stop_the_drain() -> None:
    parts = {"jobs": [job("Job", "check", "ours")], "unread_jobs": ["JobSets: no"]}
    found = removal.removed(variables(*OURS, **seen(**parts)))
    assert (found.drained, found.plugins, len(found.jobs)) == (["gpu"], True, 1)
    (unread,) = found.findings
    assert unread["text"].startswith("Could not read JobSets: no. Pods and jobs that end may therefore be missing")


def test_an_api_server_that_cannot_be_read_does_not_stop_the_removal() -> None:
    found = removal.removed(variables(*OURS, claim="data", namespace="research", **seen(unread=["the Kubernetes API server: no reply"])))
    (unread,) = found.findings
    assert unread["kind"] == "note" and "Could not read the Kubernetes API server: no reply." in unread["text"]
    assert (found.needed, found.jobs, found.objects, found.plugins, found.drained) == (True, [], [], False, [])


def test_a_file_system_that_pods_use_is_not_removed() -> None:
    drained = {"__training_cluster_drained": {"remaining_pods": [pod("train", "gpu", "data"), pod("web", "gpu", "logs")]}}
    (mounted,) = removal.removed(variables(*OURS, **seen(volumes=[VOLUME, STATIC]), **drained)).mounted
    assert mounted["kind"] == "failure" and "research/train" in mounted["text"] and "research/web" not in mounted["text"]
    assert removal.removed(variables(*OURS, **seen(volumes=[VOLUME]), **drained)).mounted == []


def test_what_blocks_the_removal_is_named() -> None:
    blocker = {"kind": "vpc_endpoint", "id": "vpce-1", "text": "VPC endpoint vpce-1\x1b", "next_step": "remove it"}
    given = variables(cluster())
    given["__training_cluster_found"]["blockers"] = [blocker]
    (endpoint,) = removal.removed(given).findings
    assert endpoint["kind"] == "failure"
    assert "refuse the removal: VPC endpoint vpce-1?. Nothing was removed. Next step: remove it." in endpoint["text"]
