"""Managed Karpenter on a cluster with EKS, against a real API server."""

from __future__ import annotations

import typing as t

import pytest
from eks_world import OF_DEFINITIONS, EksWorld, workers

Unmet = t.Callable[..., dict[str, str]]
KUEUE = "/apis/apps/v1/namespaces/kueue-system/deployments"
NODE_CLASSES = "/apis/karpenter.sagemaker.amazonaws.com/v1/hyperpodnodeclasses"


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        yield world


@pytest.fixture(scope="module")
def unmet(pods: EksWorld) -> Unmet:
    """What keeps Karpenter from instance groups of a cluster, by name, as found."""
    spread = {"OverrideVpcConfig": {"SecurityGroupIds": [pods.security_group], "Subnets": pods.subnets}}
    checked = {"OnStartDeepHealthChecks": ["InstanceStress"]}
    arn = pods.hyperpod("ml", [workers("auto", 0), workers("full", 1), {**workers("spread", 0), **spread}, {**workers("checked", 0), **checked}])

    def asked(*groups: str, **more: t.Any) -> dict[str, str]:
        found = pods.module("karpenter_requirement_info", {"cluster_arn": arn, "node_class": "gpus", "instance_groups": groups, **more})
        assert "requirements" in found, found
        return {each["name"]: each["found"] for each in found["requirements"] if each["met"] is False}

    return asked


def test_what_keeps_karpenter_away_goes_as_it_is_mended(pods: EksWorld, unmet: Unmet) -> None:
    assert unmet("auto") == {"health monitoring agent": "missing"}
    pods.agent("1.0.1892.0_1.0.424.0")
    assert unmet("auto") == {}
    assert unmet("auto", kubeconfig=str(pods.plane.kubeconfig)) == {}

    assert unmet("auto", "other") == {"instance groups": "other is not there"}
    assert unmet("checked") == {"deep health checks": "checked has InstanceStress"}
    zones = ", ".join(sorted(each["AvailabilityZone"] for each in pods.aws("ec2").describe_subnets(SubnetIds=pods.subnets)["Subnets"]))
    assert unmet("spread") == {"zones": f"spread is in {zones}"}

    assert unmet("full") == {"nodes of new groups": "full has 1"}
    pods.define("karpenter")
    pods.api.create(NODE_CLASSES, {**of("karpenter.sagemaker.amazonaws.com/v1", "HyperpodNodeClass", "gpus"), "spec": {"instanceGroups": ["full"]}})
    assert unmet("full") == {}

    before = pods.api.get(f"{OF_DEFINITIONS}/nodepools.karpenter.sh")["spec"]["versions"][0]
    older = {**before, "name": "v1beta1", "storage": False}
    pods.api.merge(f"{OF_DEFINITIONS}/nodepools.karpenter.sh", {"spec": {"versions": [{**before, "served": False}, older]}})
    assert unmet("auto") == {"Karpenter's definitions": "nodepools.karpenter.sh serves v1beta1"}
    pods.api.merge(f"{OF_DEFINITIONS}/nodepools.karpenter.sh", {"spec": {"versions": [before, older]}})

    pods.api.create("/api/v1/namespaces", {"metadata": {"name": "kueue-system"}})
    container = {"name": "manager", "image": "registry/kueue:v0.19.2"}
    template = {"metadata": {"labels": {"app": "kueue"}}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": {"app": "kueue"}}, "template": template}
    pods.api.create(KUEUE, {**of("apps/v1", "Deployment", "kueue-controller-manager"), "spec": spec})
    assert unmet("auto") == {"topology-aware scheduling": "Kueue v0.19.2 has it on unless it is told otherwise"}
    off = {"controller_manager_config.yaml": "featureGates:\n  TopologyAwareScheduling: false\n"}
    pods.api.create("/api/v1/namespaces/kueue-system/configmaps", {**of("v1", "ConfigMap", "kueue-manager-config"), "data": off})
    assert unmet("auto") == {}


def test_the_definitions_refuse_what_karpenter_refuses(pods: EksWorld) -> None:
    pool = {"nodeClassRef": {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"}, "requirements": []}
    for name, wrong, said in (
        ("weight", {"weight": 200}, "weight"),
        ("policy", {"disruption": {"consolidateAfter": "0s", "consolidationPolicy": "Never"}}, "consolidationPolicy"),
        ("after", {"disruption": {"consolidateAfter": "soon"}}, "consolidateAfter"),
        ("budget", {"disruption": {"consolidateAfter": "0s", "budgets": [{"nodes": "101%"}]}}, "budgets"),
    ):
        made = {**of("karpenter.sh/v1", "NodePool", name), "spec": {"template": {"spec": pool}, **wrong}}
        with pytest.raises(Exception, match=f"422 Invalid.*{said}"):
            pods.api.create("/apis/karpenter.sh/v1/nodepools", made)


def of(version: str, kind: str, name: str) -> dict[str, t.Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
