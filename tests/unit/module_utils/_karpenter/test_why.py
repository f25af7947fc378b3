# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a pod gets no node: each cause, and which is told where there are several."""

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


def asked(key: str, *values: str, operator: str = "In") -> dict[str, t.Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def affine(*terms: t.Any) -> dict[str, t.Any]:
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}}


def told(*given: t.Any, of: Pod | None = None, out: t.Any = None, **more: t.Any) -> Cause:
    within = inside(*given, **more)
    found = why(of or within.pods[0], within, out or outside())
    assert found is not None
    return found


def test_a_pod_that_could_have_a_node_waits_for_nothing_known() -> None:
    found = told(pod(message="0/1 nodes are available: 1 Too many pods."))
    assert found.code == "unknown"
    assert found.text == "No known cause keeps Pod ns/a from a node; the scheduler reports: 0/1 nodes are available: 1 Too many pods."


def test_pods_that_are_not_held_up() -> None:
    assert why(pod(nodeName="n"), inside(), outside()) is None
    leaving = pod(meta={"deletionTimestamp": LATE})
    assert why(leaving, inside(leaving), outside()) is None
    fresh = Pod.of({"metadata": {"name": "a", "namespace": "ns"}, "spec": {"containers": []}})
    assert why(fresh, inside(fresh), outside()) is None


class TestTaint:
    def test_it_is_named(self) -> None:
        found = told(pools=[pool(taints=[TAINT])])
        assert (found.code, found.text) == ("taint", "Pod ns/a does not tolerate taint team=x:NoSchedule of NodePool gpus.")
        assert "toleration" in found.next_step

    def test_a_key_alone(self) -> None:
        assert "taint dedicated:NoExecute of" in told(pools=[pool(taints=[{"key": "dedicated", "effect": "NoExecute"}])]).text

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
    def test_tolerations(self, toleration: t.Any, code: str) -> None:
        assert told(pod(tolerations=[toleration]), pools=[pool(taints=[TAINT])]).code == code

    def test_one_that_only_prefers_keeps_nobody_away(self) -> None:
        assert told(pools=[pool(taints=[{**TAINT, "effect": "PreferNoSchedule"}])]).code == "unknown"

    def test_another_pool_without_it_takes_the_pod(self) -> None:
        assert told(pools=[pool("a", taints=[TAINT]), pool("b")]).code == "unknown"

    def test_of_pools_whose_requirements_fit(self) -> None:
        """That of the other pool would not help."""
        other = pool("cpu", requirements=[asked(TYPE, CPU)], taints=[TAINT])
        found = told(pod(nodeSelector={TYPE: P5}), pools=[other], out=outside(group("g5", CPU)))
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
            ({"affinity": affine({"matchExpressions": [asked(TYPE, P5)]})}, f"its node affinity ({TYPE} In {P5})"),
            (
                {"affinity": affine({"matchExpressions": [asked(ZONE, A, operator="NotIn"), asked("x", operator="Exists")]})},
                f"its node affinity ({ZONE} NotIn {A} and x Exists)",
            ),
            (
                {"affinity": affine({"matchFields": [asked("metadata.name", "n")]})},
                "its node affinity (metadata.name In n)",
            ),
        ],
    )
    def test_what_no_pool_has_is_named(self, spec: t.Any, asks: str) -> None:
        found = told(pod(**spec))
        assert (found.code, found.text) == ("requirements", f"Pod ns/a requires {asks}, which no node of a NodePool (gpus) has.")

    @pytest.mark.parametrize(
        "spec",
        [
            {"nodeSelector": {TYPE: G5, ZONE: A, GROUP: "g5", "kubernetes.io/arch": "amd64"}},
            {"nodeSelector": {"sagemaker.amazonaws.com/node-health-status": "Schedulable"}},
            {"affinity": affine({"matchExpressions": [asked(TYPE, P5)]}, {"matchExpressions": [asked(TYPE, G5)]})},
        ],
    )
    def test_what_a_pool_has(self, spec: t.Any) -> None:
        assert told(pod(**spec)).code == "unknown"

    def test_labels_of_the_pool(self) -> None:
        assert told(pod(nodeSelector={"team": "x"}), pools=[pool(labels={"team": "x"})]).code == "unknown"

    def test_each_zone_and_type_of_a_flexible_group(self) -> None:
        out = outside(group("g5", G5, P5, zones=(A, B)))
        assert told(pod(nodeSelector={TYPE: P5, ZONE: B}), out=out).code == "unknown"

    def test_the_pool_rules_out_what_the_group_has(self) -> None:
        out = outside(group("g5", G5, P5))
        assert told(pod(nodeSelector={TYPE: P5}), pools=[pool(requirements=[asked(TYPE, G5)])], out=out).code == "requirements"

    def test_no_group_is_as_the_pool_asks(self) -> None:
        found = told(pools=[pool(requirements=[asked(ZONE, B)])])
        assert (found.code, found.text) == ("requirements", "No instance group meets the requirements of a NodePool (gpus).")

    def test_each_is_somewhere_and_all_are_nowhere(self) -> None:
        out = outside(group("g5"), group("p5", P5, zones=(B,)))
        found = told(pod(nodeSelector={TYPE: P5, ZONE: A}), classes=(node_class("g5", "p5"),), out=out)
        assert found.text.startswith(f"Pod ns/a requires {TYPE}={P5}, {ZONE}={A}, and no node of a NodePool (gpus) has all of these.")

    def test_more_than_a_node_has(self) -> None:
        seen = {"n": node("n", **{GPU: "1", "memory": "128Gi"})}
        assert "requires 8 nvidia.com/gpu, which no node" in told(pod(containers=[gpus(8)]), nodes=seen).text
        big = {"resources": {"requests": {"memory": "1Ti"}}}
        assert "requires 1024Gi of memory, which no node" in told(pod(containers=[big]), nodes=seen).text
        assert told(pod(containers=[gpus(1)]), nodes=seen).code == "unknown"

    def test_what_nodes_lack_they_have_none_of(self) -> None:
        assert "requires 1 nvidia.com/gpu, which" in told(nodes={"n": node("n")}).text

    def test_a_node_that_nobody_has_seen_may_have_it(self) -> None:
        assert told(pod(containers=[gpus(64)])).code == "unknown"
        unready = dataclasses.replace(node("n"), status=node_class(said="no").status)
        assert told(pod(containers=[gpus(64)]), nodes={"n": unready}).code == "unknown"

    def test_no_pool_at_all(self) -> None:
        assert told(pools=[]).text == "No NodePool exists, so Karpenter adds no nodes."
        going = pool(meta={"deletionTimestamp": LATE})
        assert told(pools=[going]).text.startswith("No NodePool exists")
        assert told(pools=[], out=outside(mode="Disable", status="")).code == "autoscaling"


