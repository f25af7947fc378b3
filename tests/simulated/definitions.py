# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller with definitions of clusters in its inventory, and a simulated AWS in which no cluster exists yet."""

from __future__ import annotations

import json
import os
import signal
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

import yaml
from simulated import REGION, Simulated
from simulated.controller import ansible, started

LIMIT = 200
AWS_CONFIG = "[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = example\n"


@dataclass(frozen=True)
class Run:
    rc: int
    output: str
    calls: list[str]
    changes: list[str]
    """Mutating calls."""


class Definitions:
    """Files in ``folder``; ``hosts`` are the definitions with their variables."""

    def __init__(self, folder: Path, aws: Simulated, **hosts: t.Mapping[str, t.Any]) -> None:
        self.folder, self.aws = folder, aws
        self.home = folder / "home"
        (self.home / ".aws").mkdir(parents=True)
        (self.home / ".aws/config").write_text(AWS_CONFIG)
        self.inventory = folder / "definitions.yml"
        self.define(**hosts)

    def define(self, **hosts: t.Mapping[str, t.Any]) -> None:
        known = {name: {"hyperpod_region": REGION, **variables} for name, variables in hosts.items()}
        self.inventory.write_text(yaml.safe_dump({"hyperpod_definitions": {"hosts": known}}))

    def network(self) -> dict[str, t.Any]:
        """Subnet and security group of a VPC, as CreateCluster takes them."""
        ec2 = self.aws.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/20")["Subnet"]["SubnetId"]
        group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        return {"Subnets": [subnet], "SecurityGroupIds": [group]}

    def run(
        self, *arguments: str, playbook: str = "mlfleet.hyperpod.cluster", inventory: Path | None = None, **extra: t.Any
    ) -> Run:
        self.aws.control("reset-calls", {})
        asked = ("-i", str(inventory or self.inventory), playbook, *_given(extra), *arguments)
        done = ansible("playbook", *asked, limit=LIMIT, **self._place)
        return Run(done.returncode, done.stdout + done.stderr, self.aws.calls(), self.aws.changes())

    def killed_after(self, operation: str, **extra: t.Any) -> None:
        """A run that dies after AWS has done what ``operation`` asks for, and before it hears of it."""
        self.aws.fault(kind="hold", operation=operation)
        run = started("playbook", "-i", str(self.inventory), "mlfleet.hyperpod.cluster", *_given(extra), **self._place)
        try:
            deadline = time.monotonic() + LIMIT
            while not self.aws.control("held"):
                assert run.poll() is None and time.monotonic() < deadline, f"the run ended before {operation}"
                time.sleep(0.05)
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            self.aws.control("release", {})
            self.aws.clear_faults()

    @property
    def _place(self) -> dict[str, t.Any]:
        return {
            "home": self.home,
            "temporary": self.folder / "tmp",
            "AWS_ENDPOINT_URL": self.aws.url,
            "HYPERPOD_STATE_DIR": str(self.folder / "state"),
        }


def _given(extra: t.Mapping[str, t.Any]) -> list[str]:
    return ["-e", json.dumps(extra)] if extra else []
