# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, ARNs and the tag of our rules and queues."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events import identity

ARN = "arn:aws:sqs:us-west-2:111111111111:hyperpod-events"


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (identity.check_name, ["a", "hyperpod-events_1", "a" * 64], ["", "a.b", "a b", "a" * 65, "a\n"]),
        (identity.check_queue_name, ["a" * 80], ["", "a.fifo", "a" * 81]),
        (identity.check_queue_arn, [ARN, ARN.replace("aws", "aws-us-gov", 1)], ["", ARN + ".fifo", ARN.replace(":sqs:", ":sns:"), ARN + "\n"]),
    ],
)
def test_names_and_arns(check: t.Callable[[str, str], str], right: list[str], wrong: list[str]) -> None:
    for value in right:
        assert check("option", value) == value
    for value in wrong:
        with pytest.raises(Refused, match="^option: "):
            check("option", value)


def test_our_tag_is_always_set() -> None:
    assert identity.tags_to_ensure(None) == identity.OWN_TAGS
    assert identity.tags_to_ensure({"a": 1, identity.COMPONENT_TAG: "other"}) == {"a": "1", **identity.OWN_TAGS}
    with pytest.raises(Refused, match="^tags: 'aws:x' is not allowed"):
        identity.tags_to_ensure({"aws:x": "y"})


def test_only_resources_with_our_tag_are_ours() -> None:
    identity.require_ours("queue a", {"b": "c", **identity.OWN_TAGS}, adopt=False)
    for tags in ({}, {identity.COMPONENT_TAG: "client_vpn"}):
        assert not identity.is_ours(tags)
        identity.require_ours("queue a", tags, adopt=True)
        with pytest.raises(Refused, match="queue a exists without the tag mlfleet.hyperpod/component=events"):
            identity.require_ours("queue a", tags, adopt=False)