class TestLimits:
    def test_claims_use_them(self) -> None:
        there = (claim("x", gpu=1, Launched=True, Registered=True, Initialized=True),)
        found = told(pools=[pool(limits={GPU: "1"})], claims=there)
        assert found.code == "limits"
        assert found.text == "NodePool gpus is limited to 1 nvidia.com/gpu and uses 1 nvidia.com/gpu; another node would exceed the limit."

    def test_a_node_would_have_more_than_the_pod_asks(self) -> None:
        seen = {"n": node("n", P5, **{GPU: "8"})}
        found = told(pools=[pool(limits={GPU: "4"})], nodes=seen, out=outside(group("g5", P5)))
        assert found.text.startswith("NodePool gpus is limited to 4 nvidia.com/gpu and uses 0 nvidia.com/gpu;")

    def test_so_would_the_first_of_its_type(self) -> None:
        cpu = {"resources": {"requests": {"cpu": "4"}}}
        pools, p5 = [pool(limits={GPU: "4"})], group("g5", P5)
        found = told(pod(containers=[cpu]), pools=pools, out=outside(p5))
        assert found.text.startswith("NodePool gpus is limited to 4 nvidia.com/gpu and uses 0 nvidia.com/gpu;")
        assert told(pod(containers=[cpu]), pools=pools, out=outside(group("g5", P5, CPU))).code == "unknown"
        assert told(pod(containers=[cpu]), pools=[pool(limits={GPU: "8"})], out=outside(p5)).code == "unknown"

    @pytest.mark.parametrize(
        ("kind", "limits"),
        [
            (P5, {"vpc.amazonaws.com/efa": "31"}),
            ("ml.trn2.48xlarge", {"aws.amazon.com/neuron": "15"}),
            (P5, {"cpu": "1"}),
            (P5, {GPU: "16"}),
        ],
    )
    def test_the_first_has_what_its_type_has_and_what_the_pod_asks(self, kind: str, limits: t.Any) -> None:
        asks = {"resources": {"requests": {"cpu": "2", GPU: "17"}}}
        assert told(pod(containers=[asks]), pools=[pool(limits=limits)], out=outside(group("g5", kind))).code == "limits"

    def test_nodes_that_leave_count(self) -> None:
        there = (claim("x", gpu=1, Initialized=True, meta={"deletionTimestamp": LATE}),)
        assert told(pools=[pool(limits={"nodes": "1"})], claims=there).code == "limits"

    def test_those_of_other_pools_do_not(self) -> None:
        there = (claim("x", of="other", gpu=1, Initialized=True),)
        assert told(pools=[pool(limits={GPU: "1", "nodes": "1", "memory": "1Ti"})], claims=there).code == "unknown"

    def test_another_pool_has_room(self) -> None:
        assert told(pools=[pool("a", limits={"nodes": "0"}, weight=9), pool("b")]).code == "unknown"
        assert "NodePool a is limited to 0 nodes" in told(pools=[pool("b", limits={"nodes": "0"}), pool("a", limits={"nodes": "0"}, weight=9)]).text

    def test_the_node_that_is_on_its_way_is_within_them(self) -> None:
        there = (claim("x", gpu=1, Launched=True),)
        first, second = pod("a"), pod("b")
        both = inside(first, second, pools=[pool(limits={GPU: "1"})], claims=there)
        reasons = Reasons(both, outside())
        assert [reasons.why(each).code for each in (first, second)] == ["on-its-way", "limits"]


