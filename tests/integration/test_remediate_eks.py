# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs of unfit nodes of a cluster with EKS: cordon, wait for pods, repair by AWS, and a check before new pods."""

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
APPROVED = {"remediation_approve": "all"}
Node = dict[str, t.Any]


class Stories(dict[str, Runs]):
    """Programs by the name of the node; other nodes have ``others``."""

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
    programs = Stories()
    programs.others = Runs(pods, healthy(TYPE), tmp_path)
    pods.logs.programs = programs
    (STATE_DIR / "accelerators.json").unlink(missing_ok=True)
    pods.world.reset_calls()
    yield programs
    pods.logs.programs = {}


def nodes(pods: EksWorld) -> dict[str, Node]:
    return {each["metadata"]["name"]: each for each in pods.seen("nodes")["items"]}


def cordoned(pods: EksWorld, name: str) -> tuple[bool, str]:
    """Whether a node is cordoned, and the reason if we cordoned it."""
    node = nodes(pods)[name]
    return node["spec"].get("unschedulable", False), node["metadata"].get("annotations", {}).get(CORDONED_FOR, "")


def remediate(pods: EksWorld, *arguments: str, **variables: t.Any) -> Run:
    return pods.world.playbook("remediate", "-e", json.dumps(variables), *arguments)


def acts(pods: EksWorld) -> list[str]:
    return [each["operation"] for each in pods.world.calls(mutating=True) if each["operation"].startswith("Batch")]


def verdicts() -> dict[str, str]:
    document = json.loads((STATE_DIR / "accelerators.json").read_text())
    return {f"hyperpod-{iid}": node["verdict"] for iid, node in document["clusters"]["ml"]["nodes"].items()}


