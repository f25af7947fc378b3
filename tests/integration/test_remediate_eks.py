# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unfit nodes of a cluster with EKS are repaired: pods are kept away and waited for, AWS acts, and a look comes before new pods."""

from __future__ import annotations

import json
import re
import typing as t
from pathlib import Path

import pytest
from eks_looks import Runs
from eks_world import EKS, EksWorld, until, workers
from harness import STATE_DIR, Run
from lab.accelerators.story import healthy
from mishaps import Started, run_until
from repairs import TYPE, broken, codes, doomed, forget_repairs
from steps import step

pytestmark = pytest.mark.slow
PODS = "/api/v1/namespaces/default/pods"
CORDONED_FOR = "mlfleet.hyperpod/cordoned-for"
HEALTH = "sagemaker.amazonaws.com/node-health-status"
OURS = "repair: unfit for work, or to be checked"
AGREED = {"remediation_approve": "all"}
Node = dict[str, t.Any]


class Stories(dict[str, Runs]):
    """By the name of a node; one that comes is as ``others``."""

    others: Runs

    def get(self, name: str, default: t.Any = None) -> Runs:
        return super().get(name, self.others)


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.hyperpod("ml", [workers("gpus", 2, TYPE)])
        until(lambda: len(world.seen("nodes")["items"]) == 2)
        yield world


@pytest.fixture
def stories(pods: EksWorld, tmp_path: Path) -> t.Iterator[Stories]:
    told = Stories()
    told.others = Runs(pods, healthy(TYPE), tmp_path)
    pods.logs.programs = told
    (STATE_DIR / "accelerators.json").unlink(missing_ok=True)
    pods.world.reset_calls()
    yield told
    pods.logs.programs = {}


def nodes(pods: EksWorld) -> dict[str, Node]:
    return {each["metadata"]["name"]: each for each in pods.seen("nodes")["items"]}


def cordoned(pods: EksWorld, name: str) -> tuple[bool, str]:
    """Whether a node gets no pods, and why we keep them away."""
    node = nodes(pods)[name]
    return node["spec"].get("unschedulable", False), node["metadata"].get("annotations", {}).get(CORDONED_FOR, "")


def remediate(pods: EksWorld, *arguments: str, **variables: t.Any) -> Run:
    return pods.world.playbook("remediate", "-e", json.dumps(variables), *arguments)


def acts(pods: EksWorld) -> list[str]:
    return [each["operation"] for each in pods.world.calls(mutating=True) if each["operation"].startswith("Batch")]


def verdicts() -> dict[str, str]:
    document = json.loads((STATE_DIR / "accelerators.json").read_text())
    return {f"hyperpod-{iid}": node["verdict"] for iid, node in document["clusters"]["ml"]["nodes"].items()}


