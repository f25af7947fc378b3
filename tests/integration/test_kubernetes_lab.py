"""The lab's Kubernetes behaves like EKS: people log in, pods are scheduled, nodes belong to HyperPod."""

from __future__ import annotations

import base64
import json
import subprocess
import typing as t
from pathlib import Path

import pytest
from eks_world import EKS, EKS_ARN, ROLE, EksWorld, until, workers
from lab.names import ACCOUNT

USER = f"arn:aws:iam::{ACCOUNT}:user/moto"
VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        yield world


def test_people_log_in_as_on_eks(pods: EksWorld) -> None:
    assert pods.kubectl("get", "--raw", "/readyz").stdout == "ok"
    carol, eks = pods.person("carol"), pods.aws("eks")
    expect = expect_stderr(pods, "carol")
    expect("get", "pods", text="must be logged in")
    eks.create_access_entry(clusterName=EKS, principalArn=carol)
    expect("get", "pods", text=f'User "{carol}" cannot list resource "pods"')
    eks.associate_access_policy(clusterName=EKS, principalArn=carol, policyArn=VIEW, accessScope={"type": "cluster"})
    expect("get", "pods", text="No resources found")
    expect("create", "namespace", "hers", text="cannot create resource")
    eks.delete_access_entry(clusterName=EKS, principalArn=carol)
    expect("get", "pods", text="must be logged in")


def expect_stderr(pods: EksWorld, profile: str) -> t.Callable[..., None]:
    """Retries, because the API server caches a token for ten seconds, and tokens of the same second are equal."""

    def expect(*arguments: str, text: str) -> None:
        until(lambda: text in pods.kubectl(*arguments, profile=profile).stderr)

    return expect


def test_a_token_is_valid_for_one_cluster_and_fifteen_minutes(pods: EksWorld) -> None:
    token = signed("lab-admin")
    assert authenticated(pods, token) is True
    encoded = token.removeprefix("k8s-aws-v1.")
    url = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode()
    date = url.partition("X-Amz-Date=")[2][:8]
    for changed in (url.replace(f"X-Amz-Date={date}", "X-Amz-Date=20200101"), url.replace("GetCallerIdentity", "AssumeRole"), url[:-1]):
        forged = "k8s-aws-v1." + base64.urlsafe_b64encode(changed.encode()).decode().rstrip("=")
        assert authenticated(pods, forged) is False, changed
    other = subprocess.run(["aws", "--profile", "lab-admin", "eks", "get-token", "--cluster-name", "other"], capture_output=True, check=True)
    assert authenticated(pods, json.loads(other.stdout)["status"]["token"]) is False


def test_roles_log_in_with_a_kubeconfig_without_a_token(pods: EksWorld, tmp_path: Path) -> None:
    made = pods.credential_kubeconfig("lab-admin", tmp_path)
    query = {"kubeconfig": made, "kind": "Namespace", "name": "kube-system"}
    first = pods.adhoc("kubernetes.core.k8s_info", query, "-vvvv")
    assert '"phase": "Active"' in first.stdout, first.stdout
    (file,) = (tmp_path / "eks-tokens").iterdir()
    kept, inode = json.loads(file.read_text()), file.stat().st_ino
    (path := tmp_path / "kubeconfig").write_text(json.dumps(made))
    done = subprocess.run(["kubectl", "--kubeconfig", str(path), "get", "namespaces", "-v=6"], capture_output=True, text=True, check=False)
    assert "kube-system" in done.stdout, done.stderr
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "by-core"}}
    second = pods.adhoc("kubernetes.core.k8s", {"kubeconfig": made, "definition": [body], "apply": True}, "-vvvv", "--diff")
    assert '"changed": true' in second.stdout, second.stdout
    third = pods.adhoc("kubernetes.core.k8s", {"kubeconfig": made, "definition": [body], "apply": True}, "-vvvv", "--diff")
    assert '"changed": false' in third.stdout, third.stdout
    assert json.loads(file.read_text()) == kept and file.stat().st_ino == inode, "all of them must use one token"
    secret = kept["token"].removeprefix("k8s-aws-v1.")
    shown = f"{first.stdout}{second.stdout}{third.stdout}{done.stdout}{done.stderr}"
    assert secret[-40:] not in shown and "k8s-aws-v1." not in shown


