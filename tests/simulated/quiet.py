# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters on a simulated AWS without machines, with records of full looks that never happened."""

from __future__ import annotations

import collections
import datetime
import json
import subprocess
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

import boto3
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look import reasons
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.model import FullLook, RunContext
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.options import LONGEST_MINUTES
from simulated import REGION, Simulated
from simulated.controller import ansible

LIMIT = 300
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG9wcyBvcHMgb3BzIG9wcyBvcHMgb3BzIG9wcyAg\n"
ACCOUNT = "111111111111"
AWS_CONFIG = "[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = example\n"
RECORD = """
- hosts: hyperpod_clusters
  gather_facts: false
  module_defaults:
    group/mlfleet.hyperpod.aws: {region: "{{ hyperpod_region }}", profile: "{{ hyperpod_profile | default(omit, true) }}"}
    group/mlfleet.hyperpod.cluster: {cluster_arn: "{{ hyperpod_cluster_arn }}"}
  tasks:
    - mlfleet.hyperpod.cluster_look:
      register: fleet_look
    - mlfleet.hyperpod.cluster_look:
        state: present
        well: true
        complete: true
        began: "{{ fleet_look.seen }}"
        declaration: "{{ fleet_look.declaration }}"
        target_group: "{{ fleet_groups[inventory_hostname] }}"
        client_vpn_endpoint_id: "{{ fleet_endpoints[inventory_hostname] | default('') }}"
      changed_when: false
"""


@dataclass(frozen=True)
class Run:
    """One run of a playbook: its report, and its calls without those of the inventory."""

    rc: int
    output: str
    report: dict[str, t.Any]
    calls: collections.Counter[str]
    changes: list[dict[str, t.Any]]
    """Mutating calls."""
    seconds: float

    def lines(self) -> list[str]:
        """Lines of the report that the callback prints at the end."""
        shown = self.output.partition("HYPERPOD REPORT")[2].partition("\n")[2]
        return [line.rstrip() for line in shown.partition("\n\n")[0].rstrip().split("\n")]