class TestNodeClass:
    def test_its_message(self) -> None:
        found = told(classes=(node_class(said="Instance groups not found: none"),))
        assert (found.code, found.text) == ("node-class", "HyperpodNodeClass gpus is not Ready: Instance groups not found: none.")

    def test_it_says_nothing(self) -> None:
        assert told(classes=(node_class(said=None),)).text.endswith("is not Ready: no reason is reported yet.")

    def test_it_is_not_there(self) -> None:
        assert told(classes=()).text == "NodePool gpus refers to HyperpodNodeClass gpus, which does not exist."

    def test_the_pool_is_not_ready(self) -> None:
        found = told(pools=[pool(said="karpenter.sh/capacity-type")])
        assert (found.code, found.text) == ("node-class", "NodePool gpus is not Ready: karpenter.sh/capacity-type.")

    def test_another_pool_is(self) -> None:
        classes = (node_class(said="wrong"), node_class(name="good"))
        assert told(pools=[pool("a", weight=9), pool("b", node_class="good")], classes=classes).code == "unknown"

    def test_a_group_that_is_gone_could_have_had_anything(self) -> None:
        classes = (node_class("g5", "gone", said="Instance groups not found: gone"),)
        assert told(pod(nodeSelector={TYPE: P5}), classes=classes).code == "node-class"


class TestAutoScaling:
    @pytest.mark.parametrize(
        ("out", "said"),
        [
            (outside(status="Failed", failure="Role can't be assumed."), "Failed instead of InService: Role can't be assumed."),
            (outside(status="Creating"), "Creating instead of InService: AWS has not finished."),
            (outside(mode="Disable", status=""), "missing instead of InService: it is switched off."),
        ],
    )
    def test_what_aws_says(self, out: t.Any, said: str) -> None:
        found = told(out=out)
        assert (found.code, found.text) == ("autoscaling", f"The autoscaler of cluster ml is {said}")

    def test_then_nobody_looks_at_a_node_class(self) -> None:
        assert told(classes=(node_class(said=None),), out=outside(status="Creating")).code == "autoscaling"

    def test_nor_at_the_change_of_a_node_pool(self) -> None:
        changed = pool(meta={"generation": 2}, observed=1)
        assert told(pools=[changed], out=outside(mode="Disable", status="")).code == "autoscaling"
        found = told(pools=[changed])
        assert (found.code, found.text) == ("node-class", "NodePool gpus is not Ready: its last change was not processed yet.")