def test_a_person_without_an_access_entry_is_refused(pods: EksWorld, tmp_path: Path) -> None:
    pods.person("eve")
    query = {"kind": "Namespace", "name": "kube-system"}
    done = pods.adhoc("kubernetes.core.k8s_info", {**query, "kubeconfig": pods.credential_kubeconfig("eve", tmp_path)})
    assert done.returncode != 0 and "Unauthorized" in done.stdout, done.stdout
    done = pods.adhoc("kubernetes.core.k8s_info", {**query, "kubeconfig": pods.credential_kubeconfig("nobody", tmp_path)})
    assert done.returncode != 0, done.stdout


def test_a_person_of_another_account_is_refused(pods: EksWorld) -> None:
    refused = permission_info(pods, {"eks_cluster": EKS}, "alice", [{"verb": "list", "resource": "nodes"}], profile="other-admin")
    assert "DescribeCluster for EKS cluster pods failed" in refused["msg"], refused
    foreign = pods.aws("eks", "other")
    subnet = pods.aws("ec2", "other").describe_subnets()["Subnets"][0]["SubnetId"]
    foreign.create_cluster(name=EKS, roleArn=ROLE, resourcesVpcConfig={"subnetIds": [subnet]}, accessConfig={"authenticationMode": "API"})
    assert len(foreign.list_access_entries(clusterName=EKS)["accessEntries"]) == 1, "the creator must have access to that cluster"
    for profile in ("other", "other-admin"):
        assert authenticated(pods, signed(profile)) is False, profile
    expect_stderr(pods, "other-admin")("get", "pods", text="must be logged in")
    foreign.delete_cluster(name=EKS)


def signed(profile: str) -> str:
    argv = ["aws", "--profile", profile, "eks", "get-token", "--cluster-name", EKS]
    return str(json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)["status"]["token"])


