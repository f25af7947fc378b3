# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""CronJobs that are to look at nodes, and what Kubernetes has of them."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ...._kubernetes.client import Object
from ..jobs.model import Asked, Desired as Looks

CRON, VALUE = "mlfleet.hyperpod/cron", "accelerator-health"
"""Label of all that is made for looks that recur. They have no label ``LOOK``: runs of ``verify`` would remove them."""


@dataclass(frozen=True)
class Desired:
    looks: Looks
    present: bool
    schedule: str = ""
    """As cron writes it; empty for once an hour, at a minute of each node's own."""

    def schedule_of(self, asked: Asked) -> str:
        return self.schedule or f"{int(asked.instance_id[-8:], 16) % 60} * * * *"


@dataclass(frozen=True)
class Node:
    uid: str
    of_karpenter: bool = False


@dataclass(frozen=True)
class State:
    api_version: str
    """Of CronJobs."""
    recursive: bool = True
    """The API server knows mounts that are read-only together with what is mounted below them."""
    namespace: bool = True
    """It is there."""
    nodes: t.Mapping[str, Node] = field(default_factory=dict)
    """By name."""
    cron_jobs: t.Mapping[str, Object] = field(default_factory=dict)
    config_maps: t.Mapping[str, Object] = field(default_factory=dict)
    """Ours, by name."""
    of_others: tuple[str, ...] = ()
    """Names of CronJobs that somebody else made in the namespace."""
