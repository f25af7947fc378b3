# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that Kueue places by topology, on a real API server: kept, without room, spilled, misplaced, evicted, and the same again."""

from __future__ import annotations

import typing as t

import pytest
from eks_world import EKS, until
from kueue_place import LAYER, LEVELS, NO_ROOM, QUEUE, SPACE, Place, article, hyperpod_job, job, pytorch_job, workers_at
from lab.kueue.script import Admits, Anew, Deactivates, Ends, Evicts, Moves, Pauses, Waits
from steps import step

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place() -> t.Iterator[Place]:
    with article() as there:
        yield there


def proven(place: Place, name: str) -> dict[str, t.Any]:
    """The placement of a job by topology_job_info."""
    found = place.world.module("topology_job_info", {"eks_cluster": EKS, "namespace": SPACE})
    (one,) = [each for each in found["jobs"] if each["name"] == name]
    placement: dict[str, t.Any] = one["placement"]
    return placement


def table_of(told: dict[str, t.Any]) -> set[tuple[str, str, str]]:
    return {(each["pod"], each["node"], each["domain"]) for each in told["placement"]["rows"]}


def test_kept_and_the_same_again_and_another_refused(place: Place) -> None:
    place.kueue.script["mnist"] = [Waits("WaitingForQuota", ""), Pauses(6), workers_at(place, 2, 3)]
    with step("check mode submits nothing"):
        place.changes()
        foreseen = place.submit(pytorch_job("mnist"), check=True)
        assert foreseen["changed"] and place.changes() == [], foreseen
        assert foreseen["changes"][0]["resource"] == f"PyTorchJob {SPACE}/mnist"
    with step("run"):
        done = place.submit(pytorch_job("mnist"))
        assert done["changed"] and done["changes"] == foreseen["changes"], done
        assert [verb for verb, _name in place.changes()] == ["create"]
        assert (done["job"]["state"], done["job"]["at_work"], done["placement"]["verdict"]) == ("running", 3, "kept"), done
        assert done["placement"]["told"].endswith("; master, the leader of Pods worker, is in another domain: nn-31"), done["placement"]
    with step("kubectl sees the same"):
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
    with step("another one is refused"):
        refused = place.submit(pytorch_job("mnist", 3))
        assert "spec.pytorchReplicaSpecs.Worker.replicas is 2 and would be 3" in refused["msg"] and place.changes() == [], refused
    with step("what has ended well is not run again"):
        place.kueue.script["mnist"] = [Ends()]
        ended = place.submit(pytorch_job("mnist"), wait="finished")
        assert not ended["changed"] and ended["job"]["state"] == "succeeded" and place.changes() == [], ended
    with step("another one in its place"):
        place.kueue.script["mnist"] = [Anew(), workers_at(place, 2, 3, 4)]
        replaced = place.submit(pytorch_job("mnist", 3), replace=True, preferred_topology=f"{LAYER}3")
        assert [each["action"] for each in replaced["changes"]] == ["delete", "create"], replaced
        assert replaced["placement"]["verdict"] == "spilled" and replaced["job"]["pods"] == 4, replaced
    with step("absent"):
        gone = place.submit(pytorch_job("mnist"), state="absent")
        assert gone["changed"] and gone["job"]["state"] == "absent", gone
        until(lambda: not place.world.seen("pods", "-n", SPACE)["items"])
        assert not place.submit(pytorch_job("mnist"), state="absent")["changed"]


def test_no_room_is_explained_and_ends_once_there_is(place: Place) -> None:
    place.kueue.script["large"] = [Waits("TopologyPlacementFailed", NO_ROOM)]
    late = place.submit(pytorch_job("large", 3), wait_timeout=5)
    for said in (
        "no domain of topology nodes has room for more than 2 of its 3 pods",
        "3 have too little nvidia.com/gpu left",
        "have the taint sagemaker.amazonaws.com/node-health-status=Unschedulable:NoSchedule",
        "the job stays in its queue",
    ):
        assert said in late["msg"], late["msg"]
    told = place.submit(pytorch_job("large", 3), wait="none")
    assert not told["changed"] and told["job"]["state"] == "waiting" and "has room for more than 2 of its 3" in told["job"]["why"], told
    assert told["job"]["why"].endswith("or request a higher layer, preferred_topology, or fewer Pods"), told
    place.kueue.script["large"] = [workers_at(place, 2, 3, 2)]
    done = place.submit(pytorch_job("large", 3))
    assert not done["changed"] and done["placement"]["verdict"] == "kept" and "eviction" not in str(done), done
    place.submit(pytorch_job("large"), state="absent")


