# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters with different declarations, on a simulated AWS without machines; each is a host of one inventory."""

from __future__ import annotations

import contextlib
import json
import sys
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

import reported
import yaml
from simulated import REGION, Simulated, simulated_aws
from simulated.controller import ansible

LIMIT = 300
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxpZXMgbGllcyBsaWVzIGxpZXMgbGllcyBsaWVzICEh"


@dataclass(frozen=True)
class Run:
    rc: int
    output: str
    failures: dict[str, list[str]]
    """Failures by cluster, as in the report."""
    notes: dict[str, list[str]]
    changed: dict[str, list[str]]
    """Resources that the run changed, or would change, by cluster, as in the report."""
    changes: list[str]
    """Mutating operations, in the order of the calls."""


class Controller:
    """A folder from which playbooks run, for clusters whose variables a test declares."""

    def __init__(self, folder: Path, aws: Simulated) -> None:
        self.folder, self.aws = folder, aws
        self.home = folder / "home"
        self.inventory = folder / "inventory.yml"
        (self.home / ".ssh").mkdir(parents=True)
        (self.home / ".ssh/id_ed25519.pub").write_text(KEY + "\n")
        ec2 = aws.client("ec2")
        self.vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        self.subnet = self.make_subnet("10.1.1.0/24", "a")
        self.group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=self.vpc)["GroupId"]
        self.arn = self._make_cluster()

    def make_subnet(self, cidr: str, zone: str) -> str:
        made = self.aws.client("ec2").create_subnet(VpcId=self.vpc, CidrBlock=cidr, AvailabilityZone=f"{REGION}{zone}")
        return str(made["Subnet"]["SubnetId"])

    def _make_cluster(self) -> str:
        groups = [
            {
                "InstanceGroupName": f"{kind}-group",
                "InstanceType": "ml.m5.large",
                "InstanceCount": 1,
                "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod-nodes",
                "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-example/code", "OnCreate": "on_create.sh"},
                "SlurmConfig": {"NodeType": kind.title()},
            }
            for kind in ("controller", "login")
        ]
        sagemaker = self.aws.client("sagemaker")
        arn = sagemaker.create_cluster(
            ClusterName="ml",
            InstanceGroups=groups,
            VpcConfig={"Subnets": [self.subnet], "SecurityGroupIds": [self.group]},
            Orchestrator={"Slurm": {}},
            NodeProvisioningMode="Continuous",
        )["ClusterArn"]
        deadline = time.monotonic() + 60
        while sagemaker.describe_cluster(ClusterName="ml")["ClusterStatus"] != "InService":
            assert time.monotonic() < deadline, "the cluster is not in service"
            time.sleep(0.2)
        return str(arn)

    def host(self, name: str, *, exists: bool = True) -> dict[str, t.Any]:
        """Variables of a cluster's host. All hosts that exist are the same cluster, which tests only read."""
        arn = self.arn if exists else f"arn:aws:sagemaker:{REGION}:111111111111:cluster/{name[:1]:x<12}"
        return {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "hyperpod_cluster_key": name,
            "hyperpod_cluster_group": f"cluster_{name}",
            "hyperpod_cluster_name": name,
            "hyperpod_cluster_arn": arn,
            "hyperpod_cluster_id": arn.rpartition("/")[2],
            "hyperpod_account_id": "111111111111",
            "hyperpod_region": REGION,
            "hyperpod_connection": "direct",
            "hyperpod_state_dir": str(self.home / ".mlfleet/hyperpod"),
        }

    def declare(self, clusters: t.Mapping[str, t.Mapping[str, t.Any]]) -> None:
        """Write the inventory from host variables by cluster."""
        groups: dict[str, t.Any] = {"hyperpod_clusters": {"hosts": dict(clusters)}, "hyperpod_nodes": {"hosts": {}}}
        groups["orchestrator_slurm"] = {"hosts": dict.fromkeys(clusters)}
        groups |= {f"cluster_{name}": {"hosts": {name: None}} for name in clusters}
        self.inventory.write_text(yaml.safe_dump({"all": {"children": groups}}))

    def playbook(self, name: str, *arguments: str) -> Run:
        self.aws.control("reset-calls", {})
        for report in self._reports():
            report.unlink()
        done = ansible(
            "playbook",
            *("-i", str(self.inventory), name, *arguments),
            home=self.home,
            temporary=self.folder / "tmp",
            limit=LIMIT,
            PATH=f"{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin",
            ANSIBLE_NOCOLOR="1",
            AWS_ENDPOINT_URL=self.aws.url,
            AWS_ACCESS_KEY_ID="AKIAEXAMPLE",
            AWS_SECRET_ACCESS_KEY="example",
        )
        reports = self._reports()
        report = json.loads(reports[0].read_text()) if reports else {"clusters": {}}
        clusters = {key: reported.cluster(report, key) for key in report["clusters"]}
        return Run(
            rc=done.returncode,
            output=done.stdout + done.stderr,
            failures={key: each["failures"] for key, each in clusters.items()},
            notes={key: each["notes"] for key, each in clusters.items()},
            changed={key: [each["resource"] for each in cluster["changes"]] for key, cluster in clusters.items()},
            changes=self.aws.changes(),
        )

    def _reports(self) -> list[Path]:
        """Report files of the last run; check mode may write another one."""
        return list((self.home / ".mlfleet/hyperpod").glob("report*.json"))


@contextlib.contextmanager
def controller(folder: Path) -> t.Iterator[Controller]:
    with simulated_aws(folder) as aws:
        yield Controller(folder, aws)
