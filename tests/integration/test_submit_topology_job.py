# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that Kueue places by topology, on a real API server: kept, waiting, spilled, misplaced, evicted, and unchanged."""

from __future__ import annotations

import typing as t

import pytest
from eks_world import EKS, until
from kueue_place import LAYER, LEVELS, NO_ROOM, QUEUE, SPACE, Place, article, hyperpod_job, job, pytorch_job, workers_at
from lab.kueue.script import Admits, Deactivates, Ends, Evicts, Moves, NextJob, Pauses, Waits
from steps import step

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place() -> t.Iterator[Place]:
    with article() as started:
        yield started


def placement_of(place: Place, name: str) -> dict[str, t.Any]:
    """Placement of a job as topology_job_info returns it."""
    found = place.world.module("topology_job_info", {"eks_cluster": EKS, "namespace": SPACE})
    (one,) = [each for each in found["jobs"] if each["name"] == name]
    placement: dict[str, t.Any] = one["placement"]
    return placement


def table_of(result: dict[str, t.Any]) -> set[tuple[str, str, str]]:
    return {(each["pod"], each["node"], each["domain"]) for each in result["placement"]["rows"]}


def test_a_job_is_kept_not_submitted_again_and_replaced_on_request(place: Place) -> None:
    place.kueue.script["mnist"] = [Waits("WaitingForQuota", ""), Pauses(6), workers_at(place, 2, 3)]
    with step("check mode submits nothing"):
        place.changes()
        planned = place.submit(pytorch_job("mnist"), check=True)
        assert planned["changed"] and place.changes() == [], planned
        assert planned["changes"][0]["resource"] == f"PyTorchJob {SPACE}/mnist"
    with step("run"):
        done = place.submit(pytorch_job("mnist"))
        assert done["changed"] and done["changes"] == planned["changes"], done
        assert [verb for verb, _name in place.changes()] == ["create"]
        assert (done["job"]["state"], done["job"]["at_work"], done["placement"]["verdict"]) == ("running", 3, "kept"), done
        assert done["placement"]["told"].endswith("; master, the leader of the worker Pods, is in a different domain: nn-31"), done["placement"]
    with step("kubectl shows the same"):
        seen = place.world.seen("pods", "-n", SPACE, "-l", "training.kubeflow.org/job-name=mnist")["items"]
        by_kubectl = {(each["metadata"]["name"], each["spec"]["nodeName"]) for each in seen}
        assert {row[:2] for row in table_of(done)} == by_kubectl and len(by_kubectl) == 3
        assert {row[2] for row in table_of(done) if "worker" in row[0]} == {"nn-32"}
        notes = place.world.seen("pytorchjob", "mnist", "-n", SPACE)["spec"]["pytorchReplicaSpecs"]
        assert notes["Worker"]["template"]["metadata"]["annotations"] == {"kueue.x-k8s.io/podset-required-topology": f"{LAYER}3"}
        assert "annotations" not in (notes["Master"]["template"].get("metadata") or {})
    with step("the same manifest changes nothing"):
        for check in (False, True):
            again = place.submit(pytorch_job("mnist"), check=check)
            assert not again["changed"] and again["placement"] == done["placement"] and place.changes() == [], again
    with step("another manifest is refused"):
        refused = place.submit(pytorch_job("mnist", 3))
        assert "spec.pytorchReplicaSpecs.Worker.replicas is 2 and would be 3" in refused["msg"] and place.changes() == [], refused
    with step("a succeeded job is not run again"):
        place.kueue.script["mnist"] = [Ends()]
        ended = place.submit(pytorch_job("mnist"), wait="finished")
        assert not ended["changed"] and ended["job"]["state"] == "succeeded" and place.changes() == [], ended
    with step("another manifest replaces the job"):
        place.kueue.script["mnist"] = [NextJob(), workers_at(place, 2, 3, 4)]
        replaced = place.submit(pytorch_job("mnist", 3), replace=True, preferred_topology=f"{LAYER}3")
        assert [each["action"] for each in replaced["changes"]] == ["delete", "create"], replaced
        assert replaced["placement"]["verdict"] == "spilled" and replaced["job"]["pods"] == 4, replaced
    with step("absent"):
        gone = place.submit(pytorch_job("mnist"), state="absent")
        assert gone["changed"] and gone["job"]["state"] == "absent", gone
        until(lambda: not place.world.seen("pods", "-n", SPACE)["items"])
        assert not place.submit(pytorch_job("mnist"), state="absent")["changed"]


