# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module's result."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.known import NVIDIA
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.manifest import bare, daemon_set
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.model import (
    DAEMON_SET,
    Machine,
    PluginPod,
    Provider,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.model import Found, Kind

from .cluster import DIGEST, GPU, IMAGE, OTHER_TYPE, TYPE
from .wanted import desired

KIND = Kind("daemonsets", namespaced=True)
WANTED = desired(gpu_instance_types=[OTHER_TYPE, TYPE], efa_instance_types=None)


def test_a_plugin_beside_another_provider() -> None:
    live = daemon_set(NVIDIA, IMAGE, [TYPE], []).definition
    providers = {"nvidia": (Provider(DAEMON_SET, "x/y", frozenset((OTHER_TYPE,))), Provider(DAEMON_SET, "x/z", frozenset(("a.b",))))}
    machines = (Machine("a", TYPE, {GPU: 8}), Machine("b", TYPE), Machine("c", OTHER_TYPE))
    hashed = live["spec"]["template"]["metadata"]["annotations"]["mlfleet.hyperpod/specification"]
    pods = (PluginPod("a", hashed, digest=DIGEST), PluginPod("b", "old", digest="sha256:1"), PluginPod("b", hashed, False, "Late", "sha256:2"))
    found = result(WANTED, State({"nvidia": Found(bare(NVIDIA), KIND, live)}, providers, machines, {"nvidia": pods}))
    assert found["device_plugins"] == {
        "nvidia": {
            "resource": GPU,
            "installed": True,
            "instance_types": [TYPE],
            "image": IMAGE,
            "digests": [DIGEST],
            "nodes": 2,
            "nodes_ready": 1,
            "not_ready": [{"node": "b", "reason": "Late"}],
            "in_use_by": [{"kind": DAEMON_SET, "name": "x/y", "instance_types": [OTHER_TYPE]}],
        },
        "efa": None,
    }


def test_nothing_is_installed() -> None:
    found = result(WANTED, State({"nvidia": Found(bare(NVIDIA), KIND)}))["device_plugins"]["nvidia"]
    assert (found["installed"], found["instance_types"], found["image"], found["nodes"], found["in_use_by"]) == (False, [], "", 0, [])
