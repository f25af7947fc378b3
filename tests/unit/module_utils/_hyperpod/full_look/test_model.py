# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a full look."""

from __future__ import annotations

import dataclasses
import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.model import LARGEST, FullLook, digest, handles

LOOK = FullLook(
    looked="2026-11-22T11:59:00Z",
    well=True,
    generation=6,
    declared={"variables": "a", "files": "b"},
    nodes="n",
    records="r",
    targets="t",
    target_group="arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/hp-ml/0123456789abcdef",
    endpoint="cvpn-endpoint-1",
    vpn="v",
    due="2026-12-01T00:00:00Z",
    complete="2026-11-22T11:58:00Z",
)


def test_a_written_record_is_read_back_and_is_small():
    assert FullLook.from_json(LOOK.to_json()) == LOOK
    assert len(LOOK.to_json()) < LARGEST / 4


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{}",
        "[]",
        json.dumps({"version": 1}),
        LOOK.to_json().replace('"version": 1', '"version": 2'),
        dataclasses.replace(LOOK, looked="yesterday").to_json(),
        dataclasses.replace(LOOK, due="soon").to_json(),
        dataclasses.replace(LOOK, complete="2026-11-22T11:58:00").to_json(),  # without a time zone
        dataclasses.replace(LOOK, looked="2026-11-22").to_json(),  # a date without a time
        LOOK.to_json().replace('"well": true', '"well": "false"'),
        LOOK.to_json().replace('"generation": 6', '"generation": null'),
        "[" * LARGEST,
    ],
)
def test_an_unreadable_record_is_none(text):
    assert FullLook.from_json(text) is None


@pytest.mark.parametrize(
    ("look", "event", "handled"),
    [
        (LOOK, "2026-11-22T11:57:55Z", True),
        (LOOK, "2026-11-22T12:57:55+01:00", True),
        (LOOK, "2026-11-22T11:57:56Z", False),  # the replies of AWS may be older than the event
        (LOOK, "2026-11-22T11:59:00Z", False),
        (dataclasses.replace(LOOK, well=False), "2026-11-22T11:57:55Z", True),  # the look changed something, or another one has begun
        (dataclasses.replace(LOOK, complete=""), "2026-11-22T11:00:00Z", False),
        (None, "2026-11-22T11:00:00Z", False),
    ],
)
def test_a_complete_look_that_began_after_an_event_handles_it(look, event, handled):
    assert handles(look, moment_of(event)) is handled


def test_a_digest_depends_on_content_and_not_on_order():
    assert digest({"a": 1, "b": {"c": 2, "d": 3}}) == digest({"b": {"d": 3, "c": 2}, "a": 1})
    assert len({digest(value) for value in ({}, {"a": 1}, {"a": 2}, {"b": 1}, [1, 2], [2, 1])}) == 6


def test_equal_looks_give_equal_text():
    other = dataclasses.replace(LOOK, declared=dict(reversed(LOOK.declared.items())))
    assert other == LOOK and other.to_json() == LOOK.to_json() and list(json.loads(LOOK.to_json())) == sorted(json.loads(LOOK.to_json()))
