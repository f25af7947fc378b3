# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether statements of identity-based policies allow a permission. Only Allow is supported: the documented policies deny nothing.

Statements of resource-based policies also have a principal (:mod:`lab.aws.permissions.resource`).
"""

from __future__ import annotations

import fnmatch
import typing as t

from .asked import Permission

Statement = t.Mapping[str, t.Any]
COMPARE: t.Mapping[str, t.Callable[[str, str], bool]] = {
    "ArnEquals": fnmatch.fnmatchcase,
    "ArnLike": fnmatch.fnmatchcase,
    "Bool": lambda have, want: have.lower() == want.lower(),
    "StringEquals": str.__eq__,
    "StringLike": fnmatch.fnmatchcase,
}


def allows(statements: t.Iterable[Statement], permission: Permission) -> bool:
    return any(statement["Effect"] == "Allow" and matches(statement, permission) for statement in statements)


def matches(statement: Statement, permission: Permission) -> bool:
    """Whether a statement is about the action, the resource and the context of a permission."""
    return (
        any(fnmatch.fnmatchcase(permission.action.lower(), action.lower()) for action in many(statement["Action"]))
        and any(fnmatch.fnmatchcase(permission.resource, pattern) for pattern in many(statement["Resource"]))
        and all(_holds(operator, keys, permission.context) for operator, keys in statement.get("Condition", {}).items())
    )


def many(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _holds(operator: str, keys: t.Mapping[str, t.Any], context: t.Mapping[str, str | list[str]]) -> bool:
    """Whether the keys match. A missing key matches only with ``ForAllValues`` and ``...IfExists``."""
    if operator == "Null":
        return all((key not in context) == (wanted == "true") for key, wanted in keys.items())
    quantifier, _colon, plain = operator.rpartition(":")
    name = plain.removesuffix("IfExists")
    compare, quantified = COMPARE[name], all if quantifier == "ForAllValues" else any

    def fits(key: str, wanted: str | list[str]) -> bool:
        if key not in context:
            return quantifier == "ForAllValues" or name != plain
        return quantified(any(compare(have, want) for want in many(wanted)) for have in many(context[key]))

    return all(fits(key, wanted) for key, wanted in keys.items())
