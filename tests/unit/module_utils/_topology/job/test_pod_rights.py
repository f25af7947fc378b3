# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights of a job's Pods: each field that reaches beyond a container, in each kind of container and of job."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import kind_named
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.pod_rights import Right, rights

from .jobs import Object, hyperpod_job, job, job_set, mpi_job, pytorch_job, train_job

HARMLESS: Object = {
    "metadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/a": "runtime/default", "note": "hostNetwork"}},
    "spec": {
        "hostNetwork": False,
        "hostPID": None,
        "serviceAccountName": "default",
        "shareProcessNamespace": True,
        "priorityClassName": "training",
        "nodeSelector": {"hostNetwork": "true"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}, {"key": "vpc.amazonaws.com/efa", "operator": "Exists"}],
        "securityContext": {"runAsUser": 0, "fsGroup": 1, "seccompProfile": {"type": "RuntimeDefault"}, "sysctls": [{"name": "net.ipv4.tcp_rmem"}]},
        "containers": [
            {
                "name": "a",
                "image": "a",
                "env": [{"name": "hostPath", "value": "/"}],
                "ports": [{"containerPort": 80, "hostPort": 0}],
                "livenessProbe": {"httpGet": {"path": "/", "port": 80}},
                "lifecycle": {"preStop": {"exec": {"command": ["a"]}}},
                "securityContext": {
                    "capabilities": {"add": ["CHOWN", "SETUID"], "drop": ["ALL"]},
                    "privileged": False,
                    "procMount": "Default",
                    "appArmorProfile": {"type": "Localhost", "localhostProfile": "a"},
                    "seLinuxOptions": {"type": "container_t", "level": "s0"},
                    "windowsOptions": {"hostProcess": False},
                },
            }
        ],
        "volumes": [
            {"name": "shm", "emptyDir": {"medium": "Memory"}},
            {"name": "data", "persistentVolumeClaim": {"claimName": "fsx"}},
            {"name": "token", "projected": {"sources": []}},
        ],
    },
}
POD: list[tuple[Object, str, bool]] = [
    ({"hostNetwork": True}, "hostNetwork", True),
    ({"hostPID": True}, "hostPID", True),
    ({"hostIPC": "yes"}, "hostIPC", True),
    ({"nodeName": "n1"}, "nodeName=n1", False),
    ({"serviceAccountName": "admin"}, "serviceAccountName=admin", False),
    ({"serviceAccount": "admin"}, "serviceAccountName=admin", False),
    ({"priorityClassName": "system-node-critical"}, "priorityClassName=system-node-critical", False),
    ({"tolerations": [{"operator": "Exists"}]}, "tolerations=*", False),
    ({"tolerations": [{"key": "node.kubernetes.io/unschedulable"}]}, "tolerations=node.kubernetes.io/unschedulable", False),
    ({"volumes": [{"name": "a", "hostPath": {"path": "/dev/shm"}}]}, "hostPath=/dev/shm", True),
    ({"volumes": [{"name": "a", "hostPath": None}]}, "hostPath=None", True),
    ({"volumes": [{"name": "a", "nfs": {"server": "a"}}]}, "volumes=nfs", False),
    ({"volumes": [{"name": "a", "newKind": {}}]}, "volumes=newKind", False),
    ({"newField": {"a": 1}}, "spec.newField", False),
    ({"template": {"spec": {}}}, "spec.template", False),
    ({"securityContext": {"seccompProfile": {"type": "Unconfined"}}}, "seccompProfile=Unconfined", True),
    ({"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}, "appArmorProfile=Unconfined", True),
    ({"securityContext": {"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}}, "sysctls=kernel.msgmax", True),
    ({"securityContext": {"windowsOptions": {"hostProcess": True}}}, "hostProcess", True),
    ({"securityContext": {"seLinuxOptions": {"type": "spc_t"}}}, "seLinuxOptions.type=spc_t", True),
    ({"securityContext": {"seLinuxOptions": {"role": "sysadm_r"}}}, "seLinuxOptions.role=sysadm_r", True),
    ({"securityContext": {"newField": 1}}, "securityContext.newField", False),
]
CONTAINER: list[tuple[Object, str, bool]] = [
    ({"securityContext": {"privileged": True}}, "privileged", True),
    ({"securityContext": {"procMount": "Unmasked"}}, "procMount=Unmasked", True),
    ({"securityContext": {"capabilities": {"add": ["IPC_LOCK"]}}}, "capabilities=IPC_LOCK", True),
    ({"securityContext": {"capabilities": {"add": ["ALL"]}}}, "capabilities=ALL", True),
    ({"securityContext": {"capabilities": {"add": [{}]}}}, "capabilities={}", True),
    ({"securityContext": {"seccompProfile": {"type": "Unconfined"}}}, "seccompProfile=Unconfined", True),
    ({"securityContext": {"windowsOptions": {"hostProcess": True}}}, "hostProcess", True),
    ({"securityContext": {"sysctls": []}}, "", False),
    ({"ports": [{"containerPort": 80, "hostPort": 80}]}, "hostPort=80", True),
    ({"livenessProbe": {"httpGet": {"host": "10.0.0.1"}}}, "probeHost=10.0.0.1", True),
    ({"startupProbe": {"tcpSocket": {"host": "10.0.0.1"}}}, "probeHost=10.0.0.1", True),
    ({"lifecycle": {"postStart": {"httpGet": {"host": "10.0.0.1"}}}}, "probeHost=10.0.0.1", True),
    ({"newField": True}, "containers.newField", False),
]


def with_pod(**spec: t.Any) -> Object:
    made = job()
    made["spec"]["template"]["spec"] |= spec
    return made


def of(manifest: Object) -> tuple[Right, ...]:
    kind = kind_named(manifest["kind"])
    assert kind is not None
    return rights(kind, manifest)


def test_fields_without_effect_outside_the_container_are_no_right() -> None:
    made = job()
    made["spec"]["template"] = HARMLESS
    assert of(made) == ()


@pytest.mark.parametrize(("spec", "name", "baseline"), POD)
def test_rights_of_a_pod_are_recognised(spec: Object, name: str, baseline: bool) -> None:
    assert of(with_pod(**spec)) == (Right(name, baseline),)


@pytest.mark.parametrize(("one", "other"), [("/a" * 60 + "/one", "/a" * 60 + "/other"), ("/a\n", "/a\t"), ("/a?", "/a\n")])
def test_similar_paths_are_separate_rights(one: str, other: str) -> None:
    volumes = [{"name": path, "hostPath": {"path": path}} for path in (one, other)]
    assert len({each.name for each in of(with_pod(volumes=volumes))}) == 2


@pytest.mark.parametrize("list_", ["containers", "initContainers"])
@pytest.mark.parametrize(("fields", "name", "baseline"), CONTAINER)
def test_rights_of_a_container_are_recognised(list_: str, fields: Object, name: str, baseline: bool) -> None:
    found = of(with_pod(**{list_: [{"name": "harmless"}, {"name": "a", **fields}]}))
    assert found == ((Right(name, baseline),) if name else ())


def test_ephemeral_containers_are_a_right_and_may_have_rights() -> None:
    found = of(with_pod(ephemeralContainers=[{"name": "a", "securityContext": {"privileged": True}}]))
    assert [each.name for each in found] == ["ephemeralContainers", "privileged"]


@pytest.mark.parametrize(
    ("annotation", "value", "name"),
    [
        ("container.apparmor.security.beta.kubernetes.io/a", "unconfined", "appArmorProfile=unconfined"),
        ("seccomp.security.alpha.kubernetes.io/pod", "unconfined", "seccompProfile=unconfined"),
        ("container.seccomp.security.alpha.kubernetes.io/a", "unconfined", "seccompProfile=unconfined"),
        ("container.seccomp.security.alpha.kubernetes.io/a", "localhost/a", ""),
    ],
)
def test_annotations_of_older_releases_are_recognised(annotation: str, value: str, name: str) -> None:
    made = job()
    made["spec"]["template"]["metadata"] = {"annotations": {annotation: value}}
    assert of(made) == ((Right(name, True),) if name else ())


def _patched() -> Object:
    made = train_job()
    pod = {"spec": {"serviceAccountName": "admin", "volumes": [{"name": "a", "hostPath": {"path": "/"}}]}}
    jobs = [{"name": "launcher", "template": {"spec": {"template": pod}}}]
    made["spec"]["runtimePatches"] = [{"manager": "a"}, {"manager": "b", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}]
    return made


@pytest.mark.parametrize(
    "manifest", [job(), pytorch_job(), hyperpod_job(), job_set(), mpi_job(), _patched()], ids=lambda each: each["kind"]
)
def test_each_template_of_each_kind_is_read(manifest: Object) -> None:
    kind = kind_named(manifest["kind"])
    assert kind is not None
    if kind.name != "TrainJob":
        for each in kind.templates(manifest, False):
            each.body["spec"] |= {"serviceAccountName": "admin", "volumes": [{"name": "a", "hostPath": {"path": "/"}}]}
            assert [right.name for right in of(manifest)] == ["hostPath=/", "serviceAccountName=admin"]
            del each.body["spec"]["serviceAccountName"], each.body["spec"]["volumes"]
    else:
        assert [right.name for right in of(manifest)] == ["hostPath=/", "serviceAccountName=admin"]


@pytest.mark.parametrize("odd", [None, "text", 1, [], {}, [None, "text", [1]], {"a": {"b": []}}])
def test_values_of_any_type_are_tolerated(odd: t.Any) -> None:
    names = ("containers", "volumes", "tolerations", "securityContext", "nodeName", "hostNetwork", "priorityClassName", "metadata")
    for name in names:
        of(with_pod(**{name: odd}))
    for name in ("securityContext", "ports", "lifecycle", "livenessProbe"):
        of(with_pod(containers=[{name: odd}]))
        of(with_pod(containers=[{"securityContext": {name: odd, "capabilities": {"add": odd}, "seLinuxOptions": odd}}]))
