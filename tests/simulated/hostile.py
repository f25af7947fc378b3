# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters on a simulated AWS without machines. The nodes of the first one are hostile; the controller is a folder."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.model import Record, parse_keys
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import PublicKey
from simulated import REGION, Simulated, simulated_aws
from simulated.controller import LAB_PYTHON, ansible

HERE = Path(__file__).parent
LIMIT = 240
FAILURES = ("may still have access", "so logins are impossible: ", "all done ml unchanged PLAY RECAP (", "nodes have unknown. Find the common cause")
"""Expected failures of runs: a hostile node is not verified, and its report on hardware is a failure."""
KEY = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGxpZXMgbGllcyBsaWVzIGxpZXMgbGllcyBsaWVz",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG9wcyBvcHMgb3BzIG9wcyBvcHMgb3BzIG9wcyAg",
)
AWS_CONFIG = """\
[default]
aws_access_key_id = AKIAEXAMPLE
aws_secret_access_key = example
[profile other]
aws_access_key_id = AKIAEXAMPLE
aws_secret_access_key = example
"""


@dataclass(frozen=True)
class Run:
    """One run of a playbook, and what the hostile nodes received."""

    rc: int
    output: str
    """Standard output and standard error."""
    report: str
    """The report that the callback prints at the end."""
    received: dict[str, str]
    """The program and arguments of each module call, by node, module and number."""
    calls: list[dict[str, t.Any]]


