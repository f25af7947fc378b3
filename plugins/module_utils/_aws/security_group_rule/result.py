# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values for a rule of a security group."""

from __future__ import annotations

import typing as t

from ..tags import owned
from .model import ALL_PROTOCOLS, Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    rule = state.rule
    return {
        "security_group_rule": {
            "exists": rule is not None,
            "owned": rule is not None and owned(rule.tags, desired.cluster_arn),
            "security_group_rule_id": rule.id if rule else None,
            "group_id": state.group_id,
            "direction": "egress" if desired.egress else "ingress",
            "protocol": "all" if desired.protocol == ALL_PROTOCOLS else desired.protocol,
            "from_port": desired.from_port,
            "to_port": desired.to_port,
            "peer": state.peer,
            "description": rule.description if rule else desired.description,
            "tags": dict(rule.tags) if rule else {},
            "other_ports": sorted(
                each.match.from_port for each in state.others if owned(each.tags, desired.cluster_arn)
            ),
        }
    }
