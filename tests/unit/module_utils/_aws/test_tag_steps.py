# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that add and remove tags, in the form of each API."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.tag_steps import (
    BALANCING,
    EC2,
    EKS,
    SAGEMAKER,
    Tagging,
    tag_steps,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step

PAIRS = [{"Key": "a", "Value": "x"}, {"Key": "g", "Value": "h"}]


def steps(api: Tagging, have: dict[str, str], want: dict[str, str] | None, *, purge: bool = True) -> list[Step]:
    return list(tag_steps(api, "it", "arn", have, want, purge=purge, tagged=lambda state, tags: (state, tags)))


@pytest.mark.parametrize(
    ("api", "add", "remove"),
    [
        (SAGEMAKER, ("AddTags", {"ResourceArn": "arn", "Tags": PAIRS}), ("DeleteTags", {"ResourceArn": "arn", "TagKeys": ["c"]})),
        (BALANCING, ("AddTags", {"ResourceArns": ["arn"], "Tags": PAIRS}), ("RemoveTags", {"ResourceArns": ["arn"], "TagKeys": ["c"]})),
        (
            EKS,
            ("TagResource", {"resourceArn": "arn", "tags": {"a": "x", "g": "h"}}),
            ("UntagResource", {"resourceArn": "arn", "tagKeys": ["c"]}),
        ),
        (EC2, ("CreateTags", {"Resources": ["arn"], "Tags": PAIRS}), ("DeleteTags", {"Resources": ["arn"], "Tags": [{"Key": "c"}]})),
    ],
)
def test_steps_have_the_form_of_each_api(api: Tagging, add: t.Any, remove: t.Any) -> None:
    tag, untag = steps(api, {"a": "b", "c": "d", "aws:e": "f"}, {"g": "h", "a": "x"})
    assert ((tag.operation, tag.arguments), (untag.operation, untag.arguments)) == (add, remove)
    assert tag.effect("s") == ("s", {"a": "x", "c": "d", "aws:e": "f", "g": "h"})
    assert untag.effect("s") == ("s", {"a": "x", "aws:e": "f", "g": "h"})
    assert [change.field for change in (*tag.changes, *untag.changes)] == ["tags.a", "tags.g", "tags.c"]


def test_equal_tags_need_no_step() -> None:
    for want, purge in ((None, True), ({"a": "b"}, True), ({}, False)):
        assert steps(EKS, {"a": "b"}, want, purge=purge) == []
