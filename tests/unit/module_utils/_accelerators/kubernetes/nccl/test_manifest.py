# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a test: a Job per node with all its GPUs and a deadline, a Service for the names of the pods, and their command."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl import manifest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.programs import POD, TORCH
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Share

from .tested import LABEL, desired, name

RUN = "0a1b2c3d"


def job(number: int = 1, share: Share = Share(32, huge_pages=True)) -> dict[str, t.Any]:
    return manifest.job(RUN, desired(), number, share)


def pod(number: int = 1, share: Share = Share(32, huge_pages=True)) -> dict[str, t.Any]:
    found: dict[str, t.Any] = job(number, share)["spec"]["template"]["spec"]
    return found


def test_the_scheduler_places_it_on_its_node_or_nowhere() -> None:
    field = {"key": "metadata.name", "operator": "In", "values": [name(2)]}
    required = pod()["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert required == {"nodeSelectorTerms": [{"matchFields": [field]}]} and "nodeName" not in pod() and "schedulerName" not in pod()
    assert {each["key"] for each in pod()["tolerations"]} == {"nvidia.com/gpu", "vpc.amazonaws.com/efa"}
    assert "priorityClassName" not in pod() and job()["spec"]["template"]["metadata"]["annotations"] == {"karpenter.sh/do-not-disrupt": "true"}


def test_its_deadline_includes_the_time_to_start() -> None:
    spec, meta = job()["spec"], job()["metadata"]
    assert (spec["backoffLimit"], spec["activeDeadlineSeconds"], spec["ttlSecondsAfterFinished"]) == (0, 60 + 900 + 600 + 60, 600)
    assert meta["annotations"] == {"mlfleet.hyperpod/needed-seconds": "1620"} and meta["labels"][LABEL] == RUN
    assert "kueue.x-k8s.io/queue-name" not in meta["labels"]


def test_a_pod_requests_all_devices_of_its_node() -> None:
    resources = pod()["containers"][0]["resources"]
    assert resources["limits"] == {"nvidia.com/gpu": "8", "memory": "64Gi", "vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "5120Mi"}
    assert resources["requests"] == {"cpu": "8", **resources["limits"]}
    assert pod(share=Share())["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "8", "memory": "64Gi"}
    assert pod()["volumes"] == [{"name": "shared", "emptyDir": {"medium": "Memory", "sizeLimit": "16Gi"}}]
    assert "securityContext" not in pod()["containers"][0] and "hostNetwork" not in pod() and pod()["automountServiceAccountToken"] is False


def test_all_pods_connect_to_the_first_one() -> None:
    container = pod(0)["containers"][0]
    environment = {each["name"]: each["value"] for each in container["env"]}
    assert (pod(0)["hostname"], pod(0)["subdomain"]) == ("node-0", "nccl-0a1b2c3d")
    assert (environment["MASTER_ADDR"], environment["NCCL_DEBUG"]) == ("node-0.nccl-0a1b2c3d", "INFO")
    assert environment["MEETING_SECONDS"] == "1500", "a node with the image waits for those that pull it"
    first = {"metadata": {"name": "nccl-0a1b2c3d-0", "uid": "a"}}
    service = manifest.service(RUN, desired(), first)
    assert service["metadata"]["name"] == "nccl-0a1b2c3d" and service["metadata"]["ownerReferences"][0]["uid"] == "a"
    assert (service["spec"]["clusterIP"], service["spec"]["publishNotReadyAddresses"], service["spec"]["selector"]) == ("None", True, {LABEL: RUN})
    assert str(service["spec"]["ports"][0]["port"]) == environment["MASTER_PORT"]


def test_the_kubelet_expands_nothing_in_the_arguments() -> None:
    container = pod()["containers"][0]
    assert "command" not in container, "the entry point of the image comes first"
    shell, option, program, _name, *numbers, torch = (each.replace("$$", "$") for each in container["args"])
    assert (shell, option, program, torch) == ("/bin/sh", "-c", POD, TORCH)
    assert numbers == ["8", "1", "2", str(2**28), str(2**32)]
    assert all(each.replace("$$", "").count("$") == 0 for each in container["args"]), "the kubelet would expand a single $"
