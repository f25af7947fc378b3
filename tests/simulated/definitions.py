# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller with definitions of clusters in its inventory, and a simulated AWS without clusters."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
import typing as t
from dataclasses import dataclass
from pathlib import Path

import yaml
from lab.aws import permissions
from simulated import REGION, Simulated, simulated_aws
from simulated.controller import ansible, started

LIMIT = 200
Place = t.Mapping[str, t.Any]
"""A rule of the simulator for a mutating call: its operation, and ``where``."""
AWS_CONFIG = "[default]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = example\n"


@contextlib.contextmanager
def held_to_policies(state: Path) -> t.Iterator[Simulated]:
    """An API that enforces the documented policies on playbooks, with quotas for twenty nodes."""
    with simulated_aws(state) as found:
        quotas = {"ml.m5.large for cluster usage": 20}
        found.control("settings", {"service_quotas": quotas, "policies": permissions.documented()})
        yield found


@dataclass(frozen=True)
class Run:
    rc: int
    output: str
    calls: list[str]
    changes: list[str]
    """Mutating calls."""


class Definitions:
    """A controller with its files in ``folder``; ``hosts`` are the definitions with their variables."""

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
        """Subnet and security group of a new VPC, in the form of CreateCluster."""
        ec2 = self.aws.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/20")["Subnet"]["SubnetId"]
        group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        return {"Subnets": [subnet], "SecurityGroupIds": [group]}

    def run(
        self, *arguments: str, playbook: str = "mlfleet.hyperpod.cluster", inventory: Path | None = None, **extra: t.Any
    ) -> Run:
        self.aws.control("reset-calls", {})
        command = ("-i", str(inventory or self.inventory), playbook, *_extra_vars(extra), *arguments)
        done = ansible("playbook", *command, limit=LIMIT, **self._place)
        return Run(done.returncode, done.stdout + done.stderr, self.aws.calls(), self.aws.changes())

    def killed_at_each(self, places: t.Mapping[str, Place], **extra: t.Any) -> tuple[list[str], Run]:
        """Kill one run at each of ``places``, after the call took effect and before its reply arrives, then let one run finish.

        Returns the places of the kills, and the finished run with the calls of all runs.
        """
        self.aws.control("reset-calls", {})
        died: list[str] = []
        while True:
            left = {name: place for name, place in places.items() if name not in died}
            for place in left.values():
                self.aws.fault(kind="hold", **place)
            run = self._started(extra)
            try:
                held = self._held_before_it_ends(run)
            finally:
                _kill(run)
                self.aws.clear_faults()
            if not held:
                return died, Run(run.returncode, self._log.read_text(), self.aws.calls(), self.aws.changes())
            died.append(self._place_of(held[0], left))

    def calls_outside(self, places: t.Mapping[str, Place]) -> list[str]:
        """Mutating calls that are at none of ``places``."""
        changes = [call for call in self.aws.control("calls") if call["mutating"]]
        return [call["operation"] for call in changes if not any(_is_at(place, call) for place in places.values())]

    def _started(self, extra: t.Mapping[str, t.Any]) -> subprocess.Popen[bytes]:
        return started(
            "playbook", "-i", str(self.inventory), "mlfleet.hyperpod.cluster", *_extra_vars(extra), log=self._log, **self._place
        )

    def _held_before_it_ends(self, run: subprocess.Popen[bytes]) -> list[dict[str, t.Any]]:
        """The calls whose replies the run waits for; empty if the run ended."""
        deadline = time.monotonic() + LIMIT
        while run.poll() is None:
            assert time.monotonic() < deadline, "the run neither ended nor reached one of the places"
            if held := self.aws.control("held"):
                return list(held)
            time.sleep(0.05)
        return []

    def _place_of(self, held: t.Mapping[str, t.Any], places: t.Mapping[str, Place]) -> str:
        call = next(each for each in self.aws.control("calls") if each["sequence"] == held["sequence"])
        return next(name for name, place in places.items() if _is_at(place, call))

    @property
    def _log(self) -> Path:
        return self.folder / "run.log"

    @property
    def _place(self) -> dict[str, t.Any]:
        return {
            "home": self.home,
            "temporary": self.folder / "tmp",
            "AWS_ENDPOINT_URL": self.aws.url,
            "HYPERPOD_STATE_DIR": str(self.folder / "state"),
        }


def _is_at(place: Place, call: t.Mapping[str, t.Any]) -> bool:
    wanted = place.get("where", {}).items()
    return bool(place["operation"] == call["operation"]) and all(call["arguments"].get(key) == value for key, value in wanted)


def _kill(run: subprocess.Popen[bytes]) -> None:
    """Kill a run and its children, unless it has ended."""
    if run.poll() is None:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()


def _extra_vars(extra: t.Mapping[str, t.Any]) -> list[str]:
    return ["-e", json.dumps(extra)] if extra else []