def test_a_job_without_room_reports_why_and_runs_later(place: Place) -> None:
    place.kueue.script["large"] = [Waits("TopologyPlacementFailed", NO_ROOM)]
    late = place.submit(pytorch_job("large", 3), wait_timeout=5)
    for part in (
        "no domain of topology nodes has room for more than 2 of its 3 Pods",
        "3 have too little nvidia.com/gpu left",
        "have the taint sagemaker.amazonaws.com/node-health-status=Unschedulable:NoSchedule",
        "the job stays in its queue",
    ):
        assert part in late["msg"], late["msg"]
    result = place.submit(pytorch_job("large", 3), wait="none")
    assert not result["changed"] and result["job"]["state"] == "waiting" and "has room for more than 2 of its 3" in result["job"]["why"], result
    assert result["job"]["why"].endswith("or request a higher layer, preferred_topology, or fewer Pods"), result
    place.kueue.script["large"] = [workers_at(place, 2, 3, 2)]
    done = place.submit(pytorch_job("large", 3))
    assert not done["changed"] and done["placement"]["verdict"] == "kept" and "eviction" not in str(done), done
    place.submit(pytorch_job("large"), state="absent")


def test_an_eviction_and_the_readmission_are_reported(place: Place) -> None:
    why = "another job preempted it (by a job of higher priority)"
    place.kueue.script["evicted"] = [workers_at(place, 2, 3), Pauses(1), Evicts("Preempted", "by a job of higher priority")]
    with step("the evicted job waits"):
        place.submit(pytorch_job("evicted"), wait="none")
        until(lambda: not place.kueue.script["evicted"])
        result = place.submit(pytorch_job("evicted"), wait="none")
        assert not result["changed"] and result["job"]["state"] == "waiting", result
        assert f"the job was evicted before: {why}. Wait until there is room again" in result["job"]["why"], result
        late = place.submit(pytorch_job("evicted"), wait_timeout=3)
        assert f"the job was evicted before: {why} after 3 s. Wait until there is room again" in late["msg"], late
    with step("the job runs again"):
        place.kueue.script["evicted"] = [Pauses(2), workers_at(place, 2, 3)]
        back = place.submit(pytorch_job("evicted"))
        assert not back["changed"] and (back["job"]["state"], back["placement"]["verdict"]) == ("running", "kept"), back
        assert f"PyTorchJob {SPACE}/evicted has been admitted again after an eviction: {why}." in back["notes"], back
        assert back["placement"]["told"].endswith(f"; the job has been admitted again after an eviction: {why}"), back
        assert placement_of(place, "evicted")["told"] == back["placement"]["told"]
    place.submit(pytorch_job("evicted"), state="absent")


def test_a_preferred_placement_of_a_hyperpod_job_may_spill(place: Place) -> None:
    place.kueue.script["wide"] = [Admits({"pod": place.at(0, 2)})]
    result = place.submit(hyperpod_job("wide"), preferred_topology=f"{LAYER}3")
    assert result["changed"] and result["placement"]["verdict"] == "spilled", result
    assert result["placement"]["podsets"][0]["domains"] == [{"domain": "nn-31", "pods": 1}, {"domain": "nn-32", "pods": 1}]
    labels = place.world.seen("hyperpodpytorchjob", "wide", "-n", SPACE)["spec"]["replicaSpecs"][0]["template"]["metadata"]["labels"]
    assert labels == {"kueue.x-k8s.io/queue-name": QUEUE}
    place.submit(hyperpod_job("wide"), state="absent")


