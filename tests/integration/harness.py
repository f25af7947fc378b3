"""Actions of the integration tests: run playbooks, log in as a person, cause failures, count calls."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import client_vpn
import reported
from lab.accelerators.machine import Machine
from lab.accelerators.story import Story
from lab.aws.control.client import Control
from lab.cli import nodes, world
from lab.hosts import cgroups
from lab.hosts.registry import enter_command, registered
from lab.names import PEOPLE, Paths
from laptop import Laptop

HOME = Path(os.environ["HOME"])
STATE_DIR = HOME / ".mlfleet" / "hyperpod"
REPORTS = ("report.json", "report-check.json", "report-look.json")
RECAP = re.compile(r"^(\S+)\s+: ok=(\d+)\s+changed=(\d+)\s+unreachable=(\d+)\s+failed=(\d+)", re.M)


@dataclass(frozen=True)
class Run:
    """One run of a playbook."""

    rc: int
    output: str
    report: dict[str, t.Any]
    seconds: float

    @property
    def recap(self) -> dict[str, dict[str, int]]:
        names = ("ok", "changed", "unreachable", "failed")
        return {row[0]: dict(zip(names, map(int, row[1:]))) for row in RECAP.findall(self.output)}

    @property
    def changed(self) -> int:
        return sum(host["changed"] for host in self.recap.values())

    @property
    def status(self) -> str:
        return self.report.get("status", "no report")

    @property
    def log(self) -> str:
        """The output with its end first, which names the failure."""
        tasks, recap, end = self.output.rpartition("PLAY RECAP")
        return f"{recap}{end}\n{tasks}"

    def cluster(self, key: str = "ml") -> dict[str, t.Any]:
        return reported.cluster(self.report, key)


class World:
    """The lab as a test sees it."""

    def __init__(self) -> None:
        self.paths = Paths.default(os.environ["LAB_NAME"])
        self.control = Control(self.paths.api_url)

    # -- the state of the world ---------------------------------------------------------------------------------------

    def reset(self, *, login: int = 3, compute: int = 1) -> None:
        """Remove what earlier tests left, and create the first cluster, bare, with a controller and so many nodes."""
        self.clear_faults()
        self.empty()
        cgroups.wait_for_room(1 + login + compute)
        world.create_cluster(world.CLUSTER, *self.network(), login=login, compute=compute)
        world.wait_in_service(world.CLUSTER)
        self.reset_calls()

    def network(self) -> tuple[list[str], str]:
        """Subnets and the nodes' security group of the first cluster's VPC, which outlives the cluster."""
        vpcs = world.client("ec2").describe_vpcs(Filters=[{"Name": "tag:Name", "Values": ["lab"]}])["Vpcs"]
        return (self.subnets(), self.node_security_group()) if vpcs else world.make_network()

    def empty(self) -> None:
        """Remove clusters, load balancers and records from the accounts, and files of this collection from the controller."""
        for person in PEOPLE:
            self.laptop(person).machine.down()
        for profile in ("lab", "other"):
            client_vpn.empty_account(profile, self.eventually)
            self._empty_account(profile)
        shutil.rmtree(HOME / ".mlfleet", ignore_errors=True)
        shutil.rmtree(HOME / ".ansible", ignore_errors=True)

    def _empty_account(self, profile: str) -> None:
        sagemaker, elbv2, ec2, ssm, secrets = (
            world.client(service, profile) for service in ("sagemaker", "elbv2", "ec2", "ssm", "secretsmanager")
        )
        self._remove_policies(sagemaker)
        for cluster in sagemaker.list_clusters()["ClusterSummaries"]:
            # A cluster that is still being updated can't be deleted yet.
            self.eventually(lambda name=cluster["ClusterName"]: sagemaker.delete_cluster(ClusterName=name), seconds=120)
        for balancer in elbv2.describe_load_balancers()["LoadBalancers"]:
            arn = balancer["LoadBalancerArn"]
            off = [{"Key": "deletion_protection.enabled", "Value": "false"}]
            elbv2.modify_load_balancer_attributes(LoadBalancerArn=arn, Attributes=off)
            elbv2.delete_load_balancer(LoadBalancerArn=arn)
        for group in elbv2.describe_target_groups()["TargetGroups"]:
            self.eventually(lambda arn=group["TargetGroupArn"]: elbv2.delete_target_group(TargetGroupArn=arn))
        for page in ssm.get_paginator("get_parameters_by_path").paginate(Path="/mlfleet", Recursive=True):
            ssm.delete_parameters(Names=[each["Name"] for each in page["Parameters"]]) if page["Parameters"] else None
        for secret in secrets.list_secrets(IncludePlannedDeletion=True)["SecretList"]:
            secrets.delete_secret(SecretId=secret["ARN"], ForceDeleteWithoutRecovery=True)
        self.eventually(lambda: self._no_clusters(sagemaker))
        self._remove_our_groups(ec2)

    def _remove_policies(self, sagemaker: t.Any) -> None:
        """Remove policies of task governance: a cluster that has one cannot be deleted."""
        for quota in sagemaker.list_compute_quotas(MaxResults=100)["ComputeQuotaSummaries"]:
            if quota["Status"] not in ("Deleting", "Deleted"):
                self.eventually(lambda name=quota["ComputeQuotaId"]: sagemaker.delete_compute_quota(ComputeQuotaId=name))
        for config in sagemaker.list_cluster_scheduler_configs()["ClusterSchedulerConfigSummaries"]:
            if config["Status"] not in ("Deleting", "Deleted"):
                name = config["ClusterSchedulerConfigId"]
                self.eventually(lambda name=name: sagemaker.delete_cluster_scheduler_config(ClusterSchedulerConfigId=name))

    @staticmethod
    def _no_clusters(sagemaker: t.Any) -> None:
        assert not sagemaker.list_clusters()["ClusterSummaries"], "clusters are still there"

    def _remove_our_groups(self, ec2: t.Any) -> None:
        ours = [
            group["GroupId"]
            for group in ec2.describe_security_groups()["SecurityGroups"]
            if group["GroupName"].startswith("mlfleet-")
        ]
        for rule in ec2.describe_security_group_rules()["SecurityGroupRules"]:
            if rule.get("ReferencedGroupInfo", {}).get("GroupId") in ours and rule["GroupId"] not in ours:
                ids = {"GroupId": rule["GroupId"], "SecurityGroupRuleIds": [rule["SecurityGroupRuleId"]]}
                (ec2.revoke_security_group_egress if rule["IsEgress"] else ec2.revoke_security_group_ingress)(**ids)
        for group in ours:
            self.eventually(lambda group=group: ec2.delete_security_group(GroupId=group))

    def subnets(self) -> list[str]:
        found = world.client("ec2").describe_subnets(Filters=[{"Name": "tag:Name", "Values": ["lab-a", "lab-b"]}])
        return [subnet["SubnetId"] for subnet in sorted(found["Subnets"], key=lambda each: each["CidrBlock"])]

    def node_security_group(self) -> str:
        named = [{"Name": "group-name", "Values": ["lab-cluster"]}]
        return world.client("ec2").describe_security_groups(Filters=named)["SecurityGroups"][0]["GroupId"]

    @staticmethod
    def eventually(body: t.Callable[[], t.Any], *, seconds: float = 60) -> t.Any:
        """Retry until it succeeds; raises the last error at the deadline."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return body()
            except Exception:  # any error is raised at the deadline
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.3)

    # -- commands -----------------------------------------------------------------------------------------------------

    def run(self, argv: t.Sequence[str], *, env: dict[str, str] | None = None, timeout: float = 300) -> t.Any:
        """Run a command on the controller; output as text, exit status not checked."""
        return subprocess.run(
            list(argv),
            env={**os.environ, **(env or {})},
            cwd=self.paths.repo,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
            check=False,
        )

    def playbook(self, verb: str, *arguments: str, env: dict[str, str] | None = None, timeout: float = 600) -> Run:
        """``ansible-playbook mlfleet.hyperpod.VERB`` with the lab's inventory."""
        for name in REPORTS:
            (STATE_DIR / name).unlink(missing_ok=True)
        begin = time.monotonic()
        done = self.run(["ansible-playbook", f"mlfleet.hyperpod.{verb}", *arguments], env=env, timeout=timeout)
        return Run(done.returncode, done.stdout, self.report(), time.monotonic() - begin)

    @staticmethod
    def report() -> dict[str, t.Any]:
        """Report of the last run; ``playbook`` removes earlier ones."""
        found = [STATE_DIR / name for name in REPORTS if (STATE_DIR / name).exists()]
        return json.loads(max(found, key=lambda path: path.stat().st_mtime_ns).read_text()) if found else {}

    def on_node(self, node: str, *argv: str, timeout: float = 60) -> t.Any:
        """Run a command as root on a node, without SSH."""
        entry = nodes.find_host(self.paths, node)
        return self.run(enter_command(self.paths, entry["instance_id"], argv), timeout=timeout)

    def accelerate(self, node: str, story: Story, *, boot: bool = False, after_reboot: Story | None = None) -> None:
        """From now on all processes of a node see the accelerators of this story; see ``Machine.tell``."""
        self._machine(node).simulate(story, boot=boot, after_reboot=after_reboot)

    def decelerate(self, node: str) -> None:
        """Remove the accelerators of a node."""
        self._machine(node).clear()

    def _machine(self, node: str) -> Machine:
        entry = nodes.find_host(self.paths, node)
        return Machine(entry["pid"], entry["control_group"])

    # -- people -------------------------------------------------------------------------------------------------------

    @property
    def people_files(self) -> Path:
        return STATE_DIR / "people" / "ml"

    @property
    def login_name(self) -> str:
        fields = (self.people_files / "known_hosts").read_text().split(" ")
        return fields[fields[0] == "@cert-authority"].split(",")[0]

    def ssh_command(self, person: str, host: str | None = None, *options: str) -> list[str]:
        """A person's ssh: strict host key checking, the known_hosts that the run wrote, no settings of the controller."""
        settings = {
            "IdentityFile": HOME / "people" / person / "id_ed25519",
            "IdentitiesOnly": "yes",
            "BatchMode": "yes",
            "StrictHostKeyChecking": "yes",
            "UserKnownHostsFile": self.people_files / "known_hosts",
            "GlobalKnownHostsFile": "/dev/null",
            "ConnectTimeout": "10",
        }
        flat = [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]
        return ["ssh", "-F", "none", *flat, *options, f"{person}@{host or self.login_name}"]

    def login(self, person: str = "alice", command: str = "hostname", host: str | None = None, *options: str) -> t.Any:
        return self.run([*self.ssh_command(person, host, *options), command], timeout=60)

    def expect_all_serve(self) -> None:
        """Each login through the balancer succeeds, and every login node gets some of them.

        Nine logins would do, but haproxy favours a node for a while after its return to service.
        """
        names = {node["name"] for node in self.login_nodes()}
        seen: set[str] = set()
        for turn in range(60):
            done = self.login()
            assert done.stdout.strip() in names, done.stdout
            seen.add(done.stdout.strip())
            if turn >= 8 and seen == names:
                return
        raise AssertionError(f"logins reached only {seen}; targets: {self.target_health()}")

    def laptop(self, person: str = "alice") -> Laptop:
        """The person's laptop, outside the VPC; its first command starts it."""
        return Laptop(self.paths, person)

    def vpn_server_log(self) -> str:
        """Logs of the OpenVPN servers behind all endpoints."""
        return client_vpn.server_log(self.paths)

    # -- nodes and the API --------------------------------------------------------------------------------------------

    def hosts(self, group: str | None = None) -> list[dict[str, t.Any]]:
        """Running machines, sorted by address: all, or those of an instance group."""
        found = [entry for entry in registered(self.paths) if group in (None, entry["group"])]
        return sorted(found, key=lambda entry: entry["ip"])

    def login_nodes(self) -> list[dict[str, t.Any]]:
        return self.hosts("login-group")

    def replace(self, node: str) -> dict[str, t.Any]:
        """Have HyperPod replace a node; returns the new machine, which keeps the address unless a setting changes that."""
        before = {entry["instance_id"] for entry in self.hosts()}
        nodes.replace_node(self.paths, node)
        return next(entry for entry in self.hosts() if entry["instance_id"] not in before)

    def scale(self, group: str, count: int) -> None:
        """Have HyperPod change the size of an instance group of the first cluster, and wait until it is done."""
        sagemaker = self.aws("sagemaker")
        described = sagemaker.describe_cluster(ClusterName=world.CLUSTER)["InstanceGroups"]
        known = sagemaker.meta.service_model.shape_for("ClusterInstanceGroupSpecification").members
        spec = next(each for each in described if each["InstanceGroupName"] == group)
        spec = {key: value for key, value in spec.items() if key in known} | {"InstanceCount": count}
        sagemaker.update_cluster(ClusterName=world.CLUSTER, InstanceGroups=[spec])
        world.wait_in_service(world.CLUSTER)
        self.eventually(lambda: self._count(group, count))

    def update_software(self, group: str) -> None:
        """Have HyperPod update the software of an instance group of the first cluster, and wait until it has ended."""
        sagemaker = self.aws("sagemaker")
        sagemaker.update_cluster_software(ClusterName=world.CLUSTER, InstanceGroups=[{"InstanceGroupName": group}])
        self.eventually(lambda: self._updated(group), seconds=120)
        world.wait_in_service(world.CLUSTER)

    def _updated(self, group: str) -> None:
        described = self.aws("sagemaker").describe_cluster(ClusterName=world.CLUSTER)["InstanceGroups"]
        found = {each["InstanceGroupName"]: each.get("SoftwareUpdateStatus") for each in described}
        assert found[group] in ("Succeeded", "Failed"), found

    def _count(self, group: str, count: int) -> None:
        assert len(self.hosts(group)) == count, self.hosts(group)

    def aws(self, service: str, profile: str = "lab") -> t.Any:
        return world.client(service, profile)

    def calls(self, *, mutating: bool | None = None) -> list[dict[str, t.Any]]:
        """The API's log since the last reset."""
        found = self.control.calls()
        return [call for call in found if mutating is None or call["mutating"] == mutating]

    def reset_calls(self) -> None:
        self.control.reset_calls()

    def fault(self, **rule: t.Any) -> None:
        self.control.faults(rule)

    def clear_faults(self) -> None:
        self.control.clear_faults()

    def settings(self, **values: t.Any) -> None:
        self.control.settings(**values)

    def target_health(self) -> dict[str, str]:
        """State of each registered address. An address that drains at one port and serves at another counts as serving."""
        found = sorted(self.targets().items(), key=lambda each: each[1] != "draining")
        return {ip: state for (ip, _port), state in found}

    def targets(self) -> dict[tuple[str, int], str]:
        """State of each registered address and port."""
        elbv2 = self.aws("elbv2")
        return {
            (each["Target"]["Id"], each["Target"]["Port"]): each["TargetHealth"]["State"]
            for group in elbv2.describe_target_groups()["TargetGroups"]
            for each in elbv2.describe_target_health(TargetGroupArn=group["TargetGroupArn"])["TargetHealthDescriptions"]
        }
