# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inventories of clusters, and runs of ansible-playbook that end before they call AWS."""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass
from pathlib import Path

import reported
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster, Node
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.discovery import Found
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.hosts import Host, hosts_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.ssh_options import Access
from simulated.controller import ansible

ACCESS = Access.checked(user="hyperpod-ops", state_dir="~/.mlfleet/hyperpod", private_key_file=None)
KINDS = ("controller", "login", "login", "compute")
LIMIT = 100
NO_PROFILE = "nobody"
"""A profile that does not exist, so a run that calls AWS fails at once."""
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG9wcyBvcHMgb3BzIG9wcyBvcHMgb3BzIG9wcyAg"


def cluster(key: str, *, orchestrator: str = "slurm") -> dict[str, Host]:
    """Hosts of a cluster as the inventory plugin returns them; nodes are ``KEY-i-KEY0``, ``KEY-i-KEY1`` and so on."""
    arn = f"arn:aws:sagemaker:us-west-2:111111111111:cluster/{key:0<12}"
    where = ("us-west-2", "111111111111", "aws", "InService", orchestrator)
    nodes = tuple(
        Node(f"i-{key}{number}", f"{kind}-group", kind, "ml.m5.large", "Running", "", "2026-01-01", "", f"10.1.1.{number}")
        for number, kind in enumerate(KINDS)
    )
    return hosts_of(Found(Cluster(key, arn, arn[-12:], *where), nodes, None, "ssm", key, None), ACCESS)


def inventory(hosts: t.Mapping[str, Host], *, variables: t.Mapping[str, t.Any] | None = None) -> dict[str, t.Any]:
    """A static inventory of these hosts."""
    groups: dict[str, dict[str, t.Any]] = {"hyperpod_clusters": {}, "hyperpod_nodes": {}}
    for name, host in hosts.items():
        for group in host["groups"]:
            groups.setdefault(group, {})[name] = {}
    listed = {name: host["vars"] for name, host in hosts.items()}
    children = {name: {"hosts": members} for name, members in groups.items()}
    return {"all": {"hosts": listed, "children": children, "vars": dict(variables or {})}}


@dataclass(frozen=True)
class Run:
    """One run of a playbook."""

    rc: int
    output: str
    """Standard output and standard error, with single spaces."""
    report: dict[str, t.Any] | None
    """Content of report.json, if the run wrote it."""
    called_aws: bool

    @property
    def clusters(self) -> dict[str, t.Any] | None:
        return None if self.report is None else {key: reported.cluster(self.report, key) for key in self.report["clusters"]}


def playbook(folder: Path, name: str, *arguments: str, source: t.Mapping[str, t.Any] | str, **variables: str) -> Run:
    """Run a playbook of the collection, or the one at path ``name``. ``source``: the inventory, or its path."""
    home = folder / "home"
    (home / ".ssh").mkdir(parents=True, exist_ok=True)
    (home / ".ssh/id_ed25519.pub").write_text(KEY + "\n")
    report_file = home / ".mlfleet/hyperpod/report.json"
    report_file.unlink(missing_ok=True)
    path = folder / "inventory.yml"
    if not isinstance(source, str):
        path.write_text(yaml.safe_dump(dict(source)))
    inventory = source if isinstance(source, str) else str(path)
    done = ansible(
        "playbook",
        *("-i", inventory, name if name.endswith(".yml") else f"mlfleet.hyperpod.{name}", *arguments),
        home=home,
        temporary=folder / "tmp",
        limit=LIMIT,
        **({} if "AWS_ACCESS_KEY_ID" in variables else {"AWS_PROFILE": NO_PROFILE}),
        **variables,
    )
    report = json.loads(report_file.read_text()) if report_file.exists() else None
    output = " ".join((done.stdout + done.stderr).split())
    return Run(done.returncode, output, report, "Get the cluster and validate the AWS account" in output)
