# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""topology_job on an API server in memory: bad input, submission, waiting, reasons and placements."""

from __future__ import annotations

import pytest
import yaml
from ansible.module_utils.common.parameters import PASS_VARS
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._topology.job.api_server import FILE, World
from unit.module_utils._topology.job.jobs import LAYER, QUEUE, SPACE, condition, job, pytorch_job

NO_ROOM = 'topology "nodes" doesn\'t allow to fit any of 2 pod(s). Total nodes: 5; excluded: resource "nvidia.com/gpu": 5'
VERBOSE = {"_ansible_inject_invocation": True} if "inject_invocation" in PASS_VARS else {}
"""As with -vvv; the oldest ansible-core always returns the options."""
JOBS = f"/apis/batch/v1/namespaces/{SPACE}/jobs"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"manifest": None}, "manifest: set exactly one of manifest and src"),
        ({"manifest": {"kind": "Pod"}}, "manifest.kind: 'Pod' is not allowed."),
        ({"namespace": None}, "namespace: missing"),
        ({"required_topology": "a b"}, "required_topology: 'a b' is not allowed."),
        ({"wait_timeout": 0}, "wait_timeout: 0 is not allowed."),
        ({"wait": "ever", "manifest": {"kind": "Job"}}, "value of wait must be one of: none, admitted, running, finished"),
        ({"kubeconfig": "/nonexistent"}, "kubeconfig: /nonexistent is unusable: "),
        ({"eks_cluster": "one", "context": "a"}, "eks_cluster: 'one' is not allowed"),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("topology_job", **{"manifest": job(), "namespace": SPACE, "queue": QUEUE, **given})
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def world(request):
    return World(getattr(request, "param", "v1beta2"))


@pytest.fixture
def options(world, tmp_path):
    with Server(world) as kubernetes:
        yield {
            "kubeconfig": kubeconfig(kubernetes, tmp_path),
            "manifest": job(2),
            "namespace": SPACE,
            "queue": QUEUE,
            "priority_class": "high-priority",
            "required_topology": f"{LAYER}3",
            "poll_interval": 1,
            "wait_timeout": 20,
        }


def placed(world, assigned, at):
    """Set the turns: Kueue assigns nodes, then the pods run."""
    world.turns = [lambda here: None, lambda here: here.admit(*assigned), lambda here: here.run(*at), lambda here: None]


@pytest.mark.parametrize("world", ["v1beta1", "v1beta2"], indirect=True)
def test_a_job_with_the_requested_placement(simulator, world, options):
    foreseen = simulator.run("topology_job", check=True, **options)
    assert foreseen["changed"] and world.changes == [] and foreseen["job"]["state"] == "waiting", foreseen
    placed(world, ["n1", "n2"], ["n1", "n2"])
    done = simulator.run("topology_job", **options)
    assert done["changed"] and done["changes"] == foreseen["changes"] and done["manifest"] == foreseen["manifest"], done
    assert world.changes == [("POST", JOBS)]
    assert done["placement"]["verdict"] == "kept" and done["placement"]["told"] == "the main Pods are in aaa (2)"
    assert [(each["pod"], each["node"], each["domain"], each["verdict"]) for each in done["placement"]["rows"]] == [
        ("mnist-0", "n1", "aaa", "as assigned"),
        ("mnist-1", "n2", "aaa", "as assigned"),
    ]
    assert done["job"] | {"hash": ""} == {
        "api_version": "batch/v1", "kind": "Job", "namespace": SPACE, "name": "mnist", "queue": QUEUE, "hash": "",
        "state": "running", "why": "", "pods": 2, "at_work": 2, "workload": "job-mnist",
    }
    sent = world.objects[world.job_path]
    assert sent["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] == "high-priority" and sent["spec"]["suspend"] is True
    for check in (False, True):
        second = simulator.run("topology_job", check=check, **options)
        assert not second["changed"] and second["placement"] == done["placement"] and len(world.changes) == 1, second
    world.end()
    over = simulator.run("topology_job", **options)
    assert not over["changed"] and over["job"]["state"] == "succeeded" and len(world.changes) == 1, over
    for check in (True, False):
        removed = simulator.run("topology_job", check=check, **options, state="absent")
        assert removed["changed"] and removed["job"]["state"] == "absent", removed
    assert world.changes[1:] == [("DELETE", world.job_path)]
    assert world.deleting["propagationPolicy"] == "Foreground" and world.deleting["preconditions"]["uid"]
    assert not simulator.run("topology_job", **options, state="absent")["changed"]


def test_a_file_is_submitted_without_a_wait(simulator, world, options, tmp_path):
    path = tmp_path / "job.yaml"
    path.write_text(yaml.safe_dump(job(2)))
    result = simulator.run("topology_job", **{**options, "manifest": None, "src": str(path), "wait": "none"})
    assert result["changed"] and result["job"]["state"] == "waiting" and result["placement"]["verdict"] == "", result
    assert not simulator.run("topology_job", **options, wait="none")["changed"]


def test_an_admitted_job_is_judged_by_its_assignment(simulator, world, options):
    placed(world, ["n1", "n2"], [])
    result = simulator.run("topology_job", **options, wait="admitted")
    assert result["job"]["state"] == "admitted" and result["placement"]["told"] == "the main Pods are in aaa (2)", result
    assert result["placement"]["verdict"] == "kept" and result["placement"]["rows"] == [], result


def test_a_job_that_does_not_fit_gets_a_reason(simulator, world, options):
    world.turns = [lambda here: here.workload(condition("QuotaReserved", "False", "Pending", NO_ROOM))]
    late = simulator.run("topology_job", **{**options, "wait_timeout": 1})
    assert late["failed"] and "no domain of topology nodes has room for any of its 2 Pods; of 5 nodes, 5 have too little" in late["msg"], late
    assert late["hyperpod_failure"]["code"] == "topology-job-waits"
    assert "after 1 s" in late["msg"] and "the job stays in its queue" in late["msg"] and late["changes"][0]["action"] == "create"
    result = simulator.run("topology_job", **options, wait="none")
    assert not result["changed"] and result["job"]["why"].startswith("no domain of topology nodes"), result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reason", "step"),
    [
        ("WaitingForQuota", "this job starts when enough of them have ended"),
        ("ExceedsMaxQuota", "Request less, or raise the quota of the team in hyperpod_teams. Until then, the job stays in its queue"),
    ],
)
def test_a_waiting_job_gets_a_next_step(simulator, world, options, reason, step):
    world.turns = [lambda here: here.workload(condition("QuotaReserved", "False", reason))]
    late = simulator.run("topology_job", **{**options, "wait_timeout": 1})
    assert step in late["msg"], late
    result = simulator.run("topology_job", **options, wait="none")
    helps = "Keep waiting: the job stays in its queue and starts automatically" if reason == "WaitingForQuota" else "Request less, or raise"
    assert f". {helps}" in result["job"]["why"] and not result["job"]["why"].endswith("."), result


