# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The causes why nodes do not join. No I/O."""

from __future__ import annotations

import typing as t

from .model import Observation, Unread
from .reach import routes, rules
from .user_data import user_data
from .verdict import Cause, Finding, Unknown

WORKER = ("AmazonEKSWorkerNodePolicy", "AmazonEKSWorkerNodeMinimalPolicy")
REGISTRY = (
    *("AmazonEC2ContainerRegistryPullOnly", "AmazonEC2ContainerRegistryReadOnly"),
    *("AmazonEC2ContainerRegistryPowerUser", "AmazonEC2ContainerRegistryFullAccess"),
)
CNI = ("AmazonEKS_CNI_Policy",)
ADMINISTRATOR = "AdministratorAccess"
ENTRY = "EC2_LINUX"


def findings(seen: Observation) -> tuple[Finding, ...]:
    unread = (Unknown(str(each)) for each in (seen.cluster, seen.template) if isinstance(each, Unread))
    return (*unread, *_role(seen), *_entry(seen), *rules(seen), *routes(seen), *user_data(seen))


def _role(seen: Observation) -> t.Iterator[Finding]:
    role = seen.role
    if isinstance(role, Unread):
        yield Unknown(str(role))
        return
    if not role.exists:
        yield Cause(f"role {role.name} does not exist", "create the role again with the same name and its policies")
        return
    needed = [WORKER, REGISTRY]
    if isinstance(seen.cni_role, Unread):
        yield Unknown(str(seen.cni_role))
    elif not seen.cni_role:
        needed.append(CNI)
    for names in needed:
        if not {*names, ADMINISTRATOR} & set(role.policies):
            yield from _missing(role.name, names[0], role.policies, role.others)


def _missing(role: str, policy: str, policies: t.Sequence[str], others: t.Sequence[str]) -> t.Iterator[Finding]:
    """A policy that is not AWS's may contain the same rights, and is not read."""
    if others:
        yield Unknown(f"whether {', '.join(others)} of role {role} contain the rights of {policy}, which the role lacks")
        return
    attached = ", ".join(policies) or "no policy"
    also = ", or give the role of add-on vpc-cni the policy" if policy in CNI else ""
    yield Cause(f"role {role} lacks {policy} (it has {attached})", f"attach the policy{also}")


def _entry(seen: Observation) -> t.Iterator[Finding]:
    """In the mode API, EKS creates the entry with the group; in other modes, it may write ConfigMap aws-auth instead."""
    entry, cluster = seen.entry, seen.cluster
    if isinstance(cluster, Unread):
        return
    if isinstance(entry, Unread):
        yield Unknown(str(entry))
    elif entry is None and cluster.mode == "API":
        yield Cause(
            f"the node role has no access entry in EKS cluster {cluster.name}, whose authentication mode is API",
            f"create an access entry of type {ENTRY} for the role",
        )
    elif entry is None:
        yield Unknown(f"whether ConfigMap aws-auth maps the node role (authentication mode {cluster.mode})")
    elif entry != ENTRY:
        yield Cause(
            f"the access entry of the node role has type {entry}, which is not for nodes",
            f"remove the entry and create one of type {ENTRY}, or use another role for the nodes",
        )
