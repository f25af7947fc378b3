# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the actual extension of a cluster with Slurm."""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass, field

from ..._core.text import printable

Configuration = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Desired:
    """``version`` None means the installed version, or else the newest. Settings that ``configuration`` omits stay unchanged."""

    cluster_arn: str
    name: str
    present: bool = True
    version: str | None = None
    configuration: Configuration = field(default_factory=dict)

    @property
    def resource(self) -> str:
        return f"extension {self.name}"


@dataclass(frozen=True)
class Extension:
    arn: str
    version: str
    status: str
    configuration: Configuration = field(default_factory=dict)
    nodes: int = 0
    active_nodes: int = 0
    issues: tuple[str, ...] = ()
    """Descriptions of problems, with numbers of nodes."""

    @classmethod
    def from_api(cls, answer: t.Mapping[str, t.Any]) -> Extension:
        details, nodes = answer["ExtensionDetails"], answer.get("NodeSummary") or {}
        issues = (answer.get("Health") or {}).get("Issues") or ()
        return cls(
            arn=details["ExtensionArn"],
            version=details["ExtensionVersion"],
            status=details["Status"],
            configuration=json.loads(details.get("ConfigurationValues") or "{}"),
            nodes=nodes.get("TotalCount", 0),
            active_nodes=nodes.get("ActiveCount", 0),
            issues=tuple(printable(f"{each['Code']} (nodes: {each['NodeCount']}): {each['Message']}") for each in issues),
        )


@dataclass(frozen=True)
class State:
    extension: Extension | None = None
