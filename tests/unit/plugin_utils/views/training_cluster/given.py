# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role training_cluster for its views."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.variables import default_values

ARN = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
CALLER = "mlfleet-platform"
SESSION = f"arn:aws:sts::111111111111:assumed-role/{CALLER}/session"
ADMIN = f"arn:aws:iam::111111111111:role/{CALLER}"
GROUP = {"name": "gpu", "instance_type": "p5.48xlarge", "nodes": 2}
TYPE = {"known": True, "gpus": 0, "gpu_manufacturer": "", "neuron_devices": 0, "efa_devices": 0, "architecture": "x86_64"}
TYPES = [
    {**TYPE, "name": "m7i.xlarge", "zones": ["us-west-2a", "us-west-2b"]},
    {**TYPE, "name": "p5.48xlarge", "gpus": 8, "gpu_manufacturer": "NVIDIA", "efa_devices": 32, "zones": ["us-west-2b", "us-west-2c"]},
]
VERSIONS = [
    {"version": "1.33", "default": False, "status": "extended"},
    {"version": "1.34", "default": True, "status": "standard"},
    {"version": "1.35", "default": False, "status": "standard"},
]


LISTS = ("pods", "jobs", "unfinished_jobs", "load_balancers", "volumes", "unread", "unread_jobs")
"""The keys of ``kubernetes_workloads``, as ``kubernetes_workload_info`` returns it."""


def resource(kind: str, name: str, *, ours: bool = True, status: str = "", **details: t.Any) -> dict[str, t.Any]:
    return {"kind": kind, "name": name, "id": f"{kind}-1", "ours": ours, "status": status, "details": details}


def cluster(*, ours: bool = True, status: str = "", **details: t.Any) -> dict[str, t.Any]:
    """An EKS cluster that exists."""
    has = {"version": "1.34", "vpc_id": "vpc-9", "auto_mode": False, "security_group_id": "sg-9"}
    return resource("eks_cluster", "ml", ours=ours, status=status, **{**has, **details})


def variables(*resources: dict[str, t.Any], check: bool = False, **more: t.Any) -> dict[str, t.Any]:
    """Variables of a host whose cluster has these resources. ``more``: variables, without the prefix of the role."""
    defaults = {**default_values("training_cluster"), "training_cluster_name": "ml", "training_cluster_groups": [GROUP], "training_cluster_admins": [ADMIN]}
    return {
        **defaults,
        "hyperpod_region": "us-west-2",
        "hyperpod_profile": "research",
        "inventory_hostname": "host",
        "hostvars": {"host": {}},
        "ansible_check_mode": check,
        "__training_cluster_found": {"resources": list(resources), "blockers": [], "eks_cluster_arn": ARN, "caller_arn": SESSION},
        "__training_cluster_types": {"instance_types": TYPES},
        "__training_cluster_zones": {"availability_zones": [{"zone_name": f"us-west-2{each}"} for each in "abc"]},
        "__training_cluster_versions": {"eks_versions": VERSIONS},
        **{f"training_cluster_{name}": value for name, value in more.items() if not name.startswith("__")},
        **{name: value for name, value in more.items() if name.startswith("__")},
    }


def seen(**parts: t.Any) -> dict[str, t.Any]:
    """The variable with what people run in the cluster: these parts, and nothing else."""
    return {"__training_cluster_workloads": {"kubernetes_workloads": {**{name: [] for name in LISTS}, **parts}}}


def network(**more: t.Any) -> dict[str, t.Any]:
    """Variables of a host with a VPC of its own: two subnets with a route to a NAT gateway."""
    subnets = [
        {"subnet_id": f"subnet-{each}", "vpc_id": "vpc-1", "availability_zone": f"us-west-2{each}", "available_ip_address_count": 200}
        for each in "ab"
    ]
    route = {"destination_cidr_block": "0.0.0.0/0", "nat_gateway_id": "nat-1", "state": "active"}
    vpc = {"vpc_id": "vpc-1", "cidr_block": "10.0.0.0/16", "enable_dns_support": True, "enable_dns_hostnames": True}
    return {
        "vpc_id": "vpc-1",
        "subnet_ids": ["subnet-a", "subnet-b"],
        "node_subnet_id": "subnet-b",
        "__training_cluster_vpcs": {"vpcs": [vpc]},
        "__training_cluster_subnets": {"subnets": subnets},
        "__training_cluster_route_tables": {"route_tables": [{"associations": [{"main": True}], "routes": [route]}]},
        "__training_cluster_endpoints": {"vpc_endpoints": []},
        **more,
    }
