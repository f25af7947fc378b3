# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A table of fields: desired values, comparison, requests and responses."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import fields
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.fields import Field
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change

TABLE = (
    Field("mode", "Mode", "str", "on", choices=("on", "off")),
    Field("delay", "DelaySeconds", "int", 300, low=0, high=3600),
    Field("minimum", "Minimum", "str", "off", low=1, word="off"),
    Field(
        "servers",
        "Servers",
        "list",
        (),
        reads=lambda answer: tuple(answer.get("Servers", {}).get("Custom", ())),
        writes=lambda value: {"Servers": {"Custom": list(value)}},
        creates=lambda value: {"ServerList": list(value)},
        same=lambda have, want: set(have) == set(want),
    ),
)


def test_omitted_options_are_not_desired():
    assert fields.desired(TABLE, {"delay": 0, "mode": None, "unknown": 1}, within="") == {"delay": 0}
    assert fields.desired(TABLE, None, within="") == {}


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("delay", -1, "a.delay: -1 is not allowed. Allowed: 0 to 3600."),
        ("delay", 3601, "a.delay: 3601 is not allowed. Allowed: 0 to 3600."),
        ("minimum", "0", "a.minimum: '0' is not allowed. Allowed: 1 or more, or off."),
        ("minimum", "on", "a.minimum: 'on' is not allowed. Allowed: 1 or more, or off."),
    ],
)
def test_numbers_outside_their_range_are_refused(option, value, words):
    with pytest.raises(Refused) as caught:
        fields.desired(TABLE, {option: value}, within="a")
    assert str(caught.value) == words


@pytest.mark.parametrize(("option", "value", "expected"), [("minimum", "off", "off"), ("minimum", 7, "7"), ("delay", 7, 7)])
def test_a_number_has_the_type_of_its_field(option, value, expected):
    assert fields.desired(TABLE, {option: value}, within="") == {option: expected}


def test_the_argument_spec_has_types_and_choices():
    spec = fields.argument_spec(TABLE)
    assert spec["mode"] == {"type": "str", "choices": ["on", "off"]} and spec["delay"] == {"type": "int"}


def test_fields_missing_in_a_response_are_left_out_unless_they_read_all_of_it():
    assert fields.observed(TABLE, {"Mode": "off", "Other": 1}) == {"mode": "off", "servers": ()}
    assert fields.observed(TABLE, {"Servers": {"Custom": ["a"]}}) == {"servers": ("a",)}


@pytest.mark.parametrize(
    ("want", "expected"),
    [
        ({}, []),
        ({"mode": "on", "servers": ("b", "a")}, []),
        ({"servers": ("a",), "delay": 0, "mode": "off"}, ["mode", "delay", "servers"]),
    ],
)
def test_only_desired_fields_with_another_value_differ(want, expected):
    have = {"mode": "on", "servers": ("a", "b")}
    assert [field.option for field in fields.different(TABLE, have, want)] == expected


def test_requests_have_the_names_of_the_api():
    values = {"delay": 0, "servers": ("a",)}
    assert fields.modification(TABLE, values) == {"DelaySeconds": 0, "Servers": {"Custom": ["a"]}}
    assert fields.creation(TABLE, values) == {"DelaySeconds": 0, "ServerList": ["a"]}


def test_changes_have_the_path_of_the_option():
    changes = fields.changes("group g", TABLE[:2], {"delay": 300}, {"delay": 0, "servers": ()}, within="health_check")
    assert changes == (Change("update", "group g", "health_check.delay", 300, 0),)


def test_a_change_of_an_immutable_field_is_refused():
    fields.refuse_immutable("group g", {"mode": "on"}, {"mode": "on"})
    message = "^delay: 0 is not allowed: group g has None, and AWS cannot change that. Allowed: None, or a different value with another resource name"
    with pytest.raises(Refused, match=message):
        fields.refuse_immutable("group g", {"mode": "on"}, {"mode": "on", "delay": 0})
