# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of clusters, Kubernetes and instance groups that Karpenter does not support."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.keda import Keda
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.model import (
    InKubernetes,
    Requested,
    ScaledGroup,
    State,
    Trigger,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.kueue import TopologyAware

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
EKS = {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111111111111:cluster/pods"}}
TYPE, ZONE = "ml.g5.8xlarge", "us-west-2a"
AGENT = "1.0.742.0_1.0.241.0"


def cluster(**more: t.Any) -> Cluster:
    return Cluster.from_api(
        {"ClusterArn": ARN, "ClusterName": "ml", "Orchestrator": EKS, "NodeProvisioningMode": "Continuous", **more}
    )


def group(name: str = "a", **more: t.Any) -> ScaledGroup:
    made = ScaledGroup(name, 0, (TYPE,), flexible=False, zones=(ZONE,), deep_health_checks=(), training_plan="")
    return dataclasses.replace(made, **more)


FLEXIBLE = group(zones=(ZONE, "us-west-2b"), flexible=True, types=(TYPE, "ml.g6.8xlarge"))


def kubernetes(**more: t.Any) -> InKubernetes:
    return dataclasses.replace(InKubernetes(AGENT, {}, {}, TopologyAware(False, "Kueue is not there")), **more)


def state(*groups: ScaledGroup, **more: t.Any) -> State:
    there = {each.name: each for each in groups or (group(),)}
    return dataclasses.replace(State(cluster(), "Automatic", there, frozenset({(TYPE, ZONE)}), kubernetes()), **more)


def unmet(found: State, *names: str) -> dict[str, str]:
    requested = Requested(ARN, "gpus", names or tuple(found.groups))
    return {each.name: each.found for each in judge(requested, found) if each.met is False}


def test_a_suitable_cluster_meets_all_requirements() -> None:
    found = judge(Requested(ARN, "gpus", ("a",)), state())
    assert [each.met for each in found] == [True] * len(found) and len({each.name for each in found}) == 13
    assert all(each.remedy.endswith(".") for each in found)


@pytest.mark.parametrize(
    ("found", "named"),
    [
        (state(cluster=cluster(NodeProvisioningMode="")), {"node provisioning mode": "none"}),
        (state(node_recovery="None"), {"node recovery": "None"}),
        (state(node_recovery=""), {}),
        (state(kubernetes=kubernetes(agent=None)), {"health monitoring agent": "missing"}),
        (state(kubernetes=kubernetes(agent="1.0.741.9_1.0.999.0")), {"health monitoring agent": "1.0.741.9_1.0.999.0"}),
        (state(kubernetes=kubernetes(agent="1.0.1892.0_1.0.424.0")), {}),
        (state(kubernetes=kubernetes(agent="latest")), {}),
        (
            state(
                kubernetes=kubernetes(
                    definitions={"nodepools.karpenter.sh": ("v1beta1",), "nodeclaims.karpenter.sh": ("v1", "v1beta1")}
                )
            ),
            {"Karpenter's definitions": "nodepools.karpenter.sh serves v1beta1"},
        ),
        (
            state(kubernetes=kubernetes(topology_aware=TopologyAware(True, "the gate is on"))),
            {"topology-aware scheduling": "the gate is on"},
        ),
        (state(group(nodes=3)), {"nodes of new groups": "a has 3"}),
        (state(group(nodes=3), kubernetes=kubernetes(node_classes={"other": ("a",)})), {}),
        (state(group(nodes=3), kubernetes=kubernetes(node_classes={"gpus": ("a",)}), scales=False), {"nodes of new groups": "a has 3"}),
        (state(group(nodes=0), scales=False), {}),
        (
            state(group(zones=(ZONE, "us-west-2b")), offered=frozenset({(TYPE, ZONE), (TYPE, "us-west-2b")})),
            {"zones": "a is in us-west-2a, us-west-2b"},
        ),
        (state(FLEXIBLE), {}),
        (state(FLEXIBLE, offered=frozenset({("ml.g6.8xlarge", "us-west-2b")})), {}),
        (
            state(FLEXIBLE, offered=frozenset({(TYPE, "us-west-2c"), ("ml.p5.48xlarge", ZONE)})),
            {"offerings": f"a: none of {TYPE}, ml.g6.8xlarge is offered in {ZONE}, us-west-2b"},
        ),
        (state(dataclasses.replace(FLEXIBLE, zones=())), {}),
        (state(group(zones=())), {"zones": "a is in no known zone"}),
        (state(group(deep_health_checks=("InstanceStress",))), {"deep health checks": "a has InstanceStress"}),
        (state(group(training_plan="arn:plan")), {"training plans": "a has arn:plan"}),
        (state(offered=frozenset()), {"offerings": f"{TYPE} is not offered in {ZONE}"}),
    ],
)
def test_only_unmet_requirements_are_reported(found: State, named: dict[str, str]) -> None:
    assert unmet(found) == named


def test_a_group_is_new_until_the_autoscaler_manages_it() -> None:
    classes = kubernetes(node_classes={"gpus": ("a",)})
    for found, new in ((state(), True), (state(kubernetes=classes), False), (state(kubernetes=classes, scales=False), True)):
        assert [each["new"] for each in found.group_results()] == [new]


def test_missing_groups_and_too_many_groups_are_reported() -> None:
    names = tuple(f"g{number}" for number in range(11))
    found = state(*(group(name) for name in names[:9]))
    assert unmet(found, *names) == {"instance groups": "g9 does not exist; g10 does not exist", "number of groups": "11"}
    assert unmet(state(*(group(name) for name in names[:10]))) == {}


def test_a_missing_group_of_a_node_class_is_reported() -> None:
    there = kubernetes(node_classes={"gpus": ("a", "b")})
    (found,) = [each for each in judge(Requested(ARN, "gpus", ("a", "b")), state(kubernetes=there)) if each.met is False]
    assert (found.name, found.found) == ("instance groups", "b of NodeClass gpus no longer exists")
    assert found.remedy == "Add the groups to the cluster's definition, or remove them from NodeClass gpus."


def test_a_slurm_cluster_has_no_further_requirements() -> None:
    found = state(cluster=cluster(Orchestrator={"Slurm": {}}), kubernetes=None)
    (only,) = judge(Requested(ARN, "gpus", ("a",)), found)
    assert (only.name, only.met, only.found) == ("orchestrator", False, "slurm")


def test_the_requirement_is_unknown_for_an_agent_without_a_version() -> None:
    found = judge(Requested(ARN, "gpus", ("a",)), state(kubernetes=kubernetes(agent="latest")))
    assert [each.name for each in found if each.met is None] == ["health monitoring agent"]


OPERATOR, NO_ROLE = "keda/keda-operator", {"KEDA's identity": "none for keda/keda-operator"}
QUEUE, WATCHED, PROMETHEUS = map(Trigger, ("aws-sqs-queue", "aws-cloudwatch", "prometheus"))
OWN = Trigger("aws-sqs-queue", authenticated=True)


@pytest.mark.parametrize(
    ("keda", "triggers", "expected", "unknown"),
    [
        (Keda(True, OPERATOR, "arn"), (QUEUE,), {}, set()),
        (Keda(False, "", ""), (PROMETHEUS,), {"KEDA": "missing"}, set()),
        (Keda(True, "", ""), (QUEUE,), {"KEDA": "no operator"}, set()),
        (Keda(True, OPERATOR, ""), (PROMETHEUS,), {}, set()),
        (Keda(True, OPERATOR, ""), (WATCHED, PROMETHEUS), NO_ROLE, set()),
        (Keda(True, OPERATOR, ""), (OWN, PROMETHEUS), {}, set()),
        (Keda(True, OPERATOR, ""), (OWN, QUEUE), NO_ROLE, set()),
        (Keda(True, OPERATOR, None), (WATCHED,), {}, {"KEDA's identity"}),
        (Keda(True, OPERATOR, None), (OWN,), {}, set()),
    ],
)
def test_keda_is_required_if_triggers_need_it(keda: Keda, triggers: tuple[Trigger, ...], expected: dict[str, str], unknown: set[str]) -> None:
    found = judge(Requested(ARN, "gpus", ("a",), triggers), state(kubernetes=kubernetes(keda=keda)))
    assert {each.name: each.found for each in found if each.met is False} == expected
    assert {each.name for each in found if each.met is None} == unknown


def test_each_trigger_type_that_needs_the_operator_is_named_once() -> None:
    found = judge(Requested(ARN, "gpus", ("a",), (QUEUE, OWN, WATCHED, QUEUE)), state(kubernetes=kubernetes(keda=Keda(True, OPERATOR, ""))))
    assert [each.needed for each in found if each.name == "KEDA's identity"] == ["an IAM role for aws-sqs-queue, aws-cloudwatch"]