def test_an_eviction_and_the_return_after_it_are_told(place: Place) -> None:
    why = "another job preempted it (by a job of higher priority)"
    place.kueue.script["evicted"] = [workers_at(place, 2, 3), Pauses(1), Evicts("Preempted", "by a job of higher priority")]
    with step("while it waits again"):
        place.submit(pytorch_job("evicted"), wait="none")
        until(lambda: not place.kueue.script["evicted"])
        told = place.submit(pytorch_job("evicted"), wait="none")
        assert not told["changed"] and told["job"]["state"] == "waiting", told
        assert f"it was evicted before: {why}. Wait until there is room again" in told["job"]["why"], told
        late = place.submit(pytorch_job("evicted"), wait_timeout=3)
        assert f"it was evicted before: {why} after 3 s. Wait until there is room again" in late["msg"], late
    with step("once it runs again"):
        place.kueue.script["evicted"] = [Pauses(2), workers_at(place, 2, 3)]
        back = place.submit(pytorch_job("evicted"))
        assert not back["changed"] and (back["job"]["state"], back["placement"]["verdict"]) == ("running", "kept"), back
        assert f"PyTorchJob {SPACE}/evicted has been admitted again after an eviction: {why}." in back["notes"], back
        assert back["placement"]["told"].endswith(f"; it has been admitted again after an eviction: {why}"), back
        assert proven(place, "evicted")["told"] == back["placement"]["told"]
    place.submit(pytorch_job("evicted"), state="absent")


def test_what_hyperpods_operator_runs_may_spill(place: Place) -> None:
    place.kueue.script["wide"] = [Admits({"pod": place.at(0, 2)})]
    told = place.submit(hyperpod_job("wide"), preferred_topology=f"{LAYER}3")
    assert told["changed"] and told["placement"]["verdict"] == "spilled", told
    assert told["placement"]["podsets"][0]["domains"] == [{"domain": "nn-31", "pods": 1}, {"domain": "nn-32", "pods": 1}]
    labels = place.world.seen("hyperpodpytorchjob", "wide", "-n", SPACE)["spec"]["replicaSpecs"][0]["template"]["metadata"]["labels"]
    assert labels == {"kueue.x-k8s.io/queue-name": QUEUE}
    place.submit(hyperpod_job("wide"), state="absent")


def test_a_job_of_kubernetes_itself(place: Place) -> None:
    place.kueue.script["plain"] = [Waits("PendingEvaluation", ""), Pauses(2), Admits({"main": place.at(0, 1)})]
    told = place.submit(job("plain"))
    assert told["changed"] and (told["placement"]["verdict"], told["job"]["at_work"]) == ("kept", 2), told.get("msg", told)
    assert not place.submit(job("plain"))["changed"]
    place.kueue.script["plain"] = [Ends("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit")]
    failed = place.submit(job("plain"), wait="finished")
    assert "it has failed (BackoffLimitExceeded: Job has reached the specified backoff limit)" in failed["msg"], failed
    place.submit(job("plain"), state="absent")


@pytest.mark.parametrize("version", ["v1beta2", "v1beta1"])
def test_a_placement_that_is_not_kept_fails_with_a_table(place: Place, version: str) -> None:
    if version != place.kueue.version:
        place.kueue.again(version, LEVELS)
        place.team()
    with step("a pod that runs below another network node than Kueue has assigned"):
        place.kueue.script["astray"] = [workers_at(place, 0, 1, at={"worker": place.at(0, 4)})]
        failed = place.submit(pytorch_job("astray"))
        assert "Pods worker are not within one domain of" in failed["msg"], failed
        assert failed["placement"]["verdict"] == "left" and failed["changes"][0]["action"] == "create", failed
        lines = [line.split() for line in failed["msg"].splitlines()[1:]]
        assert ["worker", "astray-worker-1", place.nodes[4], "nn-33", place.nodes[1], "elsewhere"] in lines, failed["msg"]
    with step("check mode says the same, and without verify it is told alone"):
        assert "are not within one domain of" in place.submit(pytorch_job("astray"), check=True)["msg"]
        assert place.submit(pytorch_job("astray"), verify=False)["placement"]["verdict"] == "left"
        place.submit(pytorch_job("astray"), state="absent")
    with step("a pod that moves within the layer, while Kueue's assignment stays"):
        place.kueue.script["moving"] = [workers_at(place, 2, 3)]
        assert place.submit(pytorch_job("moving"))["placement"]["verdict"] == "kept"
        place.kueue.script["moving"] = [Moves("worker", 1, place.nodes[2])]
        until(lambda: not place.kueue.script["moving"])
        differs = place.submit(pytorch_job("moving"))
        assert "are on other nodes than Kueue assigned" in differs["msg"], differs
        place.submit(pytorch_job("moving"), state="absent")


