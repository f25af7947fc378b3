# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM in front of the API: setting ``policies`` enforces them for every call, by action, resource and conditions.

moto's own check ignores resources and conditions. Exempt are administrators (access keys that contain ADMIN) and STS. Policies of
queues apply to callers of other accounts even without this setting.
"""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

from .. import cloud
from . import queues
from .asked import Permission, required_permissions
from .policy import allows, many
from .resource import ALLOW, DENY

if t.TYPE_CHECKING:
    from ..request import Call

POLICIES = Path(__file__).resolve().parents[4] / "docs/reference/iam"
OPERATORS = (
    *("login-access", "client-vpn", "client-vpn-log", "clusters", "custom-image", "execution-role", "karpenter", "eks"),
    *("training-cluster-build", "training-cluster-network", "training-cluster-roles", "training-cluster-remove"),
    *("training-image", "report-store", "report-store-read", "events"),
)
TRAINING_CLUSTER = (
    *("clusters", "eks"),
    *("training-cluster-build", "training-cluster-network", "training-cluster-roles", "training-cluster-remove"),
)
"""Policies of a role that builds and removes training clusters."""
ADMINISTRATOR = "ADMIN"
FREE = ("sts",)
ACCOUNT = "111111111111"
"""Account in the documented policies, which stands for that of the reader, or for the owner of the queue that a call is about."""


def documented(*names: str, balancers: str = "") -> list[t.Any]:
    """Policies of docs/reference/iam by name; without names, those of a role that runs all playbooks.

    :param balancers: names of load balancers, for which ``docs/reference/iam.md`` documents additions.
    """
    texts = [(POLICIES / f"{name}.json").read_text() for name in names or OPERATORS]
    return [_with(json.loads(text), balancers) if balancers else json.loads(text) for text in texts]


def without(name: str, action: str) -> list[t.Any]:
    """All policies of a role that runs all playbooks, without an action of the policy ``name``.

    Several policies have the same actions of IAM, each for its own roles. Such an action is removed from all of them.

    :raises LookupError: for an action that the policy lacks, or that another one also has.
    """
    having = {each for each in OPERATORS for statement in documented(each)[0]["Statement"] if action in many(statement["Action"])}
    if name not in having or (len(having) > 1 and not action.startswith("iam:")):
        raise LookupError(f"{action} is in {sorted(having) or 'no policy'}")
    return [_less(document, action) for document in documented()]


class Denial(t.NamedTuple):
    permission: Permission
    reason: str
    """The end of AWS's message."""


def denied(call: Call) -> Denial | None:
    """The first required permission that the caller lacks."""
    statements = _statements(call)
    if statements is None and not queues.is_of_another_account(call):
        return None
    reasons = ((each, _reason(call, statements, each)) for each in required_permissions(call))
    return next((Denial(permission, reason) for permission, reason in reasons if reason), None)


def _statements(call: Call) -> list[t.Any] | None:
    """The statements of the caller's policies; None if they allow everything."""
    documents = cloud.current().settings.get("policies")
    if not documents or ADMINISTRATOR in call.access_key or call.service in FREE:
        return None
    account = queues.owner_of(call)
    return [_own(statement, account) for document in documents for statement in document["Statement"]]


def _reason(call: Call, statements: list[t.Any] | None, permission: Permission) -> str:
    """Why a permission is denied; empty if it is allowed."""
    by_resource = queues.verdict_of(call, permission)
    if by_resource == DENY:
        return "with an explicit deny in a resource-based policy"
    if queues.is_of_another_account(call) and not queues.allows_another(call, permission):
        return f"because no resource-based policy allows the {permission.action} action"
    enough = by_resource == ALLOW and not queues.is_of_another_account(call)
    if enough or statements is None or allows(statements, permission):
        return ""
    return f"because no identity-based policy allows the {permission.action} action"


def message(call: Call, denial: Denial) -> str:
    """The error message of AWS."""
    return (
        f"User: arn:aws:sts::{call.account}:assumed-role/lab/lab is not authorized to perform: {denial.permission.action} on resource: "
        f"{denial.permission.resource} {denial.reason}"
    )


def _with(document: t.Any, balancers: str) -> t.Any:
    """``balancers`` beside ``hp-*``."""
    for statement in document["Statement"]:
        resources = many(statement["Resource"])
        statement["Resource"] = [*resources, *(each.replace("hp-*", balancers) for each in resources if "hp-*" in each)]
    return document


def _less(document: t.Any, action: str) -> t.Any:
    for statement in document["Statement"]:
        statement["Action"] = [each for each in many(statement["Action"]) if each != action]
    return document


def _own(value: t.Any, account: str) -> t.Any:
    if isinstance(value, dict):
        return {name: _own(each, account) for name, each in value.items()}
    if isinstance(value, list):
        return [_own(each, account) for each in value]
    return value.replace(ACCOUNT, account) if isinstance(value, str) else value
