# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the security groups of nodes allow EFA between the nodes.

EFA requires an inbound rule that allows all traffic from one of the nodes' own security groups, and an outbound rule that allows
all traffic to one of these groups. A rule for addresses is not enough (AWS, "Get started with EFA and MPI"). All groups of a node
count together: a rule of one group may name another group of the node.
"""

from __future__ import annotations

import typing as t

ALL = "-1"
Row = t.Mapping[str, t.Any]


def lacking(groups: t.Sequence[str], read: t.Sequence[Row]) -> list[str]:
    """The directions that the rules do not allow.

    :param groups: IDs of the security groups of one node.
    :param read: As ``amazon.aws.ec2_security_group_info`` returns them.
    """
    own = [row for row in read if row["group_id"] in groups]
    allowed = {"inbound": _passes(groups, own, "ip_permissions"), "outbound": _passes(groups, own, "ip_permissions_egress")}
    return [direction for direction, passes in allowed.items() if not passes]


def _passes(groups: t.Container[str], rows: t.Iterable[Row], rules: str) -> bool:
    return any(
        pair.get("group_id") in groups
        for row in rows
        for rule in row[rules]
        if rule["ip_protocol"] == ALL
        for pair in rule.get("user_id_group_pairs") or ()
    )


def sentence(instance_groups: t.Sequence[str], groups: t.Sequence[str], directions: t.Sequence[str]) -> str:
    return (
        f"The security groups of {', '.join(instance_groups)} ({', '.join(groups) or 'none'}) have no "
        f"{' and no '.join(directions)} rule that allows all traffic within these groups, so EFA between the nodes is blocked. "
        "Add rules that name the security group itself. Rules for addresses are not enough."
    )
