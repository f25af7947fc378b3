# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration that a node's programs accept."""

from __future__ import annotations

import json
import tomllib

from lab.pods import images, network, settings


def test_containers_come_from_our_specification_and_have_no_control_groups() -> None:
    found = tomllib.loads(settings.containerd())["plugins"]["io.containerd.grpc.v1.cri"]
    assert (found["sandbox_image"], found["disable_cgroup"]) == (images.PAUSE, True)
    assert found["registry"] == {"config_path": settings.REGISTRIES}
    assert found["containerd"]["runtimes"]["runc"]["base_runtime_spec"] == settings.SPECIFICATION


def test_nodes_have_ranges_of_their_own() -> None:
    ranges = {json.loads(settings.pod_network(number))["plugins"][0]["ipam"]["ranges"][0][0]["subnet"] for number in network.NUMBERS}
    assert ranges == {"10.244.1.0/24", "10.244.2.0/24"}


def test_kubelet_enforces_nothing_and_uses_the_labs_name_server() -> None:
    found = json.loads(settings.kubelet())
    assert (found["cgroupsPerQOS"], found["enforceNodeAllocatable"], found["clusterDNS"]) == (False, [], [network.GATEWAY])
    assert "--register-node=false" in settings.kubelet_flags("a", "10.246.0.11")
