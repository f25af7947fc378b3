# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resource-based policies, as queues have: whether they allow or deny a caller or a service something."""

from __future__ import annotations

import typing as t

from ..sqs.attributes import statements
from .asked import Permission
from .policy import many, matches

if t.TYPE_CHECKING:
    from ..request import Call

ALLOW, DENY = "Allow", "Deny"
Names = t.Mapping[str, t.Collection[str]]
"""The names of a principal in policies, by kind: AWS or Service."""


def verdict(document: t.Mapping[str, t.Any], names: Names, permission: Permission) -> str:
    """``Allow``, ``Deny``, or empty if no statement is about the principal and the permission."""
    effects = {each["Effect"] for each in statements(document) if _is_of(each["Principal"], names) and matches(each, permission)}
    return next((effect for effect in (DENY, ALLOW) if effect in effects), "")


def caller(call: Call) -> Names:
    """The role of a caller and its session; keys that no role issued are those of the role ``lab``."""
    from moto.sts.models import sts_backends

    sessions = [each for backend in list(sts_backends[call.account].values()) for each in backend.assumed_roles]
    session = next((each for each in sessions if each.access_key_id == call.access_key), None)
    if session is not None:
        return {"AWS": (session.role_arn, session.arn)}
    return {"AWS": (f"arn:aws:iam::{call.account}:role/lab", f"arn:aws:sts::{call.account}:assumed-role/lab/lab")}


def account(call: Call) -> Names:
    """The caller's account, by which another account allows all its principals."""
    return {"AWS": (call.account, f"arn:aws:iam::{call.account}:root")}


def service(name: str) -> Names:
    return {"Service": (name,)}


def _is_of(principal: str | t.Mapping[str, str | list[str]], names: Names) -> bool:
    if isinstance(principal, str):
        return principal == "*"
    return any(each == "*" or each in names.get(kind, ()) for kind, listed in principal.items() for each in many(listed))