class Fleet:
    """A controller with its files in ``folder``, and clusters with their login nodes in service."""

    def __init__(
        self,
        folder: Path,
        aws: Simulated,
        *names: str,
        login: int = 2,
        compute: int = 1,
        accounts: t.Mapping[str, str] | None = None,
    ) -> None:
        """:param accounts: the account of each cluster that is not in the account of the credentials."""
        self.folder, self.aws, self.names = folder, aws, names
        self.accounts = dict.fromkeys(names, ACCOUNT) | dict(accounts or {})
        self._clients: dict[tuple[str, str], t.Any] = {}
        self.home, self.state = folder / "home", folder / "state"
        for path in (self.home / ".ssh", self.home / ".aws", folder / "group_vars", self.state):
            path.mkdir(parents=True)
        (self.home / ".ssh/id_ed25519.pub").write_text(KEY)
        others = sorted({*self.accounts.values()} - {ACCOUNT})
        profiles = [
            f"[profile {each}]\nrole_arn = {_admin(each)}\nsource_profile = default\nregion = {REGION}\n" for each in others
        ]
        (self.home / ".aws/config").write_text(AWS_CONFIG + "".join(profiles))
        self.inventory = folder / "hyperpod.yml"
        read = [{"profile": each, "regions": [REGION]} for each in ("default", *others)]
        source = {"plugin": "mlfleet.hyperpod.hyperpod", "state_dir": str(self.state)}
        self.inventory.write_text(yaml.safe_dump({**source, **({"accounts": read} if others else {"regions": [REGION]})}))
        aws.control("settings", {"health_check_scale": 0.01, "max_nodes": len(names) * (login + compute + 1)})
        self.groups: dict[str, str] = {}
        """Target groups by cluster."""
        self.endpoints: dict[str, str] = {}
        """Client VPN endpoints by cluster."""
        self.placed: dict[str, tuple[str, str, str]] = {}
        """VPC, subnet and security group by cluster."""
        self.arns = {name: self._cluster(name, login, compute) for name in names}
        for name in names:
            self._balancer(name)
        self.minutes = self._long_enough()
        self.declare(hyperpod_full_look_minutes=self.minutes)
        self.of_inventory = self._counted("inventory", "-i", str(self.inventory), "--list")

    def declare(self, group: str = "all", **variables: t.Any) -> None:
        """Add or change group variables; None removes a variable."""
        file = self.folder / f"group_vars/{group}.yml"
        known = yaml.safe_load(file.read_text()) if file.exists() else {}
        wanted = {name: value for name, value in {**known, **variables}.items() if value is not None}
        file.write_text(yaml.safe_dump(wanted))

    def record(self, *names: str) -> None:
        """Write the records of full looks at these clusters, default all."""
        playbook = self.folder / "record.yml"
        playbook.write_text(RECORD)
        known = json.dumps({"fleet_groups": self.groups, "fleet_endpoints": self.endpoints})
        limit = ["--limit", ",".join(names)] if names else []
        done = self.ansible("playbook", "-i", str(self.inventory), str(playbook), "-e", known, *limit)
        assert done.returncode == 0, done.stdout + done.stderr

    def recorded(self, name: str) -> dict[str, t.Any]:
        found = self.aws.client("ssm").get_parameter(Name=f"/mlfleet/hyperpod/{self.cluster_id(name)}/full-look")
        value: dict[str, t.Any] = json.loads(found["Parameter"]["Value"])
        return value

    def cluster_id(self, name: str) -> str:
        return self.arns[name].rpartition("/")[2]

    def reconcile(self, playbook: str = "mlfleet.hyperpod.reconcile", *arguments: str, **variables: str) -> Run:
        (self.state / "report.json").unlink(missing_ok=True)
        self.aws.control("reset-calls", {})
        begin = time.monotonic()
        done = self.ansible("playbook", "-i", str(self.inventory), playbook, *arguments, **variables)
        seconds = time.monotonic() - begin
        calls = self.aws.control("calls")
        report = self.state / "report.json"
        return Run(
            done.returncode,
            done.stdout + done.stderr,
            json.loads(report.read_text()) if report.exists() else {},
            collections.Counter(call["operation"] for call in calls) - self.of_inventory,
            [call for call in calls if call["mutating"]],
            seconds,
        )

    def ansible(self, verb: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        shown = {"HYPERPOD_STATE_DIR": str(self.state), "AWS_ENDPOINT_URL": self.aws.url, **variables}
        return ansible(verb, *arguments, home=self.home, temporary=self.folder / "tmp", limit=LIMIT, **shown)

    def nodes(self, name: str, kind: str) -> list[dict[str, t.Any]]:
        rows = self.aws.control("nodes")
        return [row for row in rows if row["cluster"] == name and row["group"] == f"{kind}-group"]

    def client(self, service: str, name: str) -> t.Any:
        """A client of an administrator in the account of a cluster."""
        account = self.accounts[name]
        if account == ACCOUNT:
            return self.aws.client(service)
        if (service, account) not in self._clients:
            found = self.aws.client("sts").assume_role(RoleArn=_admin(account), RoleSessionName="test")["Credentials"]
            keys = {
                "aws_access_key_id": found["AccessKeyId"],
                "aws_secret_access_key": found["SecretAccessKey"],
                "aws_session_token": found["SessionToken"],
            }
            self._clients[service, account] = boto3.client(service, region_name=REGION, endpoint_url=self.aws.url, **keys)
        return self._clients[service, account]

    def wait_healthy(self, name: str) -> None:
        self._until(name, lambda states: set(states) == {"healthy"})

    def wait_unhealthy(self, name: str) -> None:
        self._until(name, lambda states: "unhealthy" in states)

    def _until(self, name: str, done: t.Callable[[list[str]], bool]) -> None:
        deadline = time.monotonic() + 60
        while not done(states := self._states(name)):
            assert time.monotonic() < deadline, states
            time.sleep(0.1)

    def _states(self, name: str) -> list[str]:
        found = self.client("elbv2", name).describe_target_health(TargetGroupArn=self.groups[name])
        return [each["TargetHealth"]["State"] for each in found["TargetHealthDescriptions"]]

    def _counted(self, verb: str, *arguments: str) -> collections.Counter[str]:
        self.aws.control("reset-calls", {})
        done = self.ansible(verb, *arguments)
        assert done.returncode == 0, done.stderr
        return collections.Counter(self.aws.calls())

    def _cluster(self, name: str, login: int, compute: int) -> str:
        ec2, number = self.client("ec2", name), self.names.index(name) + 1
        vpc = ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"]
        zone = f"{REGION}a"
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.{number}.0.0/16", AvailabilityZone=zone)["Subnet"]["SubnetId"]
        group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        everything = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=everything)
        counts = {"controller": 1, "login": login, "compute": compute}
        groups = [
            {
                "InstanceGroupName": f"{kind}-group",
                "InstanceType": "ml.m5.large",
                "InstanceCount": count,
                "ExecutionRole": f"arn:aws:iam::{self.accounts[name]}:role/hyperpod-nodes",
                "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-example/code", "OnCreate": "on_create.sh"},
                "SlurmConfig": {"NodeType": kind.title(), **({"PartitionNames": ["dev"]} if kind == "compute" else {})},
            }
            for kind, count in counts.items()
        ]
        self.placed[name] = (vpc, subnet, group)
        return str(
            self.client("sagemaker", name).create_cluster(
                ClusterName=name,
                InstanceGroups=groups,
                VpcConfig={"Subnets": [subnet], "SecurityGroupIds": [group]},
                Orchestrator={"Slurm": {}},
                NodeProvisioningMode="Continuous",
            )["ClusterArn"]
        )

    def _balancer(self, name: str) -> None:
        deadline = time.monotonic() + 120
        while self._is_growing(name):
            assert time.monotonic() < deadline, "the cluster did not reach its target size"
        elb, (vpc, subnet, group) = self.client("elbv2", name), self.placed[name]
        made = elb.create_target_group(
            Name=name, Protocol="TCP", Port=22, VpcId=vpc, TargetType="ip", HealthyThresholdCount=2, HealthCheckIntervalSeconds=10
        )
        self.groups[name] = made["TargetGroups"][0]["TargetGroupArn"]
        balancer = elb.create_load_balancer(Name=name, Type="network", Scheme="internal", Subnets=[subnet], SecurityGroups=[group])[
            "LoadBalancers"
        ][0]["LoadBalancerArn"]
        forward = [{"Type": "forward", "TargetGroupArn": self.groups[name]}]
        elb.create_listener(LoadBalancerArn=balancer, Protocol="TCP", Port=22, DefaultActions=forward)
        targets = [{"Id": row["ip"], "Port": 22} for row in self.nodes(name, "login")]
        elb.register_targets(TargetGroupArn=self.groups[name], Targets=targets)
        self.wait_healthy(name)

    def _is_growing(self, name: str) -> bool:
        found = self.client("sagemaker", name).describe_cluster(ClusterName=name)
        return found["ClusterStatus"] != "InService" or any(
            each["CurrentCount"] != each["TargetCount"] for each in found["InstanceGroups"]
        )

    def _long_enough(self) -> int:
        """A period that ends for none of the clusters during the tests."""
        now = datetime.datetime.now(datetime.timezone.utc)
        later = now + datetime.timedelta(hours=1)
        look = FullLook(now.isoformat(), True)
        for minutes in range(LONGEST_MINUTES, 0, -100):
            contexts = [RunContext(self.cluster_id(name), later, {}, minutes=minutes) for name in self.names]
            if not any(reasons.is_time(look, each) for each in contexts):
                return minutes
        raise AssertionError("no such period")


def _admin(account: str) -> str:
    return f"arn:aws:iam::{account}:role/admin"
