"""Task governance makes room for Karpenter: Kueue's gates as a setting of the add-on where that offers one, else in Kueue's own file."""

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
    """Kueue's manager, until it is up with that."""
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


def told(run: Run) -> str:
    return " ".join(run.output.split())


def settings(pods: EksWorld) -> dict[str, t.Any]:
    addon = pods.aws("eks").describe_addon(clusterName=EKS, addonName=ADDON)["addon"]
    return dict(json.loads(addon["configurationValues"]))


def gates(pods: EksWorld) -> dict[str, bool]:
    file = pods.seen("configmap", FILE, "--namespace", SYSTEM)["data"]["controller_manager_config.yaml"]
    return dict(yaml.safe_load(file).get("featureGates") or {})


def updates(pods: EksWorld) -> list[str]:
    return [call["operation"] for call in pods.world.calls(mutating=True) if "/addons/" in call["operation"]]


def assert_left_alone(pods: EksWorld) -> None:
    again = karpenter(pods)
    assert (again.rc, again.changed) == (0, 0) and pods.changes() == [] and pods.world.calls(mutating=True) == [], again.log


def test_in_the_file_of_kueue_where_the_addon_offers_nothing(pods: EksWorld) -> None:
    refused = karpenter(pods, karpenter_disables_topology_scheduling=False)
    assert refused.rc == 2 and "topology-aware scheduling: Kueue v0.19.2 has it on" in told(refused), refused.log
    assert pods.changes() == [] and updates(pods) == []
    would = karpenter(pods, "--check", "--diff")
    assert would.rc == 0 and MAY_UNDO in told(would) and pods.changes() == [] and gates(pods) == {}, would.log
    done = karpenter(pods)
    assert done.rc == 0 and MAY_UNDO in told(done) and updates(pods) == [], done.log
    assert gates(pods)["TopologyAwareScheduling"] is False and settings(pods) == {"replicas": 2}
    assert_left_alone(pods)


def test_an_update_of_the_addon_undoes_it_and_the_next_run_sees_that(pods: EksWorld) -> None:
    pods.aws("eks").update_addon(clusterName=EKS, addonName=ADDON, configurationValues='{"replicas": 3}', resolveConflicts="OVERWRITE")
    until(lambda: gates(pods) == {})
    governed = govern(pods)
    assert governed.rc == 0 and governed.status == "degraded" and "which exclude Kueue's topology-aware scheduling" in told(governed), governed.log
    as_it_is = pods.api.get(f"{DEPLOYMENTS}/{MANAGER}")["spec"]["template"]["spec"]["containers"]
    change(pods, {"template": {"spec": {"containers": [{**as_it_is[0], "args": ["--feature-gates=PartialAdmission=true"]}]}}})
    governed = govern(pods)
    assert governed.rc == 0 and governed.status == "degraded" and "can't be turned off: Kueue's manager" in told(governed), governed.log
    change(pods, {"template": {"spec": {"containers": as_it_is}}})
    done = karpenter(pods)
    assert done.rc == 0 and done.changed == 1 and gates(pods)["TopologyAwareScheduling"] is False, done.log
    assert_left_alone(pods)


def test_an_addon_that_does_not_work_with_it_has_its_settings_of_before(pods: EksWorld) -> None:
    pods.world.settings(eks_addon_settings={ADDON: GATES})
    pods.aws("eks").update_addon(clusterName=EKS, addonName=ADDON, configurationValues='{"replicas": 4}', resolveConflicts="OVERWRITE")
    until(lambda: gates(pods) == {})
    pods.world.fault(kind="fail_later", operation=f"POST /clusters/{EKS}/addons/{ADDON}/update", times=1)
    failed = karpenter(pods)
    pods.world.clear_faults()
    assert failed.rc == 2 and "the previous settings of the add-on were restored" in told(failed), failed.log
    assert len(updates(pods)) == 2 and settings(pods) == {"replicas": 4} and gates(pods) == {}


def test_as_a_setting_where_the_addon_offers_one(pods: EksWorld) -> None:
    pods.world.settings(eks_addon_settings={ADDON: GATES})
    pods.aws("eks").update_addon(clusterName=EKS, addonName=ADDON, configurationValues='{"replicas": 2}', resolveConflicts="OVERWRITE")
    until(lambda: gates(pods) == {})
    would = karpenter(pods, "--check", "--diff")
    assert would.rc == 0 and MAY_UNDO not in told(would) and f"add-on {ADDON}" in told(would) and updates(pods) == [], would.log
    done = karpenter(pods)
    assert done.rc == 0 and MAY_UNDO not in told(done) and updates(pods) == [f"POST /clusters/{EKS}/addons/{ADDON}/update"], done.log
    assert settings(pods)["replicas"] == 2 and settings(pods)["featureGates"]["TopologyAwareScheduling"] is False
    assert gates(pods) == settings(pods)["featureGates"]
    assert "configmaps" not in {resource for _verb, resource, _name in pods.changes()}, "the add-on has written it"
    assert_left_alone(pods)