class TestQuota:
    def test_it_is_named(self) -> None:
        found = told(out=outside(low_quotas=LOW))
        assert found.code == "quota" and "quota ml.g5.8xlarge for cluster usage does not allow: 4 are in use of 4." in found.text

    def test_another_type_of_the_group_has_one(self) -> None:
        assert told(out=outside(group("g5", G5, P5), low_quotas=LOW)).code == "unknown"

    @pytest.mark.parametrize("failures", [{}, FAILED])
    def test_another_type_of_the_group_that_would_not_do_does_not_count(self, failures: t.Any) -> None:
        """Neither where the pod asks for one type, nor where its NodePool takes one, nor for a node that is on its way."""
        out = outside(group("g5", G5, P5), low_quotas={(G5, False): LowQuota("q", 5, 4.0)}, failures=failures)
        asks = pod(nodeSelector={TYPE: G5})
        assert told(asks, out=out).code == "quota"
        assert told(pools=[pool(requirements=[asked(TYPE, G5)])], out=out).code == "quota"
        assert told(asks, claims=(claim("x", kind=""),), out=out).code == "quota"
        assert told(pod(nodeSelector={TYPE: P5}), out=out).code == ("capacity" if failures else "unknown")

    def test_spot_instances_have_their_own(self) -> None:
        assert told(out=outside(group(spot=True), low_quotas=LOW)).code == "unknown"

    def test_a_node_that_is_on_its_way_counts_already(self) -> None:
        there = (claim("x", Launched=True),)
        assert told(claims=there, out=outside(low_quotas=LOW)).code == "on-its-way"
        above = {(G5, False): LowQuota("q", 5, 4.0)}
        assert told(claims=there, out=outside(low_quotas=above)).code == "quota"


class TestCapacity:
    def test_an_event_of_the_cluster(self) -> None:
        found = told(out=outside(failures=FAILED))
        assert found.text == "AWS launched no node of instance group g5: We have no ml.g5.8xlarge in us-west-2a."
        assert found.code == "capacity"

    def test_one_from_before_the_pod_waited(self) -> None:
        assert told(out=outside(failures={"g5": Failed(EARLY, "none")})).code == "unknown"

    def test_one_of_another_group(self) -> None:
        assert told(out=outside(failures={"p5": Failed(LATE, "none")})).code == "unknown"

    def test_claims_that_are_gone(self) -> None:
        failed = (LaunchFailure("gpus", EARLY, "old"), LaunchFailure("gpus", LATE, "InvalidInstanceGroupStatus: g5 is Updating"))
        found = told(launch_failures=failed)
        assert found.text == "AWS launched no node of NodePool gpus (instance groups: g5): InvalidInstanceGroupStatus: g5 is Updating."
        assert told(launch_failures=(LaunchFailure("other", LATE, "x"),)).code == "unknown"

    def test_a_claim_that_says_so(self) -> None:
        found = told(claims=(claim(Launched="no capacity in us-west-2a"),))
        assert found.text == "AWS launched no node of instance group g5: no capacity in us-west-2a."

    def test_an_event_about_the_node_that_is_on_its_way(self) -> None:
        there = (claim(Launched=True),)
        assert told(claims=there, out=outside(failures=FAILED)).code == "capacity"
        assert told(claims=there, out=outside(failures={"g5": Failed("2026-10-04T07:59:59Z", "old")})).code == "on-its-way"


