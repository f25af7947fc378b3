# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired CronJobs that check nodes, and their state in Kubernetes."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ...._kubernetes.client import Object
from ..jobs.model import Desired as Checks, Target

CRON, VALUE = "mlfleet.hyperpod/cron", "accelerator-health"
"""The label of all objects for scheduled checks. They do not have the label ``LOOK``, because the module
``accelerator_jobs`` removes old objects with that label.
"""


@dataclass(frozen=True)
class Desired:
    checks: Checks
    present: bool
    schedule: str = ""
    """A schedule in crontab format. If it is empty, checks run once an hour, at a minute that depends on the instance ID."""

    def schedule_of(self, target: Target) -> str:
        return self.schedule or f"{int(target.instance_id[-8:], 16) % 60} * * * *"


@dataclass(frozen=True)
class Node:
    uid: str
    of_karpenter: bool = False


@dataclass(frozen=True)
class State:
    api_version: str
    """The API version of CronJobs."""
    recursive: bool = True
    """Whether the API server supports recursive read-only mounts."""
    namespace: bool = True
    """Whether the namespace exists."""
    nodes: t.Mapping[str, Node] = field(default_factory=dict)
    """Nodes, keyed by name."""
    cron_jobs: t.Mapping[str, Object] = field(default_factory=dict)
    config_maps: t.Mapping[str, Object] = field(default_factory=dict)
    """ConfigMaps, keyed by name. ``config_maps`` and ``cron_jobs`` contain only objects that this collection manages."""
    of_others: tuple[str, ...] = ()
    """The names of the CronJobs in the namespace that this collection does not manage."""