def test_changes_through_the_endpoint_are_counted_and_can_be_held(pods: EksWorld) -> None:
    pods.reset_changes()
    pods.api.create("/api/v1/namespaces", {"metadata": {"name": "past-it"}})
    assert pods.kubectl("create", "namespace", "seen", "--dry-run=server").returncode == 0
    assert pods.kubectl("create", "namespace", "seen").returncode == 0
    assert pods.kubectl("create", "namespace", "seen").returncode != 0
    assert pods.kubectl("wait", "namespace/seen", "--for=jsonpath={.status.phase}=Active", "--timeout=20s").returncode == 0
    assert pods.changes() == [("create", "namespaces", "seen")] * 2
    assert pods.changes(by="nobody") == [] and {change.user for change in pods.front.changes()} == {USER}
    assert len(pods.changes(by=USER)) == 2

    pods.front.hold(verb="create", nth=2)
    argv = ["kubectl", "--kubeconfig", str(pods.kubeconfig()), "-n", "seen", "create", "configmap"]
    assert pods.kubectl("-n", "seen", "create", "configmap", "first").returncode == 0
    with subprocess.Popen([*argv, "second"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as held:
        until(lambda: [change.summary for change in pods.front.held()] == [("create", "configmaps", "second")])
        assert held.poll() is None and pods.seen("-n", "seen", "configmap", "second")["metadata"]["name"] == "second"
        held.kill()
    pods.front.release()
    assert pods.front.held() == []
    assert pods.kubectl("-n", "seen", "create", "configmap", "third").returncode == 0
    looking = ["kubectl", "--kubeconfig", str(pods.kubeconfig()), "-n", "seen", "get", "configmap", "-w", "-o", "name"]
    with subprocess.Popen(looking, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        names = {watch.stdout.readline().strip() for _each in range(4)}
        pods.api.create("/api/v1/namespaces/seen/configmaps", {"metadata": {"name": "later"}})
        assert watch.stdout.readline() == "configmap/later\n"
        watch.kill()
    assert {"configmap/first", "configmap/second", "configmap/third"} < names


def test_permissions_come_from_the_api_server(pods: EksWorld) -> None:
    permissions = [{"verb": "list", "resource": "nodes"}, {"verb": "update", "resource": "deployments", "api_group": "apps", "subresource": "scale"}]
    account = "system:serviceaccount:kube-system:"
    for where in ({"eks_cluster": EKS}, {"kubeconfig": str(pods.plane.kubeconfig)}, {"kubeconfig": str(pods.kubeconfig()), "context": EKS_ARN}):
        for who, allowed in (("horizontal-pod-autoscaler", [False, True]), ("service-account-controller", [False, False])):
            found = permission_info(pods, where, f"{account}{who}", permissions)
            assert "permissions" in found, found
            assert [each["allowed"] for each in found["permissions"]] == allowed, found
    dora = permission_info(pods, {"eks_cluster": EKS}, "alice", permissions, profile=pods.person("dora").rpartition("/")[2])
    assert "the API server did not authenticate the caller. EKS cluster pods requires an access entry for the caller" in dora["msg"], dora


def permission_info(pods: EksWorld, where: dict[str, str], user: str, permissions: t.Any, profile: str = "lab") -> dict[str, t.Any]:
    return pods.module("kubernetes_permission_info", {"user": user, "permissions": permissions, **where}, profile)


def authenticated(pods: EksWorld, token: str) -> bool:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
    return bool(pods.api.create("/apis/authentication.k8s.io/v1/tokenreviews", body)["status"].get("authenticated", False))


def test_objects_match_their_declaration(pods: EksWorld) -> None:
    meta = {"name": "declared", "namespace": "default"}
    declared = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": "1", "b": "2"}}
    path = "/api/v1/namespaces/default/configmaps/declared"

    def keep(definition: dict[str, t.Any], **more: t.Any) -> tuple[bool, list[t.Any]]:
        done = pods.module("kubernetes_objects", {"eks_cluster": EKS, "definitions": [definition], "poll_interval": 1, **more})
        assert "changes" in done and "objects" in done, done
        return done["changed"], [(each["action"], each["field"]) for each in done["changes"]]

    def data() -> dict[str, str]:
        return dict(pods.api.get(path)["data"])

    assert keep(declared) == (True, [("create", None)])
    assert keep(declared) == (False, [])
    pods.api.merge(path, {"data": {"a": "9", "foreign": "3"}})
    assert keep(declared) == (True, [("update", "data.a")])
    assert keep({**declared, "data": {"a": "1"}}) == (True, [("update", "data.b")])
    assert data() == {"a": "1", "foreign": "3"}

    pods.api.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "other"}, "data": {}})
    foreign = {**declared, "metadata": {**meta, "name": "other"}}
    refused = pods.module("kubernetes_objects", {"eks_cluster": EKS, "definitions": [foreign]})
    assert "Existing objects were not created by mlfleet.hyperpod: ConfigMap default/other." in refused["msg"], refused
    assert keep(foreign, adopt=True)[0]

    unknown = {"apiVersion": "none.example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
    late = pods.module("kubernetes_objects", {"eks_cluster": EKS, "definitions": [unknown], "wait_timeout": 2, "poll_interval": 1})
    assert "without kind Thing of none.example.com/v1" in late["msg"], late

    pods.api.merge(path, {"metadata": {"finalizers": ["lab/stays"]}})
    slow = pods.module("kubernetes_objects", {"eks_cluster": EKS, "definitions": [declared], "state": "absent", "wait_timeout": 2, "poll_interval": 1})
    assert "still not complete: ConfigMap default/declared (blocked by its finalizers lab/stays)" in slow["msg"], slow
    kept = pods.module("kubernetes_objects", {"eks_cluster": EKS, "definitions": [declared], "wait_timeout": 2, "poll_interval": 1})
    assert "still waiting for the deletion of ConfigMap default/declared (blocked by its finalizers lab/stays)" in kept["msg"], kept
    planned = pods.module("kubernetes_objects", {"eks_cluster": EKS, "definitions": [declared]}, check=True)
    assert [(each["action"], each["resource"]) for each in planned["changes"]] == [("create", "ConfigMap default/declared")], planned
    pods.api.merge(path, {"metadata": {"finalizers": []}})
    assert keep(declared) == (True, [("create", None)])
    assert keep(declared, state="absent") == (True, [("delete", None)])
    assert keep(declared, state="absent") == (False, [])
    assert keep(foreign, state="absent") == (True, [("delete", None)])
    assert pods.seen("configmaps", "--selector=app.kubernetes.io/managed-by=mlfleet.hyperpod")["items"] == []


def test_hyperpods_chart_is_a_requirement(pods: EksWorld) -> None:
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
                "metadata": {"annotations": {"lab/log": "loss 0.04"}},
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
    assert pods.kubectl("logs", "job/two").stdout == "loss 0.04\n"
    pods.aws("sagemaker").delete_cluster(ClusterName=arn)
    until(lambda: pods.seen("nodes")["items"] == [])


def ready(pods: EksWorld) -> list[str]:
    nodes = pods.seen("nodes")["items"]
    return [node["metadata"]["name"] for node in nodes for each in node["status"]["conditions"] if each["type"] == "Ready" and each["status"] == "True"]
