# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How Kueue's manager, its file and its pods are read."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.model import Manager, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.topology_scheduling.observe import observe

MANAGER = "/apis/apps/v1/namespaces/kueue-system/deployments/kueue-controller-manager"
FILE = "/api/v1/namespaces/kueue-system/configmaps/kueue-manager-config"
PODS, POOLS = "/api/v1/namespaces/kueue-system/pods", "/apis/karpenter.sh/v1/nodepools"
TEXT = "apiVersion: config.kueue.x-k8s.io/v1beta2\nfeatureGates: {Other: true, More: 0}\n"
STAMP = "kubectl.kubernetes.io/restartedAt"
UP = {"observedGeneration": 3, "updatedReplicas": 2, "availableReplicas": 2, "replicas": 2}
Object = dict[str, t.Any]


class Server:
    """Objects by path, lists by path, and the status of a refusal."""

    def __init__(self, objects: Object, lists: t.Mapping[str, t.Sequence[Object]] | None = None, refused: int = 0) -> None:
        self.objects, self.lists, self.refused = objects, lists or {}, refused

    def find(self, path: str) -> Object | None:
        found: Object | None = self.objects.get(path)
        return found

    def items(self, path: str) -> t.Sequence[Object]:
        if path == POOLS and self.refused:
            raise KubernetesError("refused", self.refused)
        return self.lists.get(path, ())


def deployment(*, image: str = "kueue:v0.15.0", status: Object | None = None, stamp: str = "", generation: int = 3, **container: t.Any) -> Object:
    annotations = {"metadata": {"annotations": {STAMP: stamp}}} if stamp else {}
    template = {"spec": {"containers": [{"image": image, **container}, {"image": "other:1"}]}, **annotations}
    meta = {"name": "kueue-controller-manager", "generation": generation}
    return {"metadata": meta, "spec": {"replicas": 2, "template": template}, "status": UP if status is None else status}


def config_map(data: t.Mapping[str, str] | None = None, **meta: t.Any) -> Object:
    return {"metadata": {"resourceVersion": 7, **meta}, "data": {"config.yaml": TEXT} if data is None else data}


def pod(
    name: str = "kueue-controller-manager-7c-x",
    *,
    owner: str = "kueue-controller-manager-7c",
    stamp: str = "",
    reason: str = "CrashLoopBackOff",
    **ended: t.Any,
) -> Object:
    annotations = {"annotations": {STAMP: stamp}} if stamp else {}
    container = {"state": {"waiting": {"reason": reason}}, "lastState": {"terminated": ended}}
    meta = {"name": name, "ownerReferences": [{"name": owner}], **annotations}
    return {"metadata": meta, "status": {"containerStatuses": [{"state": {"running": {}}}, container]}}


def manager(*, pods: t.Sequence[Object] = (), file: Object | None = None, **made: t.Any) -> Manager:
    found = observe(Server({MANAGER: deployment(**made), FILE: config_map() if file is None else file}, {PODS: pods})).manager
    assert found is not None
    return found


def test_a_manager_is_read_with_its_file() -> None:
    server = Server({MANAGER: deployment(), FILE: config_map()}, {POOLS: [{"metadata": {"name": "gpus\x1b"}}]})
    gates = {"Other": True, "More": False}
    expected = Manager((0, 15, 0), "kueue:v0.15.0", False, "config.yaml", TEXT, gates, None, False, "7", "", "")
    assert observe(server) == State(expected, ("gpus?",))


def test_a_missing_manager_is_none() -> None:
    assert observe(Server({}, {POOLS: [{"metadata": {"name": "gpus"}}]})) == State(None, ("gpus",))


@pytest.mark.parametrize(("status", "fails"), [(404, False), (403, True)])
def test_without_karpenter_there_are_no_pools(status: int, fails: bool) -> None:
    if fails:
        with pytest.raises(KubernetesError):
            observe(Server({}, refused=status))
    else:
        assert observe(Server({}, refused=status)) == State()


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("registry.k8s.io:443/kueue/kueue:v0.19.0", (0, 19, 0)),
        ("kueue:v0.19.1@sha256:0123", (0, 19, 1)),
        ("kueue@sha256:0123", None),
        ("", None),
    ],
)
def test_the_version_is_the_tag_of_the_image(image: str, version: t.Any) -> None:
    found = manager(image=image)
    assert (found.version, found.image) == (version, image)


