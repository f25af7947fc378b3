# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gain of near nodes on a cluster with EKS, measured by Jobs on a real API server with a scheduler; tests set the pods' output."""

from __future__ import annotations

import json
import signal
import typing as t

import pytest
from eks_world import EKS, EksWorld, command, until
from harness import STATE_DIR, Run
from kueue_place import TYPE, Place, article
from lab.accelerators.nccl import AllReduce
from mishaps import Started
from steps import step

pytestmark = pytest.mark.slow
SPACE = "mlfleet-hyperpod"
TEST, NEEDED = "mlfleet.hyperpod/nccl-test", "mlfleet.hyperpod/needed-seconds"
JOBS = f"/apis/batch/v1/namespaces/{SPACE}/jobs"
SERVICES, PODS = f"/api/v1/namespaces/{SPACE}/services", f"/api/v1/namespaces/{SPACE}/pods"
PROOF = STATE_DIR / "placement.json"
IMAGE = "public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023"
FOREVER = "registry.k8s.io/pause:3.10"
"""An image that the simulated kubelets run until the deadline."""
LAYER = "topology.k8s.aws/network-node-layer-3"
FAST, LESS = 466.0, 402.1
"""GB/s between nodes below one last network node, and between others."""
Object = dict[str, t.Any]


@pytest.fixture(scope="module")
def place() -> t.Iterator[Place]:
    with article() as found:
        offers = {"vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "10256Mi"}
        for name in found.nodes:
            found.world.api.merge(f"/api/v1/nodes/{name}/status", {"status": {"capacity": offers, "allocatable": offers}})
        yield found


@pytest.fixture(autouse=True)
def default_logs(place: Place) -> t.Iterator[None]:
    set_logs(place)
    yield
    place.world.logs.programs.clear()


def set_logs(place: Place, *without_efa: int, **more: t.Any) -> None:
    """Set the output of pods. ``without_efa``: numbers of nodes whose tests use sockets."""
    of_sockets = {place.nodes[number] for number in without_efa}
    for name in place.nodes:
        place.world.logs.programs[name] = lambda pod: _log(place, pod, of_sockets, more)


def _log(place: Place, pod: Object, of_sockets: set[str], more: Object) -> str:
    """Output of a pod: only the first pod of a test prints something."""
    (container,) = pod["spec"]["containers"]
    gpus, number, count, _begin, end = map(int, container["args"][4:9])
    if number:
        return ""
    run = pod["metadata"]["labels"][TEST]
    nodes = {each["spec"]["nodeName"] for each in place.world.api.get(f"{PODS}?labelSelector={TEST}={run}")["items"]}
    last = {place.world.api.get(f"/api/v1/nodes/{name}")["metadata"]["labels"][LAYER] for name in nodes}
    network: Object = {"network": "Socket", "provider": ""} if nodes & of_sockets else {}
    speed = FAST if len(last) == 1 else LESS
    return AllReduce(label=False, nodes=count, gpus=gpus, bytes=end, bandwidth=speed, **{**network, **more}).text()


def measure(place: Place, *arguments: str, **variables: t.Any) -> tuple[Run, Object]:
    """The run of the playbook, and the gain in the file that it writes."""
    PROOF.unlink(missing_ok=True)
    given = {"topology_job_measure_gain": True, "topology_job_gain_image": IMAGE, **variables}
    run = place.world.world.playbook("placement", "-e", json.dumps(given), *arguments)
    assert PROOF.exists(), run.log
    found: Object = json.loads(PROOF.read_text())["clusters"]["ml"]["gain"]
    return run, found


def left(world: EksWorld) -> list[str]:
    return [each["metadata"]["name"] for path in (JOBS, SERVICES, PODS) for each in world.api.get(f"{path}?labelSelector={TEST}")["items"]]


def made(place: Place) -> list[str]:
    """Kinds of the objects created through EKS's endpoint since the last call."""
    found = [each.resource for each in place.world.front.changes() if each.verb == "create" and each.status < 300]
    place.world.reset_changes()
    return found


def figures(gain: Object) -> dict[str, tuple[list[str], float | None, str, str]]:
    shown = ("nodes", "bandwidth", "carried_by", "verdict")
    return {side: tuple(gain[side][name] for name in shown) for side in ("near", "spread")}


def findings(run: Run) -> list[tuple[str, str]]:
    return [(each["kind"], each["code"]) for each in run.cluster()["findings"] if each["code"].startswith(("topology-gain", "nccl-"))]


def printed(run: Run) -> str:
    return " ".join(run.output.split())


def train(place: Place, number: int) -> None:
    """Start a foreign pod that uses the node's GPUs."""
    container = {"name": "a", "image": FOREVER, "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    body = {"metadata": {"name": f"train-{number}"}, "spec": {"nodeName": place.nodes[number], "containers": [container]}}
    place.world.api.create("/api/v1/namespaces/default/pods", body)


def end_training(place: Place, *numbers: int) -> None:
    for number in numbers:
        place.world.api.delete(f"/api/v1/namespaces/default/pods/train-{number}", {"gracePeriodSeconds": 0})


def options(place: Place, *numbers: int, **more: t.Any) -> Object:
    ids = [name.removeprefix("hyperpod-") for name in place.at(*numbers)]
    return {"eks_cluster": EKS, "instance_ids": ids, "instance_type": TYPE, "gpus": 8, "image": IMAGE, "poll_interval": 1, **more}


def test_the_report_compares_near_and_spread_nodes(place: Place) -> None:
    with step("without an image the report names the variable"):
        made(place)
        without, gain = measure(place, topology_job_gain_image="")
        assert without.rc == 0 and made(place) == [] and findings(without) == [("note", "topology-gain-not-measured")], without.log
        assert "set topology_job_gain_image to their image" in gain["not_measured"], gain

    with step("check mode creates nothing and names the nodes of the tests"):
        foreseen, gain = measure(place, "--check")
        assert foreseen.rc == 0 and made(place) == [] and (gain["near"], gain["ratio"]) == (None, None), foreseen.log
        assert "2 nodes below nn-31, then on 2 nodes below nn-31 and nn-32" in gain["not_measured"], gain

    with step("both figures are reported, and nothing is left"):
        run, gain = measure(place)
        assert run.rc == 0 and left(place.world) == [], run.log
        assert figures(gain) == {"near": (place.at(0, 1), FAST, "EFA", "passed"), "spread": (place.at(0, 2), LESS, "EFA", "passed")}, gain
        assert (gain["ratio"], gain["not_measured"], gain["instance_type"]) == (1.16, "", TYPE)
        line = "ml: nearby nodes: 2 nodes below nn-31, 466.0 GB/s over EFA with 4 GiB; "
        line += "spread nodes: 2 nodes below nn-31 and nn-32, 402.1 GB/s over EFA with 4 GiB"
        assert line in printed(run) and "the nearby nodes are 1.16 times as fast (all_reduce of 4 GiB, ml.p5.48xlarge)" in printed(run), run.log
        assert findings(run) == [("note", "topology-gain")], run.cluster()
        kinds = made(place)
        assert (kinds.count("jobs"), kinds.count("services")) == (4, 2), kinds

    with step("again on three nodes, in the existing namespace"):
        again, gain = measure(place, topology_job_gain_nodes=3)
        assert (again.rc, again.changed, again.status) == (0, 0, "unchanged") and left(place.world) == [], again.log
        assert [each[0] for each in figures(gain).values()] == [place.at(2, 3, 4), place.at(0, 2, 4)], gain

    with step("without the option nothing is created"):
        made(place)
        quiet, gain = measure(place, topology_job_measure_gain=False)
        assert quiet.rc == 0 and gain is None and made(place) == [] and findings(quiet) == [], quiet.log


def test_busy_nodes_are_not_tested(place: Place) -> None:
    try:
        with step("other nodes are measured"):
            train(place, 0)
            run, gain = measure(place)
            assert run.rc == 0 and [each[0] for each in figures(gain).values()] == [place.at(2, 3), place.at(1, 2)], run.log
            assert place.world.api.get("/api/v1/namespaces/default/pods/train-0")["status"]["phase"] == "Running"
        with step("the report gives the reason if too few nodes are idle"):
            train(place, 2)
            made(place)
            run, gain = measure(place)
            assert run.rc == 0 and made(place) == [] and findings(run) == [("note", "topology-gain-not-measured")], run.log
            assert "The nearest and the farthest 2 idle nodes" in gain["not_measured"], gain
        with step("the module refuses busy nodes"):
            refused = place.world.module("nccl_jobs", options(place, 0, 1))["nccl_test"]
            assert refused["failure"] == "jobs" and f"default/train-0 on {place.nodes[0]}" in refused["text"] and made(place) == [], refused
    finally:
        end_training(place, 0, 2)


def test_a_test_ends_if_its_nodes_are_not_allocated_in_time(place: Place) -> None:
    path = f"/api/v1/nodes/{place.nodes[1]}"
    place.world.api.merge(path, {"spec": {"taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}]}})
    try:
        test = place.world.module("nccl_jobs", options(place, 0, 1, queue_timeout=5))["nccl_test"]
    finally:
        place.world.api.merge(path, {"spec": {"taints": None}})
    assert (test["verdict"], test["failure"]) == ("not_run", "allocation") and "taint" in test["text"] and left(place.world) == [], test


def test_figures_over_sockets_and_over_efa_are_not_compared(place: Place) -> None:
    set_logs(place, 2)
    run, gain = measure(place)
    assert run.rc == 0 and gain["ratio"] is None and [each[2:] for each in figures(gain).values()] == [("EFA", "passed"), ("sockets", "failed")], gain
    assert "EFA and sockets carried the data" in printed(run), run.log


def test_a_failed_test_is_no_finding_about_nodes(place: Place) -> None:
    with step("an image that cannot be pulled"):
        run, gain = measure(place, topology_job_gain_image="unpullable:1")
        assert run.rc == 2 and gain["spread"] is None and gain["near"]["verdict"] == "not_run", run.log
        assert findings(run) == [("pending", "topology-gain-not-measured")] and run.status == "degraded", run.cluster()
        assert "ImagePullBackOff" in gain["not_measured"] and left(place.world) == [], gain

    with step("pods with hostile output"):
        for text in ("\x1b[2J{{ 7 * 7 }}\n", "x" * 2_000_000):
            for name in place.nodes:
                place.world.logs.programs[name] = lambda _pod, text=text: text
            run, gain = measure(place)
            assert run.rc == 2 and gain["near"]["bandwidth"] is None and gain["not_measured"].isprintable() and left(place.world) == [], run.log

    with step("a wrong option is refused before anything is created"):
        made(place)
        PROOF.unlink(missing_ok=True)
        given = {"topology_job_measure_gain": True, "topology_job_gain_image": "a b"}
        refused = place.world.world.playbook("placement", "-e", json.dumps(given))
        assert refused.rc == 2 and "topology_job_gain_image: a b is not allowed." in printed(refused) and made(place) == [], refused.log


def test_interrupted_runs_leave_nothing_permanently(place: Place) -> None:
    def begun() -> Started:
        started = Started(place.world.world, "", argv=command("nccl_jobs", options(place, 0, 1, image=FOREVER)))
        until(lambda: len(left(place.world)) == 5)
        return started

    with step("a run that receives SIGTERM removes its objects"):
        started = begun()
        started.signal(signal.SIGTERM)
        started.end(60)
        until(lambda: left(place.world) == [])  # ansible does not wait for its module

    with step("objects of a killed run expire; until then its nodes are not tested"):
        begun().kill()
        blocked = place.world.module("nccl_jobs", options(place, 0, 1))["nccl_test"]
        assert blocked["failure"] == "jobs" and len(left(place.world)) == 5, blocked
        for path in (JOBS, SERVICES):
            for each in place.world.api.get(f"{path}?labelSelector={TEST}")["items"]:
                place.world.api.merge(f"{path}/{each['metadata']['name']}", {"metadata": {"annotations": {NEEDED: "0"}}})
        after = place.world.module("nccl_jobs", options(place, 2, 3))["nccl_test"]
        assert after["verdict"] == "passed", after
        until(lambda: left(place.world) == [])


RULES = [
    {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create", "list", "delete"]},
    {"apiGroups": [""], "resources": ["services"], "verbs": ["create", "list", "delete"]},
    {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
]
"""Rights in the namespace, as documented in docs/use/topology.md."""
LISTED = {"apiGroups": [""], "resources": ["nodes", "pods"], "verbs": ["list"]}


def test_the_documented_rights_are_sufficient(place: Place) -> None:
    world = place.world
    world.module("nccl_jobs", options(place, 0, 1))  # creates the namespace
    arn = world.person("measurer")
    world.aws("eks").create_access_entry(clusterName=EKS, principalArn=arn)
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": arn}

    def grant(kind: str, space: str, rules: list[Object]) -> None:
        of_rbac = f"/apis/rbac.authorization.k8s.io/v1{space}"
        meta = {"metadata": {"name": "measurer"}}
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "measurer"}
        world.api.create(f"{of_rbac}/{kind.lower()}s", {**meta, "rules": rules})
        world.api.create(f"{of_rbac}/{kind.lower()}bindings", {**meta, "roleRef": reference, "subjects": [subject]})

    with step("without rights"):
        refused = world.module("nccl_jobs", options(place, 0, 1), "measurer")
        assert "GET /api/v1/nodes" in refused.get("msg", "") and "403" in refused["msg"], refused
    with step("with the documented rights"):
        grant("ClusterRole", "", [LISTED, {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]}])
        grant("Role", f"/namespaces/{SPACE}", RULES)
        done = world.module("nccl_jobs", options(place, 0, 1), "measurer")
        assert done.get("nccl_test", {}).get("verdict") == "passed" and left(world) == [], done
