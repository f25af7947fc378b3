# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration of a node's programs. Nodes have no controllers in their control groups, so limits of Pods are not enforced."""

from __future__ import annotations

import json
import typing as t

from . import images, network

CONTAINERD = """version = 2
disabled_plugins = [{disabled}]
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{pause}"
disable_apparmor = true
disable_cgroup = true
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "/etc/cni/net.d"
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "{registries}"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
base_runtime_spec = "{specification}"
"""
SPECIFICATION = "/etc/containerd/base.json"
"""The runtime's defaults for each container."""
REGISTRIES = "/etc/containerd/certs.d"
"""A folder for each registry, with the authority of its certificate. The folder ``_default`` is for all other registries."""
SNAPSHOTTERS = ("aufs", "blockfile", "btrfs", "devmapper", "zfs")
"""These need devices or kernel modules that a node lacks."""
SOCKET = "unix:///run/containerd/containerd.sock"
FOLDER = "/etc/kubernetes"
"""With ca.crt, kubelet.crt and kubelet.key."""
SYSCTLS = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1000000,
    "kernel/keys/root_maxbytes": 25000000,
}
"""Settings of the whole machine that kubelet would change. It finds these values in files bound over /proc, and writes nothing."""


def containerd() -> str:
    disabled = ", ".join(f'"io.containerd.snapshotter.v1.{name}"' for name in SNAPSHOTTERS)
    return CONTAINERD.format(disabled=disabled, pause=images.PAUSE, specification=SPECIFICATION, registries=REGISTRIES)


def pod_network(number: int) -> str:
    ranges = [[{"subnet": network.pod_range(number)}]]
    addresses = {"type": "host-local", "ranges": ranges, "routes": [{"dst": "0.0.0.0/0"}]}
    bridge = {"type": "bridge", "bridge": "cni0", "isGateway": True, "ipMasq": False, "ipam": addresses}
    return json.dumps({"cniVersion": "0.4.0", "name": "pods", "plugins": [bridge]})


def kubelet() -> str:
    """It accepts requests with a certificate of the cluster's authority, which the API server has."""
    settings: dict[str, t.Any] = {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": False},
            "x509": {"clientCAFile": f"{FOLDER}/ca.crt"},
        },
        "authorization": {"mode": "AlwaysAllow"},
        "tlsCertFile": f"{FOLDER}/kubelet.crt",
        "tlsPrivateKeyFile": f"{FOLDER}/kubelet.key",
        "cgroupDriver": "cgroupfs",
        "cgroupsPerQOS": False,
        "enforceNodeAllocatable": [],
        "failSwapOn": False,
        "clusterDNS": [network.GATEWAY],
        "clusterDomain": "cluster.local",
        "evictionHard": {"nodefs.available": "1%", "imagefs.available": "1%"},
        "imageGCHighThresholdPercent": 100,
        "nodeStatusUpdateFrequency": "2s",
        "syncFrequency": "10s",
    }
    return json.dumps(settings, indent=1)


def kubelet_flags(name: str, address: str) -> list[str]:
    """Without registration: the Node exists before kubelet starts."""
    return [
        *(f"--config={FOLDER}/kubelet.json", f"--kubeconfig={FOLDER}/kubelet.kubeconfig"),
        *(f"--hostname-override={name}", f"--node-ip={address}", "--register-node=false"),
        *("--container-runtime=remote", f"--container-runtime-endpoint={SOCKET}", "--root-dir=/var/lib/kubelet"),
    ]
