# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions of clusters as AWS documents them, and the resources that they need in the simulated API."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

from . import Simulated
from .definitions import Definitions

ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
BOUNDARY = "arn:aws:iam::111111111111:policy/mlfleet-hyperpod-boundary"


def group(name: str, count: int, **more: t.Any) -> dict[str, t.Any]:
    return {"InstanceGroupName": name, "InstanceType": "ml.m5.large", "InstanceCount": count, "ExecutionRole": ROLE, **more}


def document(name: str, network: t.Mapping[str, t.Any], *groups: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    """A definition as AWS documents it."""
    return {
        "ClusterName": name,
        "VpcConfig": network,
        "Orchestrator": {"Slurm": {}},
        "NodeProvisioningMode": "Continuous",
        "NodeRecovery": "Automatic",
        "InstanceGroups": list(groups),
        "Tags": [{"Key": "lab/hosts", "Value": "none"}],
        **more,
    }


CONTROLLER = group("controller-machine", 1, SlurmConfig={"NodeType": "Controller"})
LOGIN = group("login-group", 1, SlurmConfig={"NodeType": "Login"})
WORKERS = group("workers", 1, SlurmConfig={"NodeType": "Compute", "PartitionNames": ["dev"]})


def defined(
    controller: Definitions, file: Path, name: str, network: t.Mapping[str, t.Any], *groups: dict[str, t.Any], **more: t.Any
) -> None:
    """Declare a cluster whose definition is a JSON file."""
    file.write_text(json.dumps(document(name, network, *groups, **more)))
    controller.define(**{name: {"hyperpod_cluster_definition_file": str(file)}})


def provisioned(**changed: t.Any) -> dict[str, t.Any]:
    return {
        "version": "1.0.0",
        "workload_manager": "slurm",
        "controller_group": "controller-machine",
        "login_group": "login-group",
        "worker_groups": [{"instance_group_name": "workers", "partition_name": "dev"}],
        **changed,
    }


def eks(aws: Simulated, name: str, network: t.Mapping[str, t.Any], mode: str) -> str:
    """ARN of a new EKS cluster in the network, with an endpoint for S3."""
    ec2 = aws.client("ec2")
    (subnet,) = ec2.describe_subnets(SubnetIds=network["Subnets"])["Subnets"]
    (table,) = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [subnet["VpcId"]]}])["RouteTables"]
    service = "com.amazonaws.us-west-2.s3"
    ec2.create_vpc_endpoint(VpcId=subnet["VpcId"], ServiceName=service, RouteTableIds=[table["RouteTableId"]])
    made = aws.client("eks").create_cluster(
        name=name,
        roleArn="arn:aws:iam::111111111111:role/eks",
        version="1.34",
        resourcesVpcConfig={"subnetIds": network["Subnets"]},
        accessConfig={"authenticationMode": mode},
    )
    return str(made["cluster"]["arn"])


def without_slurm_config(controller: Definitions, folder: Path, name: str) -> dict[str, t.Any]:
    """Variables of a cluster whose execution role and scripts are created by the run."""
    s3 = controller.aws.client("s3")
    if not s3.list_buckets()["Buckets"]:
        s3.create_bucket(Bucket="sagemaker-code", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    scripts = {"SourceS3Uri": f"s3://sagemaker-code/{name}/src", "OnCreate": "on_create.sh"}
    groups = [group(each, 1, LifeCycleConfig=scripts) for each in ("controller-machine", "login-group", "workers")]
    for each in groups:
        del each["ExecutionRole"]
    definition = document(name, controller.network(), *groups)
    del definition["NodeProvisioningMode"], definition["Orchestrator"]
    (folder / "parameters.json").write_text(json.dumps(provisioned()))
    (folder / "src/utils").mkdir(parents=True)
    (folder / "src/on_create.sh").write_text("#!/bin/bash\n")
    (folder / "src/utils/users.py").write_text("pass\n")
    return {
        "hyperpod_cluster_definition": definition,
        "hyperpod_cluster_provisioning_parameters_file": str(folder / "parameters.json"),
        "hyperpod_cluster_life_cycle_dir": str(folder / "src"),
        "hyperpod_cluster_execution_role": f"hyperpod-nodes-{name}",
        "hyperpod_cluster_execution_role_boundary": BOUNDARY,
    }
