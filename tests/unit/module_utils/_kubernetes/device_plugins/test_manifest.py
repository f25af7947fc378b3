# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DaemonSets, also against the published schemas of Kubernetes."""

from __future__ import annotations

import kubernetes_validate
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.known import (
    AWS_EFA,
    NVIDIA,
    PLUGINS,
    Plugin,
    instance_types,
    plugins_of,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.manifest import bare, daemon_set

from .cluster import OTHER_TYPE, TYPE, Object

IMAGE = "mirror.example.com/plugin:v1"
OLDEST, NEWEST = "1.27", "1.37"
"""Kubernetes releases."""


def made(plugin: Plugin) -> Object:
    return daemon_set(plugin, IMAGE, [OTHER_TYPE, TYPE], [{"operator": "Exists"}]).definition


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.key)
def test_the_objects_match_the_published_schema(plugin: Plugin, version: str) -> None:
    kubernetes_validate.validate(made(plugin), version, strict=True)
    wrong = made(plugin)
    wrong["spec"]["template"]["spec"]["unknown"] = True
    with pytest.raises(kubernetes_validate.ValidationError, match="unknown"):
        kubernetes_validate.validate(wrong, version, strict=True)


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.key)
def test_common_properties(plugin: Plugin) -> None:
    found = made(plugin)
    pod = found["spec"]["template"]["spec"]
    assert found["metadata"] == {**bare(plugin).definition["metadata"], "name": f"mlfleet-{plugin.key}-device-plugin", "namespace": "kube-system"}
    assert found["metadata"]["labels"]["app.kubernetes.io/managed-by"] == "mlfleet.hyperpod"
    assert found["spec"]["selector"]["matchLabels"] == found["spec"]["template"]["metadata"]["labels"]
    assert (pod["priorityClassName"], pod["automountServiceAccountToken"]) == ("system-node-critical", False)
    assert pod["tolerations"] == [{"operator": "Exists"}] and pod["containers"][0]["image"] == IMAGE
    assert plugins_of(found) == [plugin] and instance_types(found) == frozenset((OTHER_TYPE, TYPE))
    (term,) = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert {"key": "eks.amazonaws.com/compute-type", "operator": "NotIn", "values": ["auto"]} in term["matchExpressions"]


def test_the_hash_depends_on_the_specification_only() -> None:
    def hashed(image: str, *tolerations: Object) -> str:
        template = daemon_set(NVIDIA, image, [TYPE], tolerations).definition["spec"]["template"]
        return str(template["metadata"]["annotations"]["mlfleet.hyperpod/specification"])

    assert hashed(IMAGE) == hashed(IMAGE)
    assert len({hashed(IMAGE), hashed("a/b:v1"), hashed(IMAGE, {"operator": "Exists"})}) == 3


def test_no_tolerations() -> None:
    """The API server drops an empty list, which would be a change in each run."""
    assert "tolerations" not in daemon_set(NVIDIA, IMAGE, [TYPE], []).definition["spec"]["template"]["spec"]


def test_privileges_follow_the_published_manifests() -> None:
    gpu, efa = (made(each)["spec"]["template"]["spec"] for each in (NVIDIA, AWS_EFA))
    assert gpu["containers"][0]["securityContext"] == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
    assert "hostNetwork" not in gpu and efa["hostNetwork"] is True
    assert efa["containers"][0]["securityContext"]["privileged"] is True
    folders = [{each["hostPath"]["path"] for each in pod["volumes"]} for pod in (gpu, efa)]
    assert folders == [{"/var/lib/kubelet/device-plugins"}, {"/var/lib/kubelet/device-plugins", "/dev/infiniband"}]
    mounts = {each["name"]: each["mountPath"] for each in efa["containers"][0]["volumeMounts"]}
    assert mounts == {each["name"]: each["hostPath"]["path"] for each in efa["volumes"]}
