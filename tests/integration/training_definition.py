# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory of a person who builds a training cluster, and the resources of the account."""

from __future__ import annotations

import typing as t

import yaml
from harness import HOME, Run
from lab.names import ACCOUNT, REGION
from training_world import TrainingWorld

NAME = "train"
BUILDER = "builder"
FOLDER = HOME / "training-cluster"
VARIABLES: dict[str, t.Any] = {
    "hyperpod_region": REGION,
    "hyperpod_profile": BUILDER,
    "training_cluster_name": NAME,
    "training_cluster_version": "1.34",
    "training_cluster_public_access_cidrs": ["203.0.113.0/24"],
    "training_cluster_groups": [{"name": "gpu", "instance_type": "p5.48xlarge", "nodes": 2, "labels": {"team": "research"}}],
    "training_cluster_file_system": {"storage_capacity": 1200, "deployment_type": "SCRATCH_2"},
    "training_cluster_namespace": "research",
    "training_cluster_claim": "checkpoints",
    "training_cluster_verify": False,  # its nodes run no Pods; test_verify_training.py verifies nodes that do
    "training_cluster_boundary": f"arn:aws:iam::{ACCOUNT}:policy/mlfleet-hyperpod-boundary",
}
QUOTAS = {"Running On-Demand P instances": 768, "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances": 64}
ACCEPTED = ("-e", "training_cluster_accept_cost=200")
REMOVED = ("-e", "training_cluster_state=absent", "-e", f"training_cluster_confirm={NAME}")


class Definition:
    """The inventory of a person who builds a training cluster.

    :param variables: that differ from ``VARIABLES``.
    """

    def __init__(self, world: TrainingWorld, **variables: t.Any) -> None:
        self.world = world
        FOLDER.mkdir(exist_ok=True)
        self.inventory = FOLDER / "definitions.yml"
        hosts = {NAME: {**VARIABLES, "training_cluster_admins": [world.operator(BUILDER)], **variables}}
        self.inventory.write_text(yaml.safe_dump({"hyperpod_definitions": {"hosts": hosts}}))

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("-i", str(self.inventory))

    def playbook(self, *arguments: str) -> Run:
        return self.world.world.playbook("training_cluster", *self.arguments, *arguments)


def mutating(world: TrainingWorld) -> list[str]:
    return [call["operation"] for call in world.world.calls(mutating=True)]


def everything(world: TrainingWorld) -> dict[str, list[str]]:
    """All resources of the account that a training cluster could have."""
    ec2, iam, eks, fsx = (world.aws(service) for service in ("ec2", "iam", "eks", "fsx"))
    return {
        "vpcs": sorted(each["VpcId"] for each in ec2.describe_vpcs()["Vpcs"]),
        "subnets": sorted(each["SubnetId"] for each in ec2.describe_subnets()["Subnets"]),
        "groups": sorted(each["GroupId"] for each in ec2.describe_security_groups()["SecurityGroups"]),
        "templates": sorted(each["LaunchTemplateName"] for each in ec2.describe_launch_templates()["LaunchTemplates"]),
        "addresses": sorted(each["AllocationId"] for each in ec2.describe_addresses()["Addresses"]),
        "gateways": [each["NatGatewayId"] for each in ec2.describe_nat_gateways()["NatGateways"] if each["State"] != "deleted"],
        "tables": sorted(each["RouteTableId"] for each in ec2.describe_route_tables()["RouteTables"]),
        "roles": sorted(each["RoleName"] for each in iam.list_roles()["Roles"]),
        "clusters": eks.list_clusters()["clusters"],
        "file systems": sorted(each["FileSystemId"] for each in fsx.describe_file_systems()["FileSystems"]),
    }
