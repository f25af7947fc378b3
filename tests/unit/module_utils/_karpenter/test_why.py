# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a pod has no node: each cause, and which one is reported if there are several."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.events import Failed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.causes import Cause
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import LaunchFailure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.outside import LowQuota
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.pods import Pod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.why import Reasons, why
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import GROUP, TYPE, ZONE
from karpenter_objects import (
    CPU,
    EARLY,
    G5,
    GPU,
    LATE,
    P5,
    A,
    B,
    claim,
    conditions,
    gpus,
    group,
    inside,
    node,
    node_class,
    outside,
    pod,
    pool,
    stuck,
)

TAINT = {"key": "team", "value": "x", "effect": "NoSchedule"}
LOW = {(G5, False): LowQuota("ml.g5.8xlarge for cluster usage", 4, 4.0)}
FAILED = {"g5": Failed(LATE, "We have no ml.g5.8xlarge in us-west-2a")}


def requirement(key: str, *values: str, operator: str = "In") -> dict[str, t.Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def affine(*terms: t.Any) -> dict[str, t.Any]:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def cause(*given: t.Any, of: Pod | None = None, out: t.Any = None, **more: t.Any) -> Cause:
    within = inside(*given, **more)
    found = why(of or within.pods[0], within, out or outside())
    assert found is not None
    return found


def test_a_pod_that_could_have_a_node_has_an_unknown_cause() -> None:
    found = cause(pod(message="0/1 nodes are available: 1 Too many pods."))
    assert found.code == "unknown"
    assert found.text == "Pod ns/a has no node, and no known cause applies. The scheduler reports: 0/1 nodes are available: 1 Too many pods."


def test_pods_that_are_not_waiting_have_no_cause() -> None:
    assert why(pod(nodeName="n"), inside(), outside()) is None
    leaving = pod(meta={"deletionTimestamp": LATE})
    assert why(leaving, inside(leaving), outside()) is None
    fresh = Pod.of({"metadata": {"name": "a", "namespace": "ns"}, "spec": {"containers": []}})
    assert why(fresh, inside(fresh), outside()) is None


class TestTaint:
    def test_the_cause_is_named(self) -> None:
        found = cause(pools=[pool(taints=[TAINT])])
        assert (found.code, found.text) == ("taint", "Pod ns/a does not tolerate taint team=x:NoSchedule of NodePool gpus.")
        assert "toleration" in found.next_step

    def test_a_taint_may_have_only_a_key(self) -> None:
        assert "taint dedicated:NoExecute of" in cause(pools=[pool(taints=[{"key": "dedicated", "effect": "NoExecute"}])]).text

    @pytest.mark.parametrize(
        ("toleration", "code"),
        [
            ({"key": "team", "operator": "Equal", "value": "x", "effect": "NoSchedule"}, "unknown"),
            ({"key": "team", "value": "x"}, "unknown"),
            ({"key": "team", "operator": "Exists"}, "unknown"),
            ({"operator": "Exists"}, "unknown"),
            ({"key": "team", "value": "y"}, "taint"),
            ({"key": "team"}, "taint"),
            ({"key": "other", "operator": "Exists"}, "taint"),
            ({"key": "team", "operator": "Exists", "effect": "NoExecute"}, "taint"),
        ],
    )
    def test_tolerations_are_evaluated(self, toleration: t.Any, code: str) -> None:
        assert cause(pod(tolerations=[toleration]), pools=[pool(taints=[TAINT])]).code == code

    def test_a_prefer_no_schedule_taint_is_ignored(self) -> None:
        assert cause(pools=[pool(taints=[{**TAINT, "effect": "PreferNoSchedule"}])]).code == "unknown"

    def test_another_pool_without_the_taint_is_sufficient(self) -> None:
        assert cause(pools=[pool("a", taints=[TAINT]), pool("b")]).code == "unknown"

    def test_only_pools_with_matching_requirements_count(self) -> None:
        """Tolerating the taint of the other pool would not help."""
        other = pool("cpu", requirements=[requirement(TYPE, CPU)], taints=[TAINT])
        found = cause(pod(nodeSelector={TYPE: P5}), pools=[other], out=outside(group("g5", CPU)))
        assert found.code == "requirements"


class TestRequirements:
    @pytest.mark.parametrize(
        ("spec", "asks"),
        [
            ({"nodeSelector": {TYPE: P5}}, f"{TYPE}={P5}"),
            ({"nodeSelector": {ZONE: B}}, f"{ZONE}={B}"),
            ({"nodeSelector": {"team": "x"}}, "team=x"),
            ({"nodeSelector": {GROUP: "p5"}}, f"{GROUP}=p5"),
            ({"nodeSelector": {"kubernetes.io/hostname": "n"}}, "kubernetes.io/hostname=n"),
            ({"nodeSelector": {"kubernetes.io/arch": "arm64"}}, "kubernetes.io/arch=arm64"),
            ({"affinity": affine({"matchExpressions": [requirement(TYPE, P5)]})}, f"labels for its node affinity ({TYPE} In {P5})"),
            (
                {"affinity": affine({"matchExpressions": [requirement(ZONE, A, operator="NotIn"), requirement("x", operator="Exists")]})},
                f"labels for its node affinity ({ZONE} NotIn {A} and x Exists)",
            ),
            (
                {"affinity": affine({"matchFields": [requirement("metadata.name", "n")]})},
                "labels for its node affinity (metadata.name In n)",
            ),
        ],
    )
    def test_requirements_that_no_pool_meets_are_named(self, spec: t.Any, asks: str) -> None:
        found = cause(pod(**spec))
        assert (found.code, found.text) == ("requirements", f"Pod ns/a requires {asks}, which no node of any NodePool (gpus) has.")

    @pytest.mark.parametrize(
        "spec",
        [
            {"nodeSelector": {TYPE: G5, ZONE: A, GROUP: "g5", "kubernetes.io/arch": "amd64"}},
            {"nodeSelector": {"sagemaker.amazonaws.com/node-health-status": "Schedulable"}},
            {"affinity": affine({"matchExpressions": [requirement(TYPE, P5)]}, {"matchExpressions": [requirement(TYPE, G5)]})},
        ],
    )
    def test_requirements_that_a_pool_meets_are_no_cause(self, spec: t.Any) -> None:
        assert cause(pod(**spec)).code == "unknown"

    def test_labels_of_the_pool_count(self) -> None:
        assert cause(pod(nodeSelector={"team": "x"}), pools=[pool(labels={"team": "x"})]).code == "unknown"

    def test_each_zone_and_type_of_a_flexible_group_counts(self) -> None:
        out = outside(group("g5", G5, P5, zones=(A, B)))
        assert cause(pod(nodeSelector={TYPE: P5, ZONE: B}), out=out).code == "unknown"

    def test_requirements_of_the_pool_exclude_types_of_the_group(self) -> None:
        out = outside(group("g5", G5, P5))
        assert cause(pod(nodeSelector={TYPE: P5}), pools=[pool(requirements=[requirement(TYPE, G5)])], out=out).code == "requirements"

    def test_no_group_may_match_the_requirements_of_the_pool(self) -> None:
        found = cause(pools=[pool(requirements=[requirement(ZONE, B)])])
        assert (found.code, found.text) == ("requirements", "No instance group meets the requirements of any NodePool (gpus).")

    def test_requirements_must_be_met_together(self) -> None:
        out = outside(group("g5"), group("p5", P5, zones=(B,)))
        found = cause(pod(nodeSelector={TYPE: P5, ZONE: A}), classes=(node_class("g5", "p5"),), out=out)
        assert found.text.startswith(f"Pod ns/a requires {TYPE}={P5}, {ZONE}={A}, but no node of any NodePool (gpus) has all of these.")

    def test_a_request_larger_than_a_node_is_named(self) -> None:
        seen = {"n": node("n", **{GPU: "1", "memory": "128Gi"})}
        assert "requires 8 nvidia.com/gpu, which no node" in cause(pod(containers=[gpus(8)]), nodes=seen).text
        big = {"resources": {"requests": {"memory": "1Ti"}}}
        assert "requires 1024Gi of memory, which no node" in cause(pod(containers=[big]), nodes=seen).text
        assert cause(pod(containers=[gpus(1)]), nodes=seen).code == "unknown"

    def test_a_resource_that_no_node_has_is_named(self) -> None:
        assert "requires 1 nvidia.com/gpu, which" in cause(nodes={"n": node("n")}).text

    def test_an_unknown_node_capacity_is_no_cause(self) -> None:
        assert cause(pod(containers=[gpus(64)])).code == "unknown"
        unready = dataclasses.replace(node("n"), status=node_class(ready="no").status)
        assert cause(pod(containers=[gpus(64)]), nodes={"n": unready}).code == "unknown"

    def test_a_missing_pool_is_the_cause(self) -> None:
        assert cause(pools=[]).text == "No NodePool exists, so Karpenter adds no nodes."
        going = pool(meta={"deletionTimestamp": LATE})
        assert cause(pools=[going]).text.startswith("No NodePool exists")
        assert cause(pools=[], out=outside(mode="Disable", status="")).code == "autoscaling"


class TestLimits:
    def test_claims_use_limits(self) -> None:
        there = (claim("x", gpu=1, Launched=True, Registered=True, Initialized=True),)
        found = cause(pools=[pool(limits={GPU: "1"})], claims=there)
        assert found.code == "limits"
        assert found.text == "NodePool gpus is limited to 1 nvidia.com/gpu and uses 1 nvidia.com/gpu; another node would exceed the limit."

    def test_the_whole_node_counts_for_the_limit(self) -> None:
        seen = {"n": node("n", P5, **{GPU: "8"})}
        found = cause(pools=[pool(limits={GPU: "4"})], nodes=seen, out=outside(group("g5", P5)))
        assert found.text.startswith("NodePool gpus is limited to 4 nvidia.com/gpu and uses 0 nvidia.com/gpu;")

    def test_the_first_node_of_a_type_counts_for_the_limit(self) -> None:
        cpu = {"resources": {"requests": {"cpu": "4"}}}
        pools, p5 = [pool(limits={GPU: "4"})], group("g5", P5)
        found = cause(pod(containers=[cpu]), pools=pools, out=outside(p5))
        assert found.text.startswith("NodePool gpus is limited to 4 nvidia.com/gpu and uses 0 nvidia.com/gpu;")
        assert cause(pod(containers=[cpu]), pools=pools, out=outside(group("g5", P5, CPU))).code == "unknown"
        assert cause(pod(containers=[cpu]), pools=[pool(limits={GPU: "8"})], out=outside(p5)).code == "unknown"

    @pytest.mark.parametrize(
        ("kind", "limits"),
        [
            (P5, {"vpc.amazonaws.com/efa": "31"}),
            ("ml.trn2.48xlarge", {"aws.amazon.com/neuron": "15"}),
            (P5, {"cpu": "1"}),
            (P5, {GPU: "16"}),
        ],
    )
    def test_the_first_node_counts_with_the_known_amounts_of_its_type_and_of_the_pod(self, kind: str, limits: t.Any) -> None:
        asks = {"resources": {"requests": {"cpu": "2", GPU: "17"}}}
        assert cause(pod(containers=[asks]), pools=[pool(limits=limits)], out=outside(group("g5", kind))).code == "limits"

    def test_nodes_being_deleted_count(self) -> None:
        there = (claim("x", gpu=1, Initialized=True, meta={"deletionTimestamp": LATE}),)
        assert cause(pools=[pool(limits={"nodes": "1"})], claims=there).code == "limits"

    def test_nodes_of_other_pools_do_not_count(self) -> None:
        there = (claim("x", of="other", gpu=1, Initialized=True),)
        assert cause(pools=[pool(limits={GPU: "1", "nodes": "1", "memory": "1Ti"})], claims=there).code == "unknown"

    def test_another_pool_within_its_limits_is_sufficient(self) -> None:
        assert cause(pools=[pool("a", limits={"nodes": "0"}, weight=9), pool("b")]).code == "unknown"
        assert "NodePool a is limited to 0 nodes" in cause(pools=[pool("b", limits={"nodes": "0"}), pool("a", limits={"nodes": "0"}, weight=9)]).text

    def test_a_node_being_created_is_within_the_limits(self) -> None:
        there = (claim("x", gpu=1, Launched=True),)
        first, second = pod("a"), pod("b")
        both = inside(first, second, pools=[pool(limits={GPU: "1"})], claims=there)
        reasons = Reasons(both, outside())
        assert [reasons.why(each).code for each in (first, second)] == ["on-its-way", "limits"]


class TestNodeClass:
    def test_the_message_of_the_class_is_reported(self) -> None:
        found = cause(classes=(node_class(ready="Instance groups not found: none"),))
        assert (found.code, found.text) == ("node-class", "HyperpodNodeClass gpus is not Ready: Instance groups not found: none.")

    def test_a_class_without_a_status_is_reported(self) -> None:
        assert cause(classes=(node_class(ready=None),)).text.endswith("is not Ready: no reason is reported yet.")

    def test_a_missing_class_is_reported(self) -> None:
        assert cause(classes=()).text == "NodePool gpus refers to HyperpodNodeClass gpus, which does not exist."

    def test_a_pool_that_is_not_ready_is_reported(self) -> None:
        found = cause(pools=[pool(ready="karpenter.sh/capacity-type")])
        assert (found.code, found.text) == ("node-class", "NodePool gpus is not Ready: karpenter.sh/capacity-type.")

    def test_another_ready_pool_is_sufficient(self) -> None:
        classes = (node_class(ready="wrong"), node_class(name="good"))
        assert cause(pools=[pool("a", weight=9), pool("b", node_class="good")], classes=classes).code == "unknown"

    def test_a_missing_group_could_have_had_any_type(self) -> None:
        classes = (node_class("g5", "gone", ready="Instance groups not found: gone"),)
        assert cause(pod(nodeSelector={TYPE: P5}), classes=classes).code == "node-class"


class TestAutoScaling:
    @pytest.mark.parametrize(
        ("out", "message"),
        [
            (outside(status="Failed", failure="Role can't be assumed."), "Failed instead of InService: Role can't be assumed."),
            (outside(status="Creating"), "Creating instead of InService: AWS has not finished the change."),
            (outside(mode="Disable", status=""), "missing instead of InService: it is switched off."),
        ],
    )
    def test_the_state_of_the_autoscaler_is_reported(self, out: t.Any, message: str) -> None:
        found = cause(out=out)
        assert (found.code, found.text) == ("autoscaling", f"The autoscaler of cluster ml is {message}")

    def test_the_autoscaler_precedes_the_node_class(self) -> None:
        assert cause(classes=(node_class(ready=None),), out=outside(status="Creating")).code == "autoscaling"

    def test_the_autoscaler_precedes_the_node_pool(self) -> None:
        changed = pool(meta={"generation": 2}, observed=1)
        assert cause(pools=[changed], out=outside(mode="Disable", status="")).code == "autoscaling"
        found = cause(pools=[changed])
        assert (found.code, found.text) == ("node-class", "NodePool gpus is not Ready: its last change was not processed yet.")


class TestQuota:
    def test_the_cause_is_named(self) -> None:
        found = cause(out=outside(low_quotas=LOW))
        assert found.code == "quota" and "quota ml.g5.8xlarge for cluster usage does not allow: 4 of 4 are in use." in found.text

    def test_another_type_of_the_group_with_quota_is_sufficient(self) -> None:
        assert cause(out=outside(group("g5", G5, P5), low_quotas=LOW)).code == "unknown"

    @pytest.mark.parametrize("failures", [{}, FAILED])
    def test_another_type_that_does_not_match_is_not_sufficient(self, failures: t.Any) -> None:
        """Neither if the pod requires one type, nor if its NodePool allows one, nor for a node that is being created."""
        out = outside(group("g5", G5, P5), low_quotas={(G5, False): LowQuota("q", 5, 4.0)}, failures=failures)
        asks = pod(nodeSelector={TYPE: G5})
        assert cause(asks, out=out).code == "quota"
        assert cause(pools=[pool(requirements=[requirement(TYPE, G5)])], out=out).code == "quota"
        assert cause(asks, claims=(claim("x", kind=""),), out=out).code == "quota"
        assert cause(pod(nodeSelector={TYPE: P5}), out=out).code == ("capacity" if failures else "unknown")

    def test_spot_instances_have_their_own_quota(self) -> None:
        assert cause(out=outside(group(spot=True), low_quotas=LOW)).code == "unknown"

    def test_a_node_being_created_counts_for_the_quota(self) -> None:
        there = (claim("x", Launched=True),)
        assert cause(claims=there, out=outside(low_quotas=LOW)).code == "on-its-way"
        above = {(G5, False): LowQuota("q", 5, 4.0)}
        assert cause(claims=there, out=outside(low_quotas=above)).code == "quota"


class TestCapacity:
    def test_a_failure_event_of_the_cluster_is_reported(self) -> None:
        found = cause(out=outside(failures=FAILED))
        assert found.text == "AWS launched no node of instance group g5: We have no ml.g5.8xlarge in us-west-2a."
        assert found.code == "capacity"

    def test_an_event_from_before_the_pod_is_ignored(self) -> None:
        assert cause(out=outside(failures={"g5": Failed(EARLY, "none")})).code == "unknown"

    def test_an_event_of_another_group_is_ignored(self) -> None:
        assert cause(out=outside(failures={"p5": Failed(LATE, "none")})).code == "unknown"

    def test_failed_claims_that_are_gone_are_reported(self) -> None:
        failed = (LaunchFailure("gpus", EARLY, "old"), LaunchFailure("gpus", LATE, "InvalidInstanceGroupStatus: g5 is Updating"))
        found = cause(launch_failures=failed)
        assert found.text == "AWS launched no node of NodePool gpus (instance groups: g5): InvalidInstanceGroupStatus: g5 is Updating."
        assert cause(launch_failures=(LaunchFailure("other", LATE, "x"),)).code == "unknown"

    def test_a_claim_without_capacity_is_reported(self) -> None:
        found = cause(claims=(claim(Launched="no capacity in us-west-2a"),))
        assert found.text == "AWS launched no node of instance group g5: no capacity in us-west-2a."

    def test_an_event_about_the_node_being_created_is_reported(self) -> None:
        there = (claim(Launched=True),)
        assert cause(claims=there, out=outside(failures=FAILED)).code == "capacity"
        assert cause(claims=there, out=outside(failures={"g5": Failed("2026-10-04T07:59:59Z", "old")})).code == "on-its-way"


class TestOnItsWay:
    def test_the_claim_is_named(self) -> None:
        found = cause(claims=(claim(Launched=True),))
        assert found.code == "on-its-way"
        assert found.text == f"A node for Pod ns/a is starting: NodeClaim gpus-1 of instance group g5 was created at {EARLY} and is launched."

    def test_a_claim_without_a_status_is_on_its_way(self) -> None:
        young = claim()
        there = {"conditions": [{"type": "Launched", "status": "Unknown", "reason": "AwaitingReconciliation", "message": "awaiting"}]}
        young = dataclasses.replace(young, status=type(young.status).of({"metadata": {}, "status": there}))
        assert cause(claims=(young,)).code == "on-its-way"

    @pytest.mark.parametrize(
        "other",
        [
            claim(Launched=True, meta={"deletionTimestamp": LATE}),
            claim(Launched=True, Registered=True, Initialized=True),
            claim(of="other", Launched=True),
            claim(group="p5", kind=P5, Launched=True),
        ],
    )
    def test_claims_for_other_pods_do_not_count(self, other: t.Any) -> None:
        assert cause(claims=(other,)).code == "unknown"

    def test_each_new_node_takes_the_pods_that_fit(self) -> None:
        pods = [pod(name) for name in "abc"]
        there = (claim("x", gpu=1, Launched=True), claim("y", gpu=1, Launched=True))
        reasons = Reasons(inside(*pods, claims=there), outside())
        assert [reasons.why(each).code for each in pods] == ["on-its-way", "on-its-way", "unknown"]

    def test_pods_already_on_the_node_take_room(self) -> None:
        there = (claim("x", gpu=1, node="n", Launched=True, Registered=True),)
        assert cause(pod(), pod("b", nodeName="n"), claims=there).code == "unknown"


class TestAfterThat:
    @pytest.mark.parametrize(
        ("reason", "code"),
        [("ImagePullBackOff", "image"), ("ErrImagePull", "image"), ("CrashLoopBackOff", "container"), ("CreateContainerConfigError", "container")],
    )
    def test_containers_that_do_not_start_are_reported(self, reason: str, code: str) -> None:
        found = cause(of=stuck(reason, "why"))
        assert found.code == code and "Pod ns/a is on node n" in found.text and found.text.endswith(f": {reason}: why.")

    def test_a_scheduling_gate_is_reported_as_queued(self) -> None:
        gated = dataclasses.replace(pod(), status=type(pod().status).of({"metadata": {}, "status": conditions(PodScheduled="x")}))
        gate = dataclasses.replace(gated.status.conditions["PodScheduled"], reason="SchedulingGated")
        gated = dataclasses.replace(gated, status=type(gated.status)({"PodScheduled": gate}))
        found = cause(of=gated)
        assert found.code == "queued" and "kubectl get workloads -n ns" in found.next_step


WRONG: list[tuple[str, dict[str, t.Any], dict[str, t.Any]]] = [
    ("taint", {"pool": {"taints": [TAINT]}}, {}),
    ("limits", {"pool": {"limits": {"nodes": "0"}}}, {}),
    ("node-class", {"classes": (node_class(ready="wrong"),)}, {}),
    ("autoscaling", {}, {"status": "Failed"}),
    ("quota", {}, {"low_quotas": LOW}),
    ("capacity", {}, {"failures": FAILED}),
]
"""In the order in which they are fixed: in Kubernetes and outside."""


@pytest.mark.parametrize("first", range(len(WRONG)))
def test_of_several_causes_the_first_is_reported(first: int) -> None:
    """Once it is fixed, the next one is reported."""
    of_pool: dict[str, t.Any] = {}
    within: dict[str, t.Any] = {}
    out: dict[str, t.Any] = {}
    for _code, here, there in WRONG[first:]:
        of_pool |= here.get("pool", {})
        within |= {name: value for name, value in here.items() if name != "pool"}
        out |= there
    assert cause(pools=[pool(**of_pool)], out=outside(**out), **within).code == WRONG[first][0]


def test_unmet_requirements_precede_later_causes() -> None:
    of_pool = {"limits": {"nodes": "0"}, "taints": [TAINT]}
    out = outside(status="Failed", low_quotas=LOW, failures=FAILED)
    assert cause(pod(nodeSelector={TYPE: P5}), pools=[pool(**of_pool)], classes=(node_class(ready="wrong"),), out=out).code == "requirements"


def test_untrusted_text_is_made_printable() -> None:
    found = cause(classes=(node_class(ready="gone\x1b[2J\u202e\n"),))
    assert found.text.isprintable() and "gone?[2J??" in found.text
    assert cause(pod(nodeSelector={"x": "\x07"})).text.isprintable()
    assert cause(pod(nodeSelector={"x": "{pod.__class__}"})).text.startswith("Pod ns/a requires x={pod.__class__},")
