# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first scenario, created by calls to the AWS API: `python -m lab.cli.world` inside the lab."""

from __future__ import annotations

import time
import typing as t
from collections.abc import Callable

import boto3
from lab.names import REGION, LabError

CLUSTER = "ml"
VPC_CIDR = "10.1.0.0/16"
SUBNETS = {"lab-a": ("10.1.1.0/24", f"{REGION}a"), "lab-b": ("10.1.2.0/24", f"{REGION}b")}
FOREIGN_CIDR = "10.200.0.0/16"  # a foreign rule in the nodes' security group
FILE_SYSTEM = f"fs-0123456789abcdef0.fsx.{REGION}.amazonaws.com"
ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
READY_SECONDS = 120


def client(service: str, profile: str = "lab"):
    """A client of an administrator of the profile's account, because the documented policies do not apply to the lab and its tests."""
    return boto3.session.Session(profile_name=f"{profile}-admin", region_name=REGION).client(service)


def make(progress: Callable[[str], None], *, login: int = 3, compute: int = 2) -> None:
    begin = time.monotonic()
    subnets, group = make_network()
    progress(f"VPC, subnets, security group: {time.monotonic() - begin:.1f} s")
    create_cluster(CLUSTER, subnets, group, login=login, compute=compute)
    wait_in_service(CLUSTER)
    progress(f"cluster {CLUSTER}, machines and Slurm: {time.monotonic() - begin:.1f} s")


def make_network() -> tuple[list[str], str]:
    """A VPC; its subnets and the nodes' security group."""
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock=VPC_CIDR, TagSpecifications=_named("vpc", "lab"))["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(
            VpcId=vpc, CidrBlock=cidr, AvailabilityZone=zone, TagSpecifications=_named("subnet", name)
        )["Subnet"]["SubnetId"]
        for name, (cidr, zone) in SUBNETS.items()
    ]
    return subnets, _security_group(ec2, vpc)


def _named(kind: str, name: str) -> list[dict]:
    return [{"ResourceType": kind, "Tags": [{"Key": "Name", "Value": name}]}]


def _security_group(ec2, vpc: str) -> str:
    """The nodes' group: all traffic among nodes in both directions, as EFA requires, and one foreign rule."""
    group = ec2.create_security_group(
        GroupName="lab-cluster",
        Description="HyperPod nodes",
        VpcId=vpc,
        TagSpecifications=_named("security-group", "lab-cluster"),
    )["GroupId"]
    itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group, "Description": "EFA"}]}]
    foreign = {"CidrIp": FOREIGN_CIDR, "Description": "monitoring of another team"}
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=itself)
    ec2.authorize_security_group_egress(GroupId=group, IpPermissions=itself)
    ec2.authorize_security_group_ingress(
        GroupId=group,
        IpPermissions=[{"IpProtocol": "tcp", "FromPort": 9100, "ToPort": 9100, "IpRanges": [foreign]}],
    )
    return group


def create_cluster(name: str, subnets: list[str], security_group: str, *, login: int = 3, compute: int = 2) -> str:
    """The cluster of ``definition``; returns its ARN."""
    wanted = definition(name, subnets, security_group, login=login, compute=compute)
    return client("sagemaker").create_cluster(**wanted)["ClusterArn"]


def definition(name: str, subnets: list[str], security_group: str, *, login: int = 3, compute: int = 2) -> dict[str, t.Any]:
    """Parameters of CreateCluster: Slurm, a controller, login nodes over all subnets, and compute nodes."""
    groups = [
        _group("controller-machine", "ml.m5.xlarge", 1, {"NodeType": "Controller"}),
        _group("login-group", "ml.m5.xlarge", login, {"NodeType": "Login"})
        | {"OverrideVpcConfig": {"SecurityGroupIds": [security_group], "Subnets": subnets}},
        _group("worker-group-1", "ml.p5.48xlarge", compute, {"NodeType": "Compute", "PartitionNames": ["gpu"]}),
    ]
    return {
        "ClusterName": name,
        "InstanceGroups": groups,
        "VpcConfig": {"SecurityGroupIds": [security_group], "Subnets": subnets[:1]},
        "Orchestrator": {"Slurm": {}},
        "NodeProvisioningMode": "Continuous",
        "NodeRecovery": "Automatic",
        "Tags": [{"Key": "team", "Value": "research"}],
    }


def _group(name: str, instance_type: str, count: int, slurm: dict) -> dict:
    return {
        "InstanceGroupName": name,
        "InstanceType": instance_type,
        "InstanceCount": count,
        "ExecutionRole": ROLE,
        "ThreadsPerCore": 1,
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-lab/lifecycle", "OnCreate": "on_create.sh"},
        "SlurmConfig": slurm,
        "InstanceStorageConfigs": [{"FsxLustreConfig": {"DnsName": FILE_SYSTEM, "MountName": "lab"}}],
    }


def nodes(cluster: str) -> list[dict]:
    pages = client("sagemaker").get_paginator("list_cluster_nodes").paginate(ClusterName=cluster)
    return [node for page in pages for node in page["ClusterNodeSummaries"]]


def wait_in_service(cluster: str) -> None:
    """Wait until the cluster is InService and all its nodes run."""
    sagemaker = client("sagemaker")
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        found = sagemaker.describe_cluster(ClusterName=cluster)
        listed = nodes(cluster)
        broken = [node for node in listed if node["InstanceStatus"]["Status"] == "Failure"]
        if broken or found["ClusterStatus"] in ("Failed", "RollingBack"):
            reason = broken[0]["InstanceStatus"].get("Message") if broken else found.get("FailureMessage")
            raise LabError(f"cluster {cluster}: {reason}")
        wanted = sum(group["TargetCount"] for group in found["InstanceGroups"])
        running = sum(1 for node in listed if node["InstanceStatus"]["Status"] == "Running")
        if found["ClusterStatus"] == "InService" and running == wanted:
            return
        time.sleep(0.2)
    raise LabError(f"cluster {cluster}: not in service after {READY_SECONDS} s")


if __name__ == "__main__":
    make(lambda text: print(f"  {text}", flush=True))