def test_a_node_is_rebooted_after_its_pods_have_ended(pods: EksWorld, stories: Stories, tmp_path: Path) -> None:
    first, second = sorted(nodes(pods))
    with step("a healthy fleet needs no repair"):
        well = remediate(pods, **APPROVED)
        assert (well.rc, acts(pods)) == (0, []) and "No node of ml needs a repair." in well.log, well.log

    def rebooted() -> bool:
        return "BatchRebootClusterNodes" in acts(pods)

    stories[first] = Runs(pods, broken(), tmp_path, then=healthy(TYPE), once=rebooted)
    container = {"name": "a", "image": "registry.k8s.io/pause:3.10", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    pods.api.create(PODS, {"metadata": {"name": "train"}, "spec": {"nodeName": first, "containers": [container]}})
    with step("without approval there is only a plan"):
        shown = remediate(pods)
        assert shown.rc == 0 and codes(shown, "pending") == ["remediation-unapproved"], shown.log
        (plan,) = set(re.findall(r"-e\s+remediation_approve=(ml:[0-9a-f]{8})", " ".join(shown.log.split())))
        assert cordoned(pods, first) == (False, "") and acts(pods) == []

    with step("the node is cordoned, and its training pod is not evicted"):
        waits = remediate(pods, remediation_approve=plan, remediation_jobs_timeout=3)
        assert waits.rc == 2 and "remediation-waits" in codes(waits, "pending"), waits.log
        assert "there are pods on it: default/train" in " ".join(waits.log.split()), waits.log
        assert cordoned(pods, first) == (True, OURS) and cordoned(pods, second) == (False, "")
        assert pods.seen("pod", "train")["metadata"]["name"] == "train" and acts(pods) == []
        refused = remediate(pods, remediation_approve=plan, remediation_jobs="refuse")
        assert refused.rc == 2 and "nodes to cordon: default/train" in " ".join(refused.log.split()) and acts(pods) == [], refused.log
    pods.api.delete(f"{PODS}/train", {"gracePeriodSeconds": 0})

    with step("the node is rebooted, checked again, and uncordoned"):
        done = remediate(pods, remediation_approve=plan)
        assert done.rc == 0 and "remediation-repaired" in codes(done, "note"), done.log
        assert acts(pods) == ["BatchRebootClusterNodes"] and set(verdicts().values()) == {"fit"}
        assert cordoned(pods, first) == (False, "")

    with step("a second run changes nothing"):
        again = remediate(pods, **APPROVED)
        assert (again.rc, again.changed) == (0, 0) and len(acts(pods)) == 1, again.log


def test_a_replaced_node_gets_no_pods_until_it_is_fit(pods: EksWorld, stories: Stories, tmp_path: Path) -> None:
    first, second = sorted(nodes(pods))
    stories[second] = Runs(pods, doomed(), tmp_path)
    stories.others = Runs(pods, doomed(), tmp_path)
    stories[first] = Runs(pods, healthy(TYPE), tmp_path)
    with step("the run does not interfere with a repair by HyperPod"):
        pods.api.merge(f"/api/v1/nodes/{second}", {"metadata": {"labels": {HEALTH: "UnschedulablePendingReplacement"}}})
        held = remediate(pods, **APPROVED)
        assert held.rc == 0 and codes(held, "pending") == ["remediation-waits"] and acts(pods) == [], held.log
        pods.api.merge(f"/api/v1/nodes/{second}", {"metadata": {"labels": {HEALTH: "Schedulable"}}})

    with step("check mode changes nothing"):
        planned = remediate(pods, "--check", "--diff", **APPROVED)
        assert cordoned(pods, second) == (False, "") and acts(pods) == [], planned.log

    with step("the replacement is unfit, too, and stays cordoned"):
        done = remediate(pods, **APPROVED)
        (replacement,) = set(nodes(pods)) - {first, second}
        assert done.rc == 2 and codes(done, "failure") == ["remediation-unfit"], done.log
        assert acts(pods) == ["BatchReplaceClusterNodes"] and second not in nodes(pods)
        assert f"replaced by {replacement.removeprefix('hyperpod-')}, but is still unfit" in " ".join(done.log.split()), done.log
        assert cordoned(pods, replacement) == (True, OURS)

    with step("the next run uncordons a node that a person repaired, but not one that others cordoned"):
        stories.others = Runs(pods, healthy(TYPE), tmp_path)
        assert pods.kubectl("cordon", first).returncode == 0
        back = remediate(pods)
        assert back.rc == 0 and cordoned(pods, replacement) == (False, "") and cordoned(pods, first) == (True, ""), back.log
        assert pods.kubectl("uncordon", first).returncode == 0


def test_a_repair_can_be_requested_by_the_label(pods: EksWorld, stories: Stories, tmp_path: Path) -> None:
    """The test acts as HyperPod, which repairs the node and then resets the label."""
    forget_repairs(pods.world)
    first, _second = sorted(nodes(pods))
    rebooted: list[str] = []
    stories[first] = Runs(pods, broken(), tmp_path, then=healthy(TYPE), once=lambda: bool(rebooted))
    options = ("-e", json.dumps({**APPROVED, "remediation_route": "orchestrator"}))

    def label() -> str:
        return str(nodes(pods)[first]["metadata"]["labels"].get(HEALTH, ""))

    with step("the run waits for the repair, checks the node, and uncordons it"):
        run = Started(pods.world, "remediate", *options)
        assert run_until(run, lambda: label() == "UnschedulablePendingReboot"), run.end().log
        assert acts(pods) == [] and cordoned(pods, first) == (True, OURS)
        rebooted.append(first)
        pods.api.merge(f"/api/v1/nodes/{first}", {"metadata": {"labels": {HEALTH: "Schedulable"}}})
        done = run.end()
        assert done.rc == 0 and "remediation-repaired" in codes(done, "note"), done.log
        assert acts(pods) == [] and cordoned(pods, first) == (False, "") and verdicts()[first] == "fit"


def test_the_documented_rights_are_needed_and_sufficient(pods: EksWorld) -> None:
    (first, *_others) = sorted(nodes(pods))
    arn = pods.person("repairer")
    pods.aws("eks").create_access_entry(clusterName=EKS, principalArn=arn)
    options = {"eks_cluster": EKS, "state": "cordoned", "node_ids": [first.removeprefix("hyperpod-")], "reason": "ticket 4711"}
    rules = [
        {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list", "patch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
    ]
    rbac, meta = "/apis/rbac.authorization.k8s.io/v1", {"metadata": {"name": "repairer"}}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": arn}
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "repairer"}
    pods.api.create(f"{rbac}/clusterroles", {**meta, "rules": rules[:1]})
    pods.api.create(f"{rbac}/clusterrolebindings", {**meta, "roleRef": reference, "subjects": [subject]})
    with step("without the right to list pods a node is not cordoned"):
        blind = pods.module("kubernetes_nodes", options, "repairer")
        assert "may not list the Pods of all namespaces" in blind.get("msg", "") and cordoned(pods, first) == (False, ""), blind

    with step("the documented rights are sufficient"):
        pods.api.merge(f"{rbac}/clusterroles/repairer", {"rules": rules})
        done = pods.module("kubernetes_nodes", options, "repairer")
        assert done["changed"] and cordoned(pods, first) == (True, "ticket 4711"), done
        back = pods.module("kubernetes_nodes", {**options, "state": "uncordoned", "reason": "ticket"}, "repairer")
        assert back["changed"] and cordoned(pods, first) == (False, ""), back
