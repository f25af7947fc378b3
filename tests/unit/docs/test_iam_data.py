# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The policies of docs/reference/iam use only resources and condition keys that AWS publishes for their actions."""

from __future__ import annotations

import fnmatch
import functools
import json
import typing as t
from pathlib import Path

import pytest
from lab.aws.permissions.published import NEWER, ON_SESSIONS, details, exists

FILES = sorted((Path(__file__).resolve().parents[3] / "docs/reference/iam").glob("*.json"))

GLOBAL = "aws:resourceaccount"
"""A key of every request on a resource of an account, which the published data of actions omits."""
Statement = t.Mapping[str, t.Any]


def many(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def statements_by_action() -> t.Iterator[t.Any]:
    for path in FILES:
        for statement in json.loads(path.read_text())["Statement"]:
            for action in many(statement["Action"]):
                if not NEWER.fullmatch(action):
                    yield pytest.param(action, statement, id=f"{path.stem}-{statement['Sid']}-{action}")


@functools.cache
def meet(one: str, other: str) -> bool:
    """Whether a text exists that both patterns match."""
    if not one or not other:
        return not (one + other).strip("*")
    if one[0] == "*":
        return meet(one[1:], other) or meet(one, other[1:])
    if other[0] == "*":
        return meet(one, other[1:]) or meet(one[1:], other)
    return one[0] == other[0] and meet(one[1:], other[1:])


@pytest.mark.parametrize(("action", "statement"), list(statements_by_action()))
def test_an_action_supports_the_resources_and_keys_of_its_statement(action: str, statement: Statement) -> None:
    assert exists(action)
    arns, keys = details(action)
    resources = many(statement["Resource"])
    if resources != ["*"] and action not in ON_SESSIONS:
        assert any(meet(resource, arn) for resource in resources for arn in arns), "the statement never matches"
    conditions = [key.lower() for part in statement.get("Condition", {}).values() for key in part]
    assert [key for key in conditions if not any(fnmatch.fnmatchcase(key, each) for each in (*keys, GLOBAL))] == []


def test_patterns_meet_if_a_text_matches_both() -> None:
    assert meet("arn:aws:s3:::sagemaker-*", "arn:*:s3:::*/*") and meet("a*", "*b")
    assert not meet("arn:aws:s3:::a", "arn:*:s3:::*/*") and not meet("a*", "b*")
