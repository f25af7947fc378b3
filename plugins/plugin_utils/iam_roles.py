# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trust policies and permissions boundaries of the IAM roles that the collection creates."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed

SOURCE = "aws:SourceAccount"
BOUNDARY = r"arn:(?P<partition>aws[\w-]*):iam::(?P<account>\d{12}|aws):policy/[\w+=,.@/-]{1,512}"
BOUNDARY_ALLOWED = "the ARN of a managed IAM policy such as arn:aws:iam::111111111111:policy/mlfleet-hyperpod-boundary"
Document = dict[str, t.Any]


def trust(service: str, account: str) -> Document:
    """A trust policy that allows a service to assume the role on behalf of one account.

    AWS's guides to HyperPod do not mention ``aws:SourceAccount``, so the policy also allows requests without it.
    """
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": "sts:AssumeRole",
        "Condition": {"StringEqualsIfExists": {SOURCE: account}},
    }
    return {"Version": "2012-10-17", "Statement": [statement]}


def trusts_alone(document: t.Any, service: str, account: str) -> bool:
    """Whether a trust policy allows only the service, on behalf of the account. Conditions and denials may limit it further."""
    found = document.get("Statement") if isinstance(document, dict) else None
    allowing = [each for each in (_many(found) if found else []) if not (isinstance(each, dict) and each.get("Effect") == "Deny")]
    return bool(allowing) and all(_fits(each, service, account) for each in allowing)


def boundary_problem(option: str, arn: str, *, partition: str, account: str) -> str | None:
    """The refusal of a permissions boundary for a role of the account; None if the ARN is valid or empty."""
    if not arn:
        return None
    match = re.fullmatch(BOUNDARY, arn)
    if match is None:
        return not_allowed(option, arn, BOUNDARY_ALLOWED)
    if match["partition"] != partition:
        return not_allowed(option, arn, BOUNDARY_ALLOWED, f"the role is in partition {partition}")
    if match["account"] not in (account, "aws"):
        return not_allowed(option, arn, BOUNDARY_ALLOWED, f"the role is in account {account}")
    return None


def _fits(statement: t.Any, service: str, account: str) -> bool:
    if not isinstance(statement, dict):
        return False
    principal, conditions = statement.get("Principal"), statement.get("Condition") or {}
    sources = [conditions.get(operator, {}).get(SOURCE) for operator in ("StringEquals", "StringEqualsIfExists")]
    return (
        statement.get("Effect") == "Allow"
        and isinstance(principal, dict)
        and list(principal) == ["Service"]
        and _many(principal["Service"]) == [service]
        and _many(statement.get("Action")) == ["sts:AssumeRole"]
        and any(_many(source) == [account] for source in sources)
    )


def _many(value: t.Any) -> list[t.Any]:
    return value if isinstance(value, list) else [value]