class TestOnItsWay:
    def test_the_claim_is_named(self) -> None:
        found = told(claims=(claim(Launched=True),))
        assert found.code == "on-its-way"
        assert found.text == f"A node for Pod ns/a is starting: NodeClaim gpus-1 of instance group g5 was created at {EARLY} and is launched."

    def test_a_claim_that_nobody_has_looked_at(self) -> None:
        young = claim()
        there = {"conditions": [{"type": "Launched", "status": "Unknown", "reason": "AwaitingReconciliation", "message": "awaiting"}]}
        young = dataclasses.replace(young, status=type(young.status).of({"metadata": {}, "status": there}))
        assert told(claims=(young,)).code == "on-its-way"

    @pytest.mark.parametrize(
        "other",
        [
            claim(Launched=True, meta={"deletionTimestamp": LATE}),
            claim(Launched=True, Registered=True, Initialized=True),
            claim(of="other", Launched=True),
            claim(group="p5", kind=P5, Launched=True),
        ],
    )
    def test_claims_that_are_for_others(self, other: t.Any) -> None:
        assert told(claims=(other,)).code == "unknown"

    def test_each_node_takes_what_fits_on_it(self) -> None:
        pods = [pod(name) for name in "abc"]
        there = (claim("x", gpu=1, Launched=True), claim("y", gpu=1, Launched=True))
        reasons = Reasons(inside(*pods, claims=there), outside())
        assert [reasons.why(each).code for each in pods] == ["on-its-way", "on-its-way", "unknown"]

    def test_pods_that_are_on_it_already(self) -> None:
        there = (claim("x", gpu=1, node="n", Launched=True, Registered=True),)
        assert told(pod(), pod("b", nodeName="n"), claims=there).code == "unknown"


class TestAfterThat:
    @pytest.mark.parametrize(
        ("reason", "code"),
        [("ImagePullBackOff", "image"), ("ErrImagePull", "image"), ("CrashLoopBackOff", "container"), ("CreateContainerConfigError", "container")],
    )
    def test_containers_that_do_not_start(self, reason: str, code: str) -> None:
        found = told(of=stuck(reason, "why"))
        assert found.code == code and "Pod ns/a is on node n" in found.text and found.text.endswith(f": {reason}: why.")

    def test_a_gate(self) -> None:
        gated = dataclasses.replace(pod(), status=type(pod().status).of({"metadata": {}, "status": conditions(PodScheduled="x")}))
        gate = dataclasses.replace(gated.status.conditions["PodScheduled"], reason="SchedulingGated")
        gated = dataclasses.replace(gated, status=type(gated.status)({"PodScheduled": gate}))
        found = told(of=gated)
        assert found.code == "queued" and "kubectl get workloads -n ns" in found.next_step


WRONG: list[tuple[str, dict[str, t.Any], dict[str, t.Any]]] = [
    ("taint", {"pool": {"taints": [TAINT]}}, {}),
    ("limits", {"pool": {"limits": {"nodes": "0"}}}, {}),
    ("node-class", {"classes": (node_class(said="wrong"),)}, {}),
    ("autoscaling", {}, {"status": "Failed"}),
    ("quota", {}, {"low_quotas": LOW}),
    ("capacity", {}, {"failures": FAILED}),
]
"""In the order in which somebody mends them: in Kubernetes and outside."""


@pytest.mark.parametrize("first", range(len(WRONG)))
def test_of_all_that_is_wrong_the_first_is_told(first: int) -> None:
    """And as that is mended, the next."""
    of_pool: dict[str, t.Any] = {}
    within: dict[str, t.Any] = {}
    out: dict[str, t.Any] = {}
    for _code, here, there in WRONG[first:]:
        of_pool |= here.get("pool", {})
        within |= {name: value for name, value in here.items() if name != "pool"}
        out |= there
    assert told(pools=[pool(**of_pool)], out=outside(**out), **within).code == WRONG[first][0]


def test_requirements_come_before_all_that_follows() -> None:
    of_pool = {"limits": {"nodes": "0"}, "taints": [TAINT]}
    out = outside(status="Failed", low_quotas=LOW, failures=FAILED)
    assert told(pod(nodeSelector={TYPE: P5}), pools=[pool(**of_pool)], classes=(node_class(said="wrong"),), out=out).code == "requirements"


def test_text_of_strangers_is_made_printable() -> None:
    found = told(classes=(node_class(said="gone\x1b[2J\u202e\n"),))
    assert found.text.isprintable() and "gone?[2J??" in found.text
    assert told(pod(nodeSelector={"x": "\x07"})).text.isprintable()
    assert told(pod(nodeSelector={"x": "{pod.__class__}"})).text.startswith("Pod ns/a requires x={pod.__class__},")
