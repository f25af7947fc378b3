# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Feature gates as settings of an add-on."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._karpenter.addon_gates import with_gates

OFF = {"TopologyAwareScheduling": False, "TASProfileMixed": False}
MAPPING = {"type": "object", "additionalProperties": {"type": "boolean"}}
LIST = {"type": "array", "items": {"type": "object", "required": ["name", "enabled"]}}
TEXT = {"type": "string"}


def of(properties: t.Mapping[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return {"type": "object", "additionalProperties": False, "properties": dict(properties), **more}


@pytest.mark.parametrize(
    ("setting", "have", "then"),
    [
        (MAPPING, None, OFF),
        (MAPPING, {"MultiKueue": True, "TASProfileMixed": True}, {"MultiKueue": True, **OFF}),
        (LIST, None, [{"name": name, "enabled": False} for name in OFF]),
        (
            LIST,
            [{"name": "TASProfileMixed", "enabled": True}, {"name": "MultiKueue", "enabled": True}],
            [{"name": "MultiKueue", "enabled": True}, *({"name": name, "enabled": False} for name in OFF)],
        ),
        (TEXT, None, "TopologyAwareScheduling=false,TASProfileMixed=false"),
        (TEXT, "MultiKueue=true,TASProfileMixed=true", "MultiKueue=true,TopologyAwareScheduling=false,TASProfileMixed=false"),
    ],
)
def test_gates_are_added_to_the_existing_ones(setting: t.Any, have: t.Any, then: t.Any) -> None:
    before: dict[str, t.Any] = {"replicas": 2, **({"featureGates": have} if have else {})}
    found = with_gates(of({"replicas": {"type": "integer"}, "featureGates": setting}), before, OFF)
    assert found == {"replicas": 2, "featureGates": then}
    assert before.get("featureGates") == have


def test_the_setting_may_be_nested_and_referenced() -> None:
    manager = of({"featureGates": {"$ref": "#/definitions/Gates"}})
    schema = {"$ref": "#/definitions/All", "definitions": {"All": of({"controllerManager": manager}), "Gates": LIST}}
    have = {"controllerManager": {}}
    assert with_gates(schema, have, {"A": False}) == {"controllerManager": {"featureGates": [{"name": "A", "enabled": False}]}}
    assert with_gates(schema, {}, {"A": False}) == {"controllerManager": {"featureGates": [{"name": "A", "enabled": False}]}}


LOOP = {"$ref": "#/definitions/All", "definitions": {"All": of({"again": {"$ref": "#/definitions/All"}})}}


@pytest.mark.parametrize(
    ("schema", "have"),
    [
        (None, {}),
        (True, {}),
        (of({"replicas": {"type": "integer"}}), {}),
        (of({"featureGates": {"type": "integer"}}), {}),
        (of({"featureGates": {"$ref": "#/nowhere"}}), {}),
        (of({"featureGates": {"$ref": "https://elsewhere"}}), {}),
        (of({"featureGates": {**MAPPING, "additionalProperties": {"type": "string"}}}), {}),
        (of({"featureGates": {**MAPPING, "properties": {"Known": {}}, "additionalProperties": False}}), {}),
        (of({"manager": of({"featureGates": MAPPING})}), {"manager": "a text"}),
        (of({"featureGates": MAPPING}), {"unknown": 1}),
        ({"$ref": "#/$ref"}, {}),
        (LOOP, {}),
    ],
)
def test_an_add_on_without_the_setting_is_left_alone(schema: t.Any, have: dict[str, t.Any]) -> None:
    assert with_gates(schema, have, OFF) is None