def test_a_kubernetes_job_is_placed_and_its_failure_reported(place: Place) -> None:
    place.kueue.script["plain"] = [Waits("PendingEvaluation", ""), Pauses(2), Admits({"main": place.at(0, 1)})]
    result = place.submit(job("plain"))
    assert result["changed"] and (result["placement"]["verdict"], result["job"]["at_work"]) == ("kept", 2), result.get("msg", result)
    assert not place.submit(job("plain"))["changed"]
    place.kueue.script["plain"] = [Ends("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit")]
    failed = place.submit(job("plain"), wait="finished")
    assert "it has failed (BackoffLimitExceeded: Job has reached the specified backoff limit)" in failed["msg"], failed
    place.submit(job("plain"), state="absent")


@pytest.mark.parametrize("version", ["v1beta2", "v1beta1"])
def test_a_misplaced_job_fails_with_a_table(place: Place, version: str) -> None:
    if version != place.kueue.version:
        place.kueue.restart(version, LEVELS)
        place.team()
    with step("a pod runs below another network node than Kueue assigned"):
        place.kueue.script["astray"] = [workers_at(place, 0, 1, at={"worker": place.at(0, 4)})]
        failed = place.submit(pytorch_job("astray"))
        assert "the worker Pods are not within one domain of" in failed["msg"], failed
        assert failed["placement"]["verdict"] == "left" and failed["changes"][0]["action"] == "create", failed
        lines = [line.split() for line in failed["msg"].splitlines()[1:]]
        assert ["worker", "astray-worker-1", place.nodes[4], "nn-33", place.nodes[1], "elsewhere"] in lines, failed["msg"]
    with step("check mode fails, too, and without verify the verdict is only reported"):
        assert "are not within one domain of" in place.submit(pytorch_job("astray"), check=True)["msg"]
        assert place.submit(pytorch_job("astray"), verify=False)["placement"]["verdict"] == "left"
        place.submit(pytorch_job("astray"), state="absent")
    with step("a pod moves within the layer, and Kueue's assignment is unchanged"):
        place.kueue.script["moving"] = [workers_at(place, 2, 3)]
        assert place.submit(pytorch_job("moving"))["placement"]["verdict"] == "kept"
        place.kueue.script["moving"] = [Moves("worker", 1, place.nodes[2])]
        until(lambda: not place.kueue.script["moving"])
        differs = place.submit(pytorch_job("moving"))
        assert "are not on the nodes that Kueue assigned" in differs["msg"], differs
        place.submit(pytorch_job("moving"), state="absent")


def test_pods_rejected_at_admission_are_the_reason_of_a_waiting_job(place: Place) -> None:
    image = "--image=registry.k8s.io/pause:3.10"
    with step("task governance requires a queue label on each pod in a team's namespace"):
        refused = place.world.kubectl("run", "bare", image, "-n", SPACE)
        assert refused.returncode and "label kueue.x-k8s.io/queue-name is missing" in refused.stdout + refused.stderr
        assert place.world.kubectl("create", "deployment", "bare", image, "-n", SPACE).returncode
        assert place.world.kubectl("run", "bare", image, "-n", "default").returncode == 0
        assert place.world.kubectl("delete", "pod", "bare", "-n", "default", "--now").returncode == 0
    with step("the rejection is only in events of the job"):
        place.world.webhook.refused["refused"] = "pods of this name are not wanted"
        place.kueue.script["refused"] = [Admits({"main": place.at(0, 1)})]
        late = place.submit(job("refused"), wait_timeout=12)
        assert "0 of 2 Pods running (the API server refuses the job's Pods: Error creating: " in late["msg"], late
        assert "pods of this name are not wanted" in late["msg"], late
        result = place.submit(job("refused"), wait="admitted")
        assert result["job"]["state"] == "admitted" and "pods of this name are not wanted" in result["job"]["why"], result
        place.world.webhook.refused.clear()
        place.submit(job("refused"), state="absent")


