# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of a part of login access, and the tasks that every run must have."""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass

from . import hostile

SAFETY = [
    "mlfleet.hyperpod.run : Get the cluster and validate the AWS account",
    "mlfleet.hyperpod.run : Get the holder of the cluster lock",
    "mlfleet.hyperpod.accounts : Validate users and groups",
    "mlfleet.hyperpod.run : Validate the declaration against the plans of all nodes",
    "mlfleet.hyperpod.run : Ensure the cluster lock is released",
]


@dataclass(frozen=True)
class Part:
    run: hostile.Run
    changed: dict[str, set[str]]
    """Mutating operations by service."""
    sent: set[str]
    """Modules that were sent to nodes, for example ``login-accounts``."""
    unsafe: list[str]
    """Mandatory tasks that did not run, and locks that are still held."""


def run_part(world: hostile.World, playbook: str, tags: str) -> Part:
    run = world.playbook(f"mlfleet.hyperpod.{playbook}", "--limit", "cluster_ml", "--tags", tags)
    changed: dict[str, set[str]] = {}
    for call in run.calls:
        if call["mutating"]:
            changed.setdefault(call["service"], set()).add(call["operation"])
    unsafe = [name for name in SAFETY if f"TASK [{name}]" not in run.output]
    unsafe += [f"{name} is held" for name, lock in _locks(world) if not lock["released"]]
    return Part(run, changed, {"-".join(file.split("-")[:2]) for file in run.received}, unsafe)


def _locks(world: hostile.World) -> t.Iterator[tuple[str, dict[str, t.Any]]]:
    ssm = world.aws.client("ssm")
    for each in ssm.describe_parameters()["Parameters"]:
        if "/lock/" in each["Name"]:
            yield each["Name"], json.loads(ssm.get_parameter(Name=each["Name"])["Parameter"]["Value"])