def test_refused_pods_are_the_reason_of_a_waiting_job(simulator, world, options):
    message = 'Error creating: pods "mnist-" is forbidden: it lacks label kueue.x-k8s.io/queue-name'
    placed(world, ["n1", "n2"], [])
    world.event("of another job", uid="another")
    world.event(message)
    late = simulator.run("topology_job", **{**options, "wait_timeout": 2})
    assert f"0 of 2 Pods running (the API server refuses the job's Pods: {message})" in late["msg"], late
    assert "Set the label kueue.x-k8s.io/queue-name on every Pod template" in late["msg"], late
    result = simulator.run("topology_job", **options, wait="admitted")
    assert result["job"]["state"] == "admitted" and result["job"]["why"].startswith(f"the API server refuses the job's Pods: {message}"), result
    world.run("n1", "n2")
    assert simulator.run("topology_job", **options)["job"]["why"] == "", "the pods exist now"


def test_missing_layers_are_named_with_the_number_of_nodes_of_each(simulator, world, options):
    message = "couldn't assign flavors to pod set main: no topology domains at level: kubernetes.io/hostname"
    world.objects[world.kueue("resourceflavors", "gpus")]["spec"]["nodeLabels"] = {f"{LAYER}2": "ab"}
    world.objects[world.kueue("topologies", "nodes")]["spec"]["levels"] += [{"nodeLabel": f"{LAYER}4"}]
    world.turns = [lambda here: None, lambda here: here.workload(condition("QuotaReserved", "False", "TopologyPlacementFailed", message))]
    late = simulator.run("topology_job", **{**options, "wait_timeout": 2})
    layers = {f"{LAYER}1": 2, f"{LAYER}2": 2, f"{LAYER}3": 2, "kubernetes.io/hostname": 2, f"{LAYER}4": 0}
    counts = ", ".join(f"{layer} is set on {nodes}" for layer, nodes in layers.items())
    assert f"none of 2 nodes of flavor gpus has the labels of all layers of its Topology: {counts}. Kueue: {message}" in late["msg"], late