def test_pods_that_admission_refuses_are_why_a_job_waits(place: Place) -> None:
    image = "--image=registry.k8s.io/pause:3.10"
    with step("task governance's policy asks for a queue at each pod of a team's namespace"):
        refused = place.world.kubectl("run", "bare", image, "-n", SPACE)
        assert refused.returncode and "label kueue.x-k8s.io/queue-name is missing" in refused.stdout + refused.stderr
        assert place.world.kubectl("create", "deployment", "bare", image, "-n", SPACE).returncode
        assert place.world.kubectl("run", "bare", image, "-n", "default").returncode == 0
        assert place.world.kubectl("delete", "pod", "bare", "-n", "default", "--now").returncode == 0
    with step("a refusal stands in events of the job alone"):
        place.world.webhook.refused["refused"] = "pods of this name are not wanted"
        place.kueue.script["refused"] = [Admits({"main": place.at(0, 1)})]
        late = place.submit(job("refused"), wait_timeout=12)
        assert "0 of 2 pods at work: the API server refuses its Pods: Error creating: " in late["msg"], late
        assert "pods of this name are not wanted" in late["msg"], late
        told = place.submit(job("refused"), wait="admitted")
        assert told["job"]["state"] == "admitted" and "pods of this name are not wanted" in told["job"]["why"], told
        place.world.webhook.refused.clear()
        place.submit(job("refused"), state="absent")


def test_what_is_missing_is_refused_before_anything_is_sent(place: Place) -> None:
    place.changes()
    with step("names and layers that are not there"):
        for given, said in (
            ({"queue": "other"}, f"queue: 'other' is not allowed. Allowed: a LocalQueue of {SPACE}: {QUEUE}."),
            ({"namespace": "other"}, "namespace: other does not exist."),
            ({"priority_class": "low"}, "priority_class: 'low' is not allowed. Allowed: high-priority."),
            ({"required_topology": f"{LAYER}4"}, f"required_topology: '{LAYER}4' is not allowed. Allowed: a level of the Topology of the queue:"),
        ):
            refused = place.submit(pytorch_job("never"), **given)
            assert said in refused["msg"], refused
    with step("a kind that this Kueue does not manage"):
        place.kueue.configure(["batch/job"])
        refused = place.submit(pytorch_job("never"))
        assert "Kueue does not manage kind PyTorchJob here" in refused["msg"] and place.changes() == [], refused


def test_who_may_not_look_is_refused_before_and_told_what_was_not_checked(place: Place) -> None:
    """An editor by AWS's access policy knows neither nodes nor Kueue's kinds; then with what AWS's chart gives to teams of these."""
    world = place.world
    arn = world.person("editor")
    world.admit(arn, "AmazonEKSEditPolicy")
    options = {"eks_cluster": EKS, "manifest": job("theirs"), "namespace": SPACE, "queue": QUEUE, "wait": "none"}
    refused = world.module("topology_job", options, "editor")
    assert "/workloads" in refused.get("msg", "") and "403" in refused["msg"], refused
    jobs = world.api.get(f"/apis/batch/v1/namespaces/{SPACE}/jobs")["items"]
    assert "theirs" not in [each["metadata"]["name"] for each in jobs]
    rules = [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads", "localqueues"], "verbs": ["get", "list"]}]
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    world.api.create(f"{rbac}/clusterroles", {"metadata": {"name": "of-teams"}, "rules": rules})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "of-teams"}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": arn}
    binding = {"metadata": {"name": "of-teams"}, "roleRef": role, "subjects": [subject]}
    world.api.create(f"{rbac}/namespaces/{SPACE}/rolebindings", binding)
    place.kueue.script["theirs"] = [Admits({"main": place.at(0, 1)})]
    told = world.module("topology_job", {**options, "wait": "running", "poll_interval": 1, "wait_timeout": 120}, "editor")
    assert told["changed"] and told["job"]["state"] == "running", told.get("msg", told)
    assert world.module("topology_job", {**options, "state": "absent"}, "editor")["changed"]


def test_a_job_that_kueue_gives_up_is_not_waited_for(place: Place) -> None:
    place.kueue.configure(["batch/job"])
    place.kueue.script["hopeless"] = [Waits("Pending", "no quota"), Deactivates("exceeded the maximum number of re-queuing retries")]
    failed = place.submit(job("hopeless"))
    assert "it was deactivated and no longer starts automatically" in failed["msg"], failed
    place.submit(job("hopeless"), state="absent")


def test_pods_that_move_when_their_node_goes_are_told(place: Place) -> None:
    """The last test here: a node is gone for good after it. Kueue's assignment still names it."""
    lost = place.nodes[3]
    place.kueue.script["moved"] = [Admits({"main": place.at(2, 3)})]
    done = place.submit(job("moved"))
    assert done["placement"]["verdict"] == "kept" and done["placement"]["told"] == "Pods main are in nn-32 (2)", done
    place.world.kubelets.remove(lost)
    place.kueue.script["moved"] = [Moves("main", 1, place.nodes[2])]
    until(lambda: not place.kueue.script["moved"])
    moved = place.submit(job("moved"))
    assert not moved["changed"] and moved["placement"]["verdict"] == "moved", moved.get("msg", moved)
    assert moved["placement"]["told"] == "Pods main are in nn-32 (2) as requested; some moved there because their nodes are lost", moved
    rows = {each["pod"]: (each["node"], each["assigned"], each["verdict"]) for each in moved["placement"]["rows"]}
    assert rows["moved-main-1"] == (place.nodes[2], lost, "moved: its node is lost"), rows
    assert proven(place, "moved") == moved["placement"]
    place.submit(job("moved"), state="absent")
