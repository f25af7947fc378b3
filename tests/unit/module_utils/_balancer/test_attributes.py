# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load balancer attributes, which AWS reads and returns as strings, as typed values."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer import attributes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.fields import Field

TABLE = (
    Field("stickiness", "stickiness.enabled", "bool", False),
    Field("cross_zone", "cross_zone.enabled", "bool", True),
    Field("delay", "delay.timeout_seconds", "int", 300, low=0),
    Field("minimum", "minimum.count", "str", "1", low=1, word="off"),
)
ANSWER = {
    "Attributes": [
        {"Key": "stickiness.enabled", "Value": "true"},
        {"Key": "cross_zone.enabled", "Value": "false"},
        {"Key": "delay.timeout_seconds", "Value": "0"},
        {"Key": "minimum.count", "Value": "2"},
        {"Key": "of.another.release", "Value": "1"},
    ]
}
VALUES = {"stickiness": True, "cross_zone": False, "delay": 0, "minimum": "2"}


def test_strings_are_converted_to_values_and_back():
    assert attributes.observed(TABLE, ANSWER) == VALUES
    assert attributes.request(TABLE, VALUES) == ANSWER["Attributes"][:-1]


def test_attributes_missing_in_the_answer_are_left_out():
    assert attributes.observed(TABLE, {"Attributes": ANSWER["Attributes"][:1]}) == {"stickiness": True}
    assert attributes.observed(TABLE, {}) == {}