@pytest.mark.parametrize(
    ("container", "by_argument"),
    [
        ({"args": ["--config=/a", "--feature-gates=A=true"]}, True),
        ({"command": ["/manager", "--feature-gates=A=true"]}, True),
        ({"args": ["--config=/a"], "command": ["/manager"]}, False),
    ],
)
def test_gates_of_the_command_line_are_read(container: Object, by_argument: bool) -> None:
    assert manager(**container).by_argument is by_argument


@pytest.mark.parametrize(
    ("data", "key", "gates"),
    [
        ({"b.yaml": TEXT, "a.yaml": "a: b"}, "b.yaml", {"Other": True, "More": False}),
        ({"a.yaml": "apiVersion: v1"}, "", {}),
        ({"a.yaml": "- a"}, "", {}),
        ({"a.yaml": "a: [b"}, "", {}),
        ({"a.yaml": "apiVersion: config.kueue.x-k8s.io/v1beta1\nfeatureGates: [A]"}, "a.yaml", {}),
        ({}, "", {}),
    ],
)
def test_the_file_is_recognised_by_its_kind(data: dict[str, str], key: str, gates: dict[str, bool]) -> None:
    found = manager(file=config_map(data))
    assert (found.key, found.text, found.gates) == (key, data.get(key, ""), gates)


@pytest.mark.parametrize(
    ("data", "arguments", "behind"), [(None, [], True), (None, ["--feature-gates=A=true"], False), ({"a.yaml": "a: b"}, [], False)]
)
def test_a_change_that_the_manager_has_not_read_is_recognised(data: t.Any, arguments: list[str], behind: bool) -> None:
    found = manager(file=config_map(data, annotations={"mlfleet.hyperpod/before": "older"}), args=arguments)
    assert (found.before, found.behind) == ("older", behind)


def test_a_manager_may_have_no_file() -> None:
    found = observe(Server({MANAGER: deployment()})).manager
    assert found is not None and (found.key, found.text, found.gates, found.before, found.behind, found.resource_version) == ("", "", {}, None, False, "")


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (UP, ""),
        ({**UP, "observedGeneration": 4}, ""),
        ({**UP, "observedGeneration": 2}, "Kubernetes has not processed the new template yet"),
        ({}, "Kubernetes has not processed the new template yet"),
        ({**UP, "updatedReplicas": 1}, "1 of 2 Pods are new, and 2 are available"),
        ({**UP, "availableReplicas": 1}, "2 of 2 Pods are new, and 1 are available"),
        ({**UP, "replicas": 3}, "2 of 2 Pods are new, and 2 are available"),
        ({"observedGeneration": 3}, "0 of 2 Pods are new, and 0 are available"),
    ],
)
def test_the_reason_why_a_manager_is_not_up_is_read(status: Object, why: str) -> None:
    assert manager(status=status).not_up == why


def test_a_manager_has_one_replica_by_default() -> None:
    made = deployment(status={"updatedReplicas": 1, "availableReplicas": 1, "replicas": 1}, generation=0)
    del made["spec"]["replicas"]
    found = observe(Server({MANAGER: made, FILE: config_map()})).manager
    assert found is not None and found.not_up == ""


CRASHED = "pod kueue-controller-manager-7c-x keeps failing: "


@pytest.mark.parametrize(
    ("pods", "stamp", "expected"),
    [
        ([], "", ""),
        ([pod(message="unknown gate\x1b")], "", f"{CRASHED}unknown gate?"),
        ([pod(exitCode=2)], "", f"{CRASHED}exit status 2"),
        ([pod()], "", f"{CRASHED}exit status not known"),
        ([pod(message="a" * 601)], "", f"{CRASHED}{'a' * 600}"),
        ([pod(reason="ContainerCreating")], "", ""),
        ([pod(owner="other-7c")], "", ""),
        ([pod(stamp="old", exitCode=2)], "new", ""),
        ([pod(stamp="new", exitCode=2)], "new", f"{CRASHED}exit status 2"),
        ([pod(exitCode=2)], "new", ""),
        ([{"metadata": {"name": "a"}}, pod(exitCode=1)], "", f"{CRASHED}exit status 1"),
        ([pod(reason="Other"), pod(exitCode=1)], "", f"{CRASHED}exit status 1"),
    ],
)
def test_a_crashing_manager_is_recognised(pods: list[Object], stamp: str, expected: str) -> None:
    assert manager(pods=pods, stamp=stamp).crashed == expected
