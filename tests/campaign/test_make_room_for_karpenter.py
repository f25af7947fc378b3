"""Role karpenter disables Kueue's topology-aware scheduling: by a setting of the add-on if it has one, otherwise in Kueue's config file."""

from __future__ import annotations

import json
import typing as t

import pytest
import yaml
from eks_world import EKS, EksWorld, until, workers
from harness import Run
from lab.kueue.governance import ADDON
from lab.kueue.operator import DEPLOYMENTS, FILE, MANAGER, SYSTEM

pytestmark = pytest.mark.slow
GIVEN = {
    "karpenter_node_classes": [{"name": "gpus", "instance_groups": ["auto"]}],
    "karpenter_node_pools": [{"name": "gpus", "node_class": "gpus"}],
    "karpenter_disables_topology_scheduling": True,
}
GATES = {"featureGates": {"type": "object", "additionalProperties": {"type": "boolean"}}}
MAY_UNDO = "An update of the add-on may turn it on again"


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld("1.34") as world:
        world.agent("1.0.1892.0_1.0.424.0")
        world.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("auto", 0)])
        world.karpenter.start()
        world.governance.start()
        world.aws("eks").create_addon(clusterName=EKS, addonName=ADDON, configurationValues='{"replicas": 2}')
        until(lambda: world.kubectl("get", "deployment", MANAGER, "--namespace", SYSTEM).returncode == 0)
        change(world, {"replicas": 1})
        yield world


def change(pods: EksWorld, spec: dict[str, t.Any]) -> None:
    """Change the Deployment of Kueue's manager, and wait until it is available."""
    made = pods.api.merge(f"{DEPLOYMENTS}/{MANAGER}", {"spec": spec})["metadata"]["generation"]

    def is_up() -> bool:
        status = pods.api.get(f"{DEPLOYMENTS}/{MANAGER}")["status"]
        return bool(status.get("observedGeneration", 0) >= made and status.get("replicas") == status.get("availableReplicas") == 1)

    until(is_up)


def govern(pods: EksWorld) -> Run:
    return pods.world.playbook("task_governance", "-e", json.dumps({"task_governance_scheduler": {"fair_share": "Enabled"}}))


def karpenter(pods: EksWorld, *arguments: str, **variables: t.Any) -> Run:
    pods.world.reset_calls()
    pods.reset_changes()
    return pods.world.playbook("karpenter", "-e", json.dumps({**GIVEN, **variables}), *arguments)


def printed(run: Run) -> str:
    return " ".join(run.output.split())


def settings(pods: EksWorld) -> dict[str, t.Any]:
    addon = pods.aws("eks").describe_addon(clusterName=EKS, addonName=ADDON)["addon"]
    return dict(json.loads(addon["configurationValues"]))


def gates(pods: EksWorld) -> dict[str, bool]:
    file = pods.seen("configmap", FILE, "--namespace", SYSTEM)["data"]["controller_manager_config.yaml"]
    return dict(yaml.safe_load(file).get("featureGates") or {})


def updates(pods: EksWorld) -> list[str]:
    return [call["operation"] for call in pods.world.calls(mutating=True) if "/addons/" in call["operation"]]


def assert_unchanged(pods: EksWorld) -> None:
    again = karpenter(pods)
    assert (again.rc, again.changed) == (0, 0) and pods.changes() == [] and pods.world.calls(mutating=True) == [], again.log


def test_kueues_file_is_changed_if_the_addon_has_no_setting(pods: EksWorld) -> None:
    refused = karpenter(pods, karpenter_disables_topology_scheduling=False)
    assert refused.rc == 2 and "topology-aware scheduling: feature gate TopologyAwareScheduling is on" in printed(refused), refused.log
    assert pods.changes() == [] and updates(pods) == []
    would = karpenter(pods, "--check", "--diff")
    assert would.rc == 0 and MAY_UNDO in printed(would) and pods.changes() == [] and gates(pods) == {}, would.log
    done = karpenter(pods)
    assert done.rc == 0 and MAY_UNDO in printed(done) and updates(pods) == [], done.log
    assert gates(pods)["TopologyAwareScheduling"] is False and settings(pods) == {"replicas": 2}
    assert_unchanged(pods)


def test_the_next_run_repeats_a_change_that_an_update_of_the_addon_reverted(pods: EksWorld) -> None:
    pods.aws("eks").update_addon(clusterName=EKS, addonName=ADDON, configurationValues='{"replicas": 3}', resolveConflicts="OVERWRITE")
    until(lambda: gates(pods) == {})
    governed = govern(pods)
    assert governed.rc == 0 and governed.status == "degraded" and "and does not support Kueue's topology-aware scheduling" in printed(governed), governed.log
    containers = pods.api.get(f"{DEPLOYMENTS}/{MANAGER}")["spec"]["template"]["spec"]["containers"]
    change(pods, {"template": {"spec": {"containers": [{**containers[0], "args": ["--feature-gates=PartialAdmission=true"]}]}}})
    governed = govern(pods)
    assert governed.rc == 0 and governed.status == "degraded" and "The run can't turn this scheduling off: Kueue's manager" in printed(governed), governed.log
    change(pods, {"template": {"spec": {"containers": containers}}})
    done = karpenter(pods)
    assert done.rc == 0 and done.changed == 1 and gates(pods)["TopologyAwareScheduling"] is False, done.log
    assert_unchanged(pods)


def test_the_previous_settings_of_the_addon_are_restored_after_a_failed_update(pods: EksWorld) -> None:
    pods.world.settings(eks_addon_settings={ADDON: GATES})
    pods.aws("eks").update_addon(clusterName=EKS, addonName=ADDON, configurationValues='{"replicas": 4}', resolveConflicts="OVERWRITE")
    until(lambda: gates(pods) == {})
    pods.world.fault(kind="fail_later", operation=f"POST /clusters/{EKS}/addons/{ADDON}/update", times=1)
    failed = karpenter(pods)
    pods.world.clear_faults()
    assert failed.rc == 2 and "the previous settings of the add-on were restored" in printed(failed), failed.log
    assert len(updates(pods)) == 2 and settings(pods) == {"replicas": 4} and gates(pods) == {}


def test_a_setting_of_the_addon_is_used_if_it_exists(pods: EksWorld) -> None:
    pods.world.settings(eks_addon_settings={ADDON: GATES})
    pods.aws("eks").update_addon(clusterName=EKS, addonName=ADDON, configurationValues='{"replicas": 2}', resolveConflicts="OVERWRITE")
    until(lambda: gates(pods) == {})
    would = karpenter(pods, "--check", "--diff")
    assert would.rc == 0 and MAY_UNDO not in printed(would) and f"add-on {ADDON}" in printed(would) and updates(pods) == [], would.log
    done = karpenter(pods)
    assert done.rc == 0 and MAY_UNDO not in printed(done) and updates(pods) == [f"POST /clusters/{EKS}/addons/{ADDON}/update"], done.log
    assert settings(pods)["replicas"] == 2 and settings(pods)["featureGates"]["TopologyAwareScheduling"] is False
    assert gates(pods) == settings(pods)["featureGates"]
    assert "configmaps" not in {resource for _verb, resource, _name in pods.changes()}, "only the add-on may write the file"
    assert_unchanged(pods)
