"""The lab's Kubernetes is real where it counts: people log in as on EKS, pods are placed, nodes are HyperPod's."""

from __future__ import annotations

import base64
import json
import subprocess
import typing as t

import pytest
from eks_world import EKS, EKS_ARN, EksWorld, until, workers

VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        yield world


def test_people_log_in_as_on_eks(pods: EksWorld) -> None:
    assert pods.kubectl("get", "--raw", "/readyz").stdout == "ok"
    carol, eks = pods.person("carol"), pods.aws("eks")
    told = told_to(pods, "carol")
    told("get", "pods", what="must be logged in")
    eks.create_access_entry(clusterName=EKS, principalArn=carol)
    told("get", "pods", what=f'User "{carol}" cannot list resource "pods"')
    eks.associate_access_policy(clusterName=EKS, principalArn=carol, policyArn=VIEW, accessScope={"type": "cluster"})
    told("get", "pods", what="No resources found")
    told("create", "namespace", "hers", what="cannot create resource")
    eks.delete_access_entry(clusterName=EKS, principalArn=carol)
    told("get", "pods", what="must be logged in")


def told_to(pods: EksWorld, profile: str) -> t.Callable[..., None]:
    """Waits until kubectl says something; the API server remembers a token for ten seconds, and tokens of one second are equal."""

    def told(*arguments: str, what: str) -> None:
        until(lambda: what in pods.kubectl(*arguments, profile=profile).stderr)

    return told


def test_a_token_is_for_one_cluster_and_fifteen_minutes(pods: EksWorld) -> None:
    done = subprocess.run(["aws", "--profile", "lab-admin", "eks", "get-token", "--cluster-name", EKS], capture_output=True, check=True)
    token = json.loads(done.stdout)["status"]["token"]
    assert authenticated(pods, token) is True
    encoded = token.removeprefix("k8s-aws-v1.")
    url = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    date = url.partition("X-Amz-Date=")[2][:8]
    for changed in (url.replace(f"X-Amz-Date={date}", "X-Amz-Date=20200101"), url.replace("GetCallerIdentity", "AssumeRole"), url[:-1]):
        forged = "k8s-aws-v1." + base64.urlsafe_b64encode(changed.encode()).decode().rstrip("=")
        assert authenticated(pods, forged) is False, changed
    other = subprocess.run(["aws", "--profile", "lab-admin", "eks", "get-token", "--cluster-name", "other"], capture_output=True, check=True)
    assert authenticated(pods, json.loads(other.stdout)["status"]["token"]) is False


def test_what_somebody_may_do_is_asked_of_the_api_server(pods: EksWorld) -> None:
    permissions = [{"verb": "list", "resource": "nodes"}, {"verb": "update", "resource": "deployments", "api_group": "apps", "subresource": "scale"}]
    account = "system:serviceaccount:kube-system:"
    for where in ({"eks_cluster": EKS}, {"kubeconfig": str(pods.plane.kubeconfig)}, {"kubeconfig": str(pods.kubeconfig()), "context": EKS_ARN}):
        for who, allowed in (("horizontal-pod-autoscaler", [False, True]), ("service-account-controller", [False, False])):
            found = asked(pods, where, f"{account}{who}", permissions)
            assert "permissions" in found, found
            assert [each["allowed"] for each in found["permissions"]] == allowed, found
    dora = asked(pods, {"eks_cluster": EKS}, "alice", permissions, profile=pods.person("dora").rpartition("/")[2])
    assert "the API server does not know who asks. EKS cluster pods needs an access entry for the caller" in dora["msg"], dora


def asked(pods: EksWorld, where: dict[str, str], user: str, permissions: t.Any, profile: str = "lab") -> dict[str, t.Any]:
    return pods.module("kubernetes_permission_info", {"user": user, "permissions": permissions, **where}, profile)


def authenticated(pods: EksWorld, token: str) -> bool:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
    return bool(pods.api.create("/apis/authentication.k8s.io/v1/tokenreviews", body)["status"].get("authenticated", False))


def test_hyperpods_chart_is_looked_for(pods: EksWorld) -> None:
    options = {"eks_cluster_arn": EKS_ARN, "subnets": pods.subnets}

    def chart() -> dict[str, t.Any]:
        found = pods.module("eks_requirement_info", options)["requirements"]
        return next(each for each in found if each["name"] == "HyperPod's Helm chart")

    assert (chart()["met"], chart()["found"]) == (False, "missing")
    pods.agent("1.0.1892.0_1.0.424.0")
    assert (chart()["met"], chart()["found"]) == (True, "1.0.1892.0_1.0.424.0")


def test_nodes_of_hyperpod_join_run_pods_and_leave(pods: EksWorld) -> None:
    arn = pods.hyperpod("ml", [workers("workers", 2)])
    until(lambda: len(ready(pods)) == 2)
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "two"},
        "spec": {
            "completions": 2,
            "parallelism": 2,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "a", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "1"}}}],
                }
            },
        },
    }
    pods.api.create("/apis/batch/v1/namespaces/default/jobs", job)
    until(lambda: pods.seen("job", "two")["status"].get("succeeded") == 2)
    assert len({pod["spec"]["nodeName"] for pod in pods.seen("pods")["items"]}) == 2
    pods.aws("sagemaker").delete_cluster(ClusterName=arn)
    until(lambda: pods.seen("nodes")["items"] == [])


def ready(pods: EksWorld) -> list[str]:
    nodes = pods.seen("nodes")["items"]
    return [node["metadata"]["name"] for node in nodes for each in node["status"]["conditions"] if each["type"] == "Ready" and each["status"] == "True"]