def test_unknown_names_and_kinds_are_refused_before_any_change(place: Place) -> None:
    place.changes()
    with step("unknown names and layers"):
        for given, message in (
            ({"queue": "other"}, f"queue: 'other' is not allowed. Allowed: a LocalQueue of {SPACE}: {QUEUE}."),
            ({"namespace": "other"}, "namespace: other does not exist."),
            ({"priority_class": "low"}, "priority_class: 'low' is not allowed. Allowed: high-priority."),
            ({"required_topology": f"{LAYER}4"}, f"required_topology: '{LAYER}4' is not allowed. Allowed: a level of the Topology of the queue:"),
        ):
            refused = place.submit(pytorch_job("never"), **given)
            assert message in refused["msg"], refused
    with step("a kind that Kueue does not manage"):
        place.kueue.configure(["batch/job"])
        refused = place.submit(pytorch_job("never"))
        assert "Kueue does not manage kind PyTorchJob in this cluster" in refused["msg"] and place.changes() == [], refused


def test_an_editor_needs_read_access_to_kueue(place: Place) -> None:
    """AWS's edit policy includes neither nodes nor Kueue's kinds; the rights to Kueue that AWS's chart gives to teams suffice."""
    world = place.world
    arn = world.person("editor")
    world.admit(arn, "AmazonEKSEditPolicy")
    options = {"eks_cluster": EKS, "manifest": job("foreign"), "namespace": SPACE, "queue": QUEUE, "wait": "none"}
    refused = world.module("topology_job", options, "editor")
    assert "/workloads" in refused.get("msg", "") and "403" in refused["msg"], refused
    jobs = world.api.get(f"/apis/batch/v1/namespaces/{SPACE}/jobs")["items"]
    assert "foreign" not in [each["metadata"]["name"] for each in jobs]
    rules = [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads", "localqueues"], "verbs": ["get", "list"]}]
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    world.api.create(f"{rbac}/clusterroles", {"metadata": {"name": "of-teams"}, "rules": rules})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "of-teams"}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": arn}
    binding = {"metadata": {"name": "of-teams"}, "roleRef": role, "subjects": [subject]}
    world.api.create(f"{rbac}/namespaces/{SPACE}/rolebindings", binding)
    place.kueue.script["foreign"] = [Admits({"main": place.at(0, 1)})]
    result = world.module("topology_job", {**options, "wait": "running", "poll_interval": 1, "wait_timeout": 120}, "editor")
    assert result["changed"] and result["job"]["state"] == "running", result.get("msg", result)
    assert world.module("topology_job", {**options, "state": "absent"}, "editor")["changed"]


def test_a_deactivated_job_ends_the_wait(place: Place) -> None:
    place.kueue.configure(["batch/job"])
    place.kueue.script["hopeless"] = [Waits("Pending", "no quota"), Deactivates("exceeded the maximum number of re-queuing retries")]
    failed = place.submit(job("hopeless"))
    assert "it was deactivated and no longer starts automatically" in failed["msg"], failed
    place.submit(job("hopeless"), state="absent")


def test_pods_that_moved_from_a_lost_node_are_reported(place: Place) -> None:
    """Must be the last test, because it removes a node. Kueue's assignment still names the node."""
    lost = place.nodes[3]
    place.kueue.script["moved"] = [Admits({"main": place.at(2, 3)})]
    done = place.submit(job("moved"))
    assert done["placement"]["verdict"] == "kept" and done["placement"]["told"] == "the main Pods are in nn-32 (2)", done
    place.world.kubelets.remove(lost)
    place.kueue.script["moved"] = [Moves("main", 1, place.nodes[2])]
    until(lambda: not place.kueue.script["moved"])
    moved = place.submit(job("moved"))
    assert not moved["changed"] and moved["placement"]["verdict"] == "moved", moved.get("msg", moved)
    assert moved["placement"]["told"] == "the main Pods are in nn-32 (2) as requested; some moved there because their nodes are lost", moved
    rows = {each["pod"]: (each["node"], each["assigned"], each["verdict"]) for each in moved["placement"]["rows"]}
    assert rows["moved-main-1"] == (place.nodes[2], lost, "moved: its node is lost"), rows
    assert placement_of(place, "moved") == moved["placement"]
    place.submit(job("moved"), state="absent")