def test_a_node_is_rebooted_once_its_pods_are_gone(pods: EksWorld, stories: Stories, tmp_path: Path) -> None:
    first, second = sorted(nodes(pods))
    with step("a fleet that is well needs nothing"):
        well = remediate(pods, **AGREED)
        assert (well.rc, acts(pods)) == (0, []) and "No node of ml needs a repair." in well.log, well.log

    def rebooted() -> bool:
        return "BatchRebootClusterNodes" in acts(pods)

    stories[first] = Runs(pods, broken(), tmp_path, then=healthy(TYPE), once=rebooted)
    container = {"name": "a", "image": "registry.k8s.io/pause:3.10", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    pods.api.create(PODS, {"metadata": {"name": "train"}, "spec": {"nodeName": first, "containers": [container]}})
    with step("a plan, and nothing is done"):
        shown = remediate(pods)
        assert shown.rc == 0 and codes(shown, "pending") == ["remediation-unapproved"], shown.log
        (plan,) = set(re.findall(r"-e\s+remediation_approve=(ml:[0-9a-f]{8})", " ".join(shown.log.split())))
        assert cordoned(pods, first) == (False, "") and acts(pods) == []

    with step("pods are kept away, and the one that trains is not evicted"):
        waits = remediate(pods, remediation_approve=plan, remediation_jobs_timeout=3)
        assert waits.rc == 2 and "remediation-waits" in codes(waits, "pending"), waits.log
        assert "there are pods on it: default/train" in " ".join(waits.log.split()), waits.log
        assert cordoned(pods, first) == (True, OURS) and cordoned(pods, second) == (False, "")
        assert pods.seen("pod", "train")["metadata"]["name"] == "train" and acts(pods) == []
        refused = remediate(pods, remediation_approve=plan, remediation_jobs="refuse")
        assert refused.rc == 2 and "nodes to cordon: default/train" in " ".join(refused.log.split()) and acts(pods) == [], refused.log
    pods.api.delete(f"{PODS}/train", {"gracePeriodSeconds": 0})

    with step("rebooted, looked at again, and pods may come"):
        done = remediate(pods, remediation_approve=plan)
        assert done.rc == 0 and "remediation-repaired" in codes(done, "note"), done.log
        assert acts(pods) == ["BatchRebootClusterNodes"] and set(verdicts().values()) == {"fit"}
        assert cordoned(pods, first) == (False, "")

    with step("a second run changes nothing"):
        again = remediate(pods, **AGREED)
        assert (again.rc, again.changed) == (0, 0) and len(acts(pods)) == 1, again.log


def test_a_node_is_replaced_and_gets_no_pods_until_it_is_fit(pods: EksWorld, stories: Stories, tmp_path: Path) -> None:
    first, second = sorted(nodes(pods))
    stories[second] = Runs(pods, doomed(), tmp_path)
    stories.others = Runs(pods, doomed(), tmp_path)
    stories[first] = Runs(pods, healthy(TYPE), tmp_path)
    with step("HyperPod is working on it: the run does not interfere"):
        pods.api.merge(f"/api/v1/nodes/{second}", {"metadata": {"labels": {HEALTH: "UnschedulablePendingReplacement"}}})
        held = remediate(pods, **AGREED)
        assert held.rc == 0 and codes(held, "pending") == ["remediation-waits"] and acts(pods) == [], held.log
        pods.api.merge(f"/api/v1/nodes/{second}", {"metadata": {"labels": {HEALTH: "Schedulable"}}})

    with step("check mode says what would be done"):
        foreseen = remediate(pods, "--check", "--diff", **AGREED)
        assert cordoned(pods, second) == (False, "") and acts(pods) == [], foreseen.log

    with step("the machine that came is as bad: it gets no pods"):
        done = remediate(pods, **AGREED)
        (heir,) = set(nodes(pods)) - {first, second}
        assert done.rc == 2 and codes(done, "failure") == ["remediation-unfit"], done.log
        assert acts(pods) == ["BatchReplaceClusterNodes"] and second not in nodes(pods)
        assert f"replaced by {heir.removeprefix('hyperpod-')}, but still unfit" in " ".join(done.log.split()), done.log
        assert cordoned(pods, heir) == (True, OURS)

    with step("somebody mended it: the next run sees that, and pods may come, but not on what others have cordoned"):
        stories.others = Runs(pods, healthy(TYPE), tmp_path)
        assert pods.kubectl("cordon", first).returncode == 0
        back = remediate(pods)
        assert back.rc == 0 and cordoned(pods, heir) == (False, "") and cordoned(pods, first) == (True, ""), back.log
        assert pods.kubectl("uncordon", first).returncode == 0


def test_hyperpod_is_asked_by_the_label(pods: EksWorld, stories: Stories, tmp_path: Path) -> None:
    """The test plays HyperPod, which acts, and then takes the label away."""
    forget_repairs(pods.world)
    first, _second = sorted(nodes(pods))
    rebooted: list[str] = []
    stories[first] = Runs(pods, broken(), tmp_path, then=healthy(TYPE), once=lambda: bool(rebooted))
    options = ("-e", json.dumps({**AGREED, "remediation_route": "orchestrator"}))

    def label() -> str:
        return str(nodes(pods)[first]["metadata"]["labels"].get(HEALTH, ""))

    with step("waited for, looked at, and pods may come"):
        run = Started(pods.world, "remediate", *options)
        assert run_until(run, lambda: label() == "UnschedulablePendingReboot"), run.end().log
        assert acts(pods) == [] and cordoned(pods, first) == (True, OURS)
        rebooted.append(first)
        pods.api.merge(f"/api/v1/nodes/{first}", {"metadata": {"labels": {HEALTH: "Schedulable"}}})
        done = run.end()
        assert done.rc == 0 and "remediation-repaired" in codes(done, "note"), done.log
        assert acts(pods) == [] and cordoned(pods, first) == (False, "") and verdicts()[first] == "fit"


def test_the_rights_that_it_needs(pods: EksWorld) -> None:
    (first, *_others) = sorted(nodes(pods))
    arn = pods.person("repairer")
    pods.aws("eks").create_access_entry(clusterName=EKS, principalArn=arn)
    options = {"eks_cluster": EKS, "state": "cordoned", "node_ids": [first.removeprefix("hyperpod-")], "reason": "ticket 4711"}
    rules = [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "patch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
    ]
    of_rbac, meta = "/apis/rbac.authorization.k8s.io/v1", {"metadata": {"name": "repairer"}}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": arn}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "repairer"}
    pods.api.create(f"{of_rbac}/clusterroles", {**meta, "rules": rules[:1]})
    pods.api.create(f"{of_rbac}/clusterrolebindings", {**meta, "roleRef": reference, "subjects": [subject]})
    with step("without a right to see pods nobody knows whether somebody works there"):
        blind = pods.module("kubernetes_nodes", options, "repairer")
        assert "may not list the pods of all namespaces" in blind.get("msg", "") and cordoned(pods, first) == (False, ""), blind

    with step("those that are documented"):
        pods.api.merge(f"{of_rbac}/clusterroles/repairer", {"rules": rules})
        done = pods.module("kubernetes_nodes", options, "repairer")
        assert done["changed"] and cordoned(pods, first) == (True, "ticket 4711"), done
        back = pods.module("kubernetes_nodes", {**options, "state": "uncordoned", "reason": "ticket"}, "repairer")
        assert back["changed"] and cordoned(pods, first) == (False, ""), back