def test_a_preferred_placement_may_spill(simulator, world, options):
    placed(world, ["n1", "n3"], ["n1", "n3"])
    result = simulator.run("topology_job", **{**options, "required_topology": None, "preferred_topology": f"{LAYER}3"})
    assert result["changed"] and result["placement"]["verdict"] == "spilled", result
    assert result["placement"]["podsets"][0]["domains"] == [{"domain": "aaa", "pods": 1}, {"domain": "aba", "pods": 1}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("assigned", "at", "verdict", "message"),
    [
        (["n1", "n2"], ["n1", "n3"], "left", "the main Pods are not within one domain of"),
        (["n1", "n3"], ["n1", "n3"], "left", "the main Pods are not within one domain of"),
        (["n1", "n2"], ["n3", "n4"], "differs", "the main Pods are not on the nodes that Kueue assigned"),
    ],
)
def test_a_wrong_placement_fails_with_a_table(simulator, world, options, assigned, at, verdict, message):
    placed(world, assigned, at)
    failed = simulator.run("topology_job", **options)
    assert failed["failed"] and message in failed["msg"] and failed["placement"]["verdict"] == verdict, failed
    assert failed["msg"].splitlines()[1].split() == ["pods", "pod", "node", "domain", "assigned"]
    assert failed["hyperpod_failure"]["code"] == "topology-job-misplaced"
    assert len(failed["msg"].splitlines()) == 4 and failed["changes"][0]["action"] == "create"
    foreseen = simulator.run("topology_job", check=True, **options)
    assert foreseen["failed"] and message in foreseen["msg"], foreseen
    unverified = simulator.run("topology_job", **options, verify=False)
    assert not unverified["changed"] and unverified["placement"]["verdict"] == verdict, unverified


def test_pods_from_before_an_eviction_are_no_violation(simulator, world, options):
    """They end one after the other, and are listed next to the new assignment for a while."""
    world.turns = [lambda here: (here.admit("n3", "n4"), here.run("n1", "n2")), lambda here: here.run("n3", "n4"), lambda here: None]
    assert simulator.run("topology_job", **options)["placement"]["verdict"] == "kept"


@pytest.mark.slow
def test_a_job_admitted_again_after_an_eviction_has_the_reason(simulator, world, options):
    before = condition("Evicted", "False", "QuotaReserved", "Previously: by another"), condition("Requeued", "True", "Preempted", "by another")
    world.turns = [lambda here: (here.workload(condition("Admitted"), *before, nodes=["n1", "n2"]), here.run("n1", "n2"))]
    result = simulator.run("topology_job", **options)
    reason = "has been admitted again after an eviction: another job preempted it (by another)"
    assert result["placement"]["told"] == f"the main Pods are in aaa (2); the job {reason}", result
    assert result["notes"] == [f"Job {SPACE}/mnist {reason}."] and not simulator.run("topology_job", **options)["changed"], result


@pytest.mark.slow
def test_another_manifest_is_refused_or_replaces(simulator, world, options):
    simulator.run("topology_job", **options, wait="none")
    other = {**options, "manifest": job(4), "wait": "none"}
    refused = simulator.run("topology_job", **other)
    assert refused["failed"] and "spec.parallelism is 2 and would be 4" in refused["msg"] and len(world.changes) == 1, refused
    foreseen = simulator.run("topology_job", check=True, **other, replace=True)
    done = simulator.run("topology_job", **other, replace=True)
    assert [each["action"] for each in done["changes"]] == ["delete", "create"] and done["changes"] == foreseen["changes"]
    assert world.changes[1:] == [("DELETE", world.job_path), ("POST", JOBS)]
    assert not simulator.run("topology_job", **other, replace=True)["changed"]


def test_a_job_that_is_removed_after_its_end(simulator, world, options):
    """The job ended and was removed between two reads; the next run would train again."""
    given = {**options, "manifest": job(2, ttlSecondsAfterFinished=5)}
    refused = simulator.run("topology_job", **given, wait="finished")
    assert "manifest.spec.ttlSecondsAfterFinished: 5 is not allowed: with wait=finished" in refused["msg"] and world.changes == [], refused
    world.turns = [lambda here: here.admit("n1", "n2"), lambda here: here.run("n1"), lambda here: here.objects.pop(here.job_path, None)]
    removed = simulator.run("topology_job", **given)
    assert "it ended and was removed 5 s later (spec.ttlSecondsAfterFinished), so its result is unknown" in removed["msg"], removed
    foreseen = simulator.run("topology_job", check=True, **given)
    for text in (str(foreseen["warnings"]), str(foreseen["notes"])):
        assert "is removed 5 s after its end (spec.ttlSecondsAfterFinished), and another run would then submit it again" in text, foreseen