class World:
    """The controller's folder, the clusters ``ml`` and ``other``, and the hostile nodes of ``ml``."""

    COMPUTE: t.ClassVar[tuple[str, int]] = ("ml.m5.large", 1)
    """Type and number of compute nodes of a cluster."""
    LOGIN: t.ClassVar[int] = 1
    """Number of login nodes of a cluster."""

    def __init__(self, folder: Path, aws: Simulated) -> None:
        self.folder, self.aws = folder, aws
        self.home, self.outside, self.received = folder / "home", folder / "outside", folder / "received"
        for path in (self.home / ".ssh", self.outside, self.received):
            path.mkdir(parents=True)
        (self.home / ".ssh/id_ed25519.pub").write_text(KEY[1] + "\n")
        (self.home / ".aws").mkdir()
        (self.home / ".aws/config").write_text(AWS_CONFIG)
        (self.home / ".ssh/authorized_keys").write_text("of the person who runs the playbooks\n")
        self.arns = {name: self._cluster(name, subnet) for subnet, name in enumerate(("ml", "other"), start=1)}
        secrets = {name: self._host_keys(arn) for name, arn in self.arns.items()}
        self.keys = {name: pair["private"].split("\n")[2] for name, pair in secrets.items()}
        """One line of each cluster's private host key, which identifies the key."""
        self._as_in_a_run = {
            "hyperpod_run": {
                "ready": True,
                "writing": True,
                "host_keys": [secrets["other"]["public"]],
                "next_host_keys": [],
                "next_host_key_types": [],
                "records": {"drained": {}, "offboarded": {}, "adopted": {}},
            },
        }
        self.inventory = folder / "inventory.yml"
        self._trust()
        self._write_inventory()

    def _cluster(self, name: str, number: int) -> str:
        ec2, sagemaker = self.aws.client("ec2"), self.aws.client("sagemaker")
        vpc = ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.{number}.1.0/24", AvailabilityZone=f"{REGION}a")["Subnet"]
        group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        groups = [
            {
                "InstanceGroupName": f"{kind}-group",
                "InstanceType": self.COMPUTE[0] if kind == "compute" else "ml.m5.large",
                "InstanceCount": {"compute": self.COMPUTE[1], "login": self.LOGIN}.get(kind, 1),
                "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod-nodes",
                "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-example/code", "OnCreate": "on_create.sh"},
                "SlurmConfig": {"NodeType": kind.title(), **({"PartitionNames": ["dev"]} if kind == "compute" else {})},
            }
            for kind in ("controller", "login", "compute")
        ]
        arn = sagemaker.create_cluster(
            ClusterName=name,
            InstanceGroups=groups,
            VpcConfig={"Subnets": [subnet["SubnetId"]], "SecurityGroupIds": [group]},
            Orchestrator={"Slurm": {}},
            NodeProvisioningMode="Continuous",
        )["ClusterArn"]
        deadline = time.monotonic() + 60
        while not self.aws.start("cluster_info", cluster_arn=arn)["cluster"]["at_target_size"]:
            assert time.monotonic() < deadline, "the cluster did not reach its target size"
        return str(arn)

    def _host_keys(self, arn: str) -> dict[str, str]:
        """The key pair in the cluster's secret."""
        self.aws.start("host_key_secret", cluster_arn=arn, key_types=["ed25519"])
        name = f"mlfleet/hyperpod/{arn.rpartition('/')[2]}/ssh-host-keys"
        secret = json.loads(self.aws.client("secretsmanager").get_secret_value(SecretId=name)["SecretString"])
        pair: dict[str, str] = secret["keys"]["ed25519"]
        return pair

    def _trust(self) -> None:
        """Write trust records of all nodes, so that no session is needed to reach them."""
        operations = PublicKey.parse(KEY[1])
        for arn in self.arns.values():
            listed = self.aws.start("cluster_node_info", cluster_arn=arn, addresses="none")["nodes"]
            for node in listed:
                triple = (node["instance_id"], node["launch_time"] or "", node["last_software_update_time"] or "")
                record = Record(triple, parse_keys([KEY[0]]), "hyperpod-ops", operations.fingerprint, "2026-01-01T00:00:00Z")
                self.aws.client("ssm").put_parameter(
                    Name=f"/mlfleet/hyperpod/{arn.rpartition('/')[2]}/trust/{node['instance_id']}",
                    Type="String",
                    Value=record.to_json(),
                )

    def _write_inventory(self) -> None:
        """Write the output of the inventory plugin, with hostile nodes in the first cluster."""
        source = self.folder / "hyperpod.yml"
        source.write_text(f"plugin: mlfleet.hyperpod.hyperpod\nregions: [{REGION}]\n")
        done = self._ansible("inventory", "-i", str(source), "--list", "--yaml")
        assert done.returncode == 0, done.stderr
        found = yaml.safe_load(done.stdout)
        hosts = _hosts(found)
        nodes = [variables for name, variables in hosts.items() if name.startswith("ml-")]
        self.login = next(each["hyperpod_instance_id"] for each in nodes if each["hyperpod_node_type"] == "login")
        for host, variables in hosts.items():
            if host.startswith("ml-"):
                variables.update(self._liar(variables), ansible_connection="local", ansible_become=False)
                del variables["ansible_ssh_common_args"]
            elif "hyperpod_instance_id" not in variables:
                variables["ansible_python_interpreter"] = sys.executable
        hosts["other"].update(self._as_in_a_run)  # the state of a run for both clusters
        self.inventory.write_text(yaml.safe_dump(found))

    def _liar(self, variables: t.Mapping[str, t.Any]) -> dict[str, str]:
        folder = self.folder / "nodes" / variables["hyperpod_node_type"]
        folder.mkdir(parents=True)
        other = self.arns["other"]
        cluster_id = other.rpartition("/")[2]
        facts = {
            "hyperpod_node_type": "login",
            "hyperpod_cluster_host": "other",
            "hyperpod_cluster_key": "other",
            "hyperpod_cluster_group": "cluster_other",
            "hyperpod_cluster_name": "other",
            "hyperpod_cluster_arn": other,
            "hyperpod_cluster_id": cluster_id,
            "hyperpod_profile": "other",
            "host_keys_secret": f"mlfleet/hyperpod/{cluster_id}/ssh-host-keys",
            "login_nodes_is_login": True,
            "hyperpod_state_dir": str(self.outside / "state"),
            "access_report_json": str(self.outside / "access.json"),
            "offboarding_evidence_dir": str(self.outside / "evidence"),
        }
        drift = {kind: str(self.home / ".ssh/authorized_keys") for kind in ("json", "junit", "prometheus")}
        lies = {"facts": facts, "drift": drift, "received": str(self.received), "failing": []}
        (folder / "liar.json").write_text(json.dumps(lies))
        program = folder / "python3"
        program.write_text(f"#!{sys.executable} -IS\n" + (HERE / "liar.py").read_text())
        program.chmod(0o755)
        return {"ansible_python_interpreter": str(program), "hyperpod_instance_type": "ml.p5.48xlarge"}

    @contextlib.contextmanager
    def failing(self, *modules: str) -> t.Iterator[None]:
        """Modules fail on the login node, and still return hostile values."""
        file = self.folder / "nodes/login/liar.json"
        lies = file.read_text()
        file.write_text(json.dumps({**json.loads(lies), "failing": modules}))
        try:
            yield
        finally:
            file.write_text(lies)

    def playbook(self, name: str, *arguments: str, injected: bool | None = None, **environment: str) -> Run:
        """Run a playbook. ``injected`` sets ANSIBLE_INJECT_FACT_VARS; default: the value of the lab's ansible.cfg.

        An inventory (``-i``) among the arguments replaces the default one.
        """
        for file in self.received.iterdir():
            file.unlink()
        self.aws.control("reset-calls", {})
        variables = environment if injected is None else {**environment, "ANSIBLE_INJECT_FACT_VARS": str(injected)}
        inventory = () if "-i" in arguments else ("-i", str(self.inventory))
        done = self._ansible("playbook", *inventory, name, *arguments, **variables)
        received = {file.name: file.read_text() for file in self.received.iterdir()}
        output, report = done.stdout + done.stderr, done.stdout.partition("HYPERPOD REPORT")[2]
        return Run(done.returncode, output, report, received, self.aws.control("calls"))

    def _ansible(self, verb: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return ansible(
            verb,
            *arguments,
            home=self.home,
            temporary=self.folder / "tmp",
            limit=LIMIT,
            **{
                "PYTHONPATH": LAB_PYTHON,
                "ANSIBLE_INVENTORY": str(self.inventory),
                "AWS_ENDPOINT_URL": self.aws.url,
                **variables,
            },
        )

    def strays(self) -> list[str]:
        """Files that were written outside the state folder."""
        kept = {self.home / name for name in (".ssh/id_ed25519.pub", ".ssh/authorized_keys", ".aws/config")}
        found = [path for path in (*self.home.rglob("*"), *self.outside.rglob("*")) if path.is_file() and path not in kept]
        strays = [str(path) for path in found if not path.is_relative_to(self.home / ".mlfleet/hyperpod")]
        if (self.home / ".ssh/authorized_keys").read_text() != "of the person who runs the playbooks\n":
            strays.append("authorized_keys of the person who runs the playbooks")
        return strays


def _hosts(group: t.Mapping[str, t.Any]) -> dict[str, dict[str, t.Any]]:
    """Hosts with variables, in this group and its children."""
    found = {name: variables for name, variables in (group.get("all", group).get("hosts") or {}).items() if variables}
    for child in (group.get("all", group).get("children") or {}).values():
        found.update(_hosts(child))
    return found


@contextlib.contextmanager
def world(folder: Path) -> t.Iterator[World]:
    """Two clusters, and a controller with its files in ``folder``."""
    with simulated_aws(folder) as aws:
        yield World(folder, aws)


def check(here: World, playbook: str, *arguments: str, injected: bool | None = None) -> None:
    """Run a playbook for the first cluster: its hostile nodes control no other cluster, no key, no file and no report."""
    run = here.playbook(playbook, "--limit", "cluster_ml", *arguments, injected=injected)
    other = here.arns["other"].rpartition("/")[2]
    keys_sent = {file for file, text in run.received.items() if here.keys["ml"] in text}
    violations = {
        "another cluster was called": {call["operation"] for call in run.calls if other in json.dumps(call)},
        "another cluster's key was sent": {file for file, text in run.received.items() if here.keys["other"] in text},
        "the cluster's key was sent to no login node": {file for file in keys_sent if not file.startswith("login-")},
        "written outside the state folder": set(here.strays()),
    }
    assert not any(violations.values()), f"{violations}\n{run.output}"
    assert run.report, f"the run ended with {run.rc}, and without a report\n{run.output}"
    failures = [line for line in run.report.split("\n") if " - failure: " in line]
    assert not [line for line in failures if not any(known in line for known in FAILURES)], run.output
    assert "\x1b" not in run.report and "\u2028" not in run.report, run.report
    if any("-ssh_host_keys-" in file for file in run.received):
        assert keys_sent  # so the search above works