def test_no_value_of_an_environment_variable_is_shown(simulator, world, options):
    secret = job(2)
    secret["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": "HF_TOKEN", "value": "hf_secret"}]
    given = {**options, **VERBOSE, "manifest": secret, "wait": "none"}
    foreseen = simulator.run("topology_job", check=True, **given)
    done = simulator.run("topology_job", **given)
    wrong = simulator.run("topology_job", **{**given, "priority_class": "A"})
    refused = simulator.run("topology_job", **{**options, **VERBOSE, "wait": "none"})
    for result in (foreseen, done, wrong, refused):
        assert "hf_secret" not in str(result), result
        assert result["invocation"]["module_args"]["manifest"]["metadata"]["name"] == "mnist", result
    assert "priority_class: 'A' is not allowed" in wrong["msg"], wrong
    assert "HF_TOKEN" in str(done["diff"]) and "manifest: a manifest that differs from" in refused["msg"], refused
    assert world.objects[world.job_path]["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] == "hf_secret"


@pytest.mark.slow
def test_foreign_jobs_are_unchanged(simulator, world, options):
    world.put(world.job_path, {"metadata": {"uid": "theirs"}, "spec": {}})
    for more in ({}, {"replace": True}, {"state": "absent"}):
        refused = simulator.run("topology_job", **options, **more)
        assert refused["failed"] and "this module did not create it" in refused["msg"], refused
    assert world.changes == []
    assert simulator.run("topology_job", **options, state="absent", force=True)["changed"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turn", "message"),
    [
        (lambda here: here.end("Failed", "BackoffLimitExceeded"), "it has failed (BackoffLimitExceeded)"),
        (lambda here: here.workload(condition("Evicted", reason="Deactivated"), active=False), "it was deactivated"),
        (lambda here: here.objects.pop(here.job_path), "it or its namespace was deleted. Run again"),
    ],
)
def test_waiting_ends_if_the_job_cannot_continue(simulator, world, options, turn, message):
    world.turns = [lambda here: None, turn, lambda here: None]
    failed = simulator.run("topology_job", **options, wait="finished")
    assert failed["failed"] and message in failed["msg"], failed
    assert failed["hyperpod_failure"]["code"] == "topology-job-failed"


@pytest.mark.slow
def test_waiting_survives_missing_replies(simulator, world, options):
    placed(world, ["n1", "n2"], ["n1", "n2"])
    world.refusing["GET /api/v1/nodes"] = [500, 429]
    assert simulator.run("topology_job", **options)["placement"]["verdict"] == "kept"


def test_a_lost_reply_causes_no_second_job(simulator, world, options):
    simulator.run("topology_job", **options, wait="none")
    made = world.objects.pop(world.job_path)

    def lost(method, target, body, answer=world.answer):
        if method == "POST":
            world.objects[world.job_path] = made
            return 500, {"message": "lost"}
        return answer(method, target, body)

    world.answer = lost
    assert simulator.run("topology_job", **options, wait="none")["changed"]


@pytest.mark.slow
def test_requirements_of_the_cluster_are_checked_before_the_submission(simulator, world, options):
    shapes = [
        ({"queue": "other"}, f"queue: 'other' is not allowed. Allowed: a LocalQueue of {SPACE}: {QUEUE}."),
        ({"priority_class": "low"}, "priority_class: 'low' is not allowed. Allowed: high-priority."),
        ({"required_topology": "rack"}, "required_topology: 'rack' is not allowed. Allowed: a level of the Topology of the queue: "),
        ({"namespace": "other"}, "namespace: other does not exist."),
        ({"manifest": pytorch_job()}, "Kueue does not manage kind PyTorchJob in this cluster"),
    ]
    for given, message in shapes:
        for check in (True, False):
            refused = simulator.run("topology_job", check=check, **{**options, **given})
            assert refused["failed"] and message in refused["msg"], refused
    world.put(FILE, {"data": {"a": "featureGates: {TopologyAwareScheduling: false}"}})
    refused = simulator.run("topology_job", **options)
    assert "feature gate TopologyAwareScheduling is false" in refused["msg"] and world.changes == [], refused


def test_unreadable_objects_are_reported(simulator, world, options):
    for place in (FILE, "/apis/apps/v1", world.kueue("clusterqueues", ""), world.kueue("topologies", ""), "/api/v1/nodes"):
        world.refusing[f"GET {place}"] = [403] * 99
    placed(world, ["n1", "n2"], ["n1", "n2"])
    result = simulator.run("topology_job", **options)
    warned = str(result["warnings"])
    assert result["changed"] and result["placement"]["verdict"] == "unknown", result
    for each in ("ClusterQueue all", "ConfigMap kueue-manager-config of kueue-system", "(Deployment kueue-controller-manager of kueue-system)"):
        assert f"{each} could not be read" in warned, warned


@pytest.mark.slow
@pytest.mark.parametrize("plural", ["workloads", "pods"])
def test_a_caller_without_read_permissions_submits_nothing(simulator, world, options, plural):
    place = world.kueue(plural, "", SPACE) if plural == "workloads" else f"/api/v1/namespaces/{SPACE}/pods"
    world.refusing[f"GET {place.rstrip('/')}"] = [403] * 99
    refused = simulator.run("topology_job", **options)
    assert refused["failed"] and f"/{plural}" in refused["msg"] and world.changes == [], refused
