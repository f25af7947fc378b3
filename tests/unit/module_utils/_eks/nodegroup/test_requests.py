# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of the requests that change a node group."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import Desired, Nodegroup
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.requests import configuration, versions

BLANK: dict[str, t.Any] = {"labels": {}, "taints": []}
ONE, OTHER = ({"key": key, "value": "b", "effect": "NO_SCHEDULE"} for key in ("one", "other"))
TEMPLATE = {"id": "lt-1", "name": "one", "version": "3"}
GROUP: dict[str, t.Any] = {**BLANK, "version": "1.33", "release_version": "1.33.9-20261015"}


@pytest.mark.parametrize(
    ("have", "want", "parameters"),
    [
        ({}, {}, {}),
        ({"labels": {"a": "b", "c": "d"}}, {"labels": {"a": "b", "c": "e"}}, {"labels": {"addOrUpdateLabels": {"c": "e"}}}),
        ({"labels": {"a": "b", "c": "d"}}, {"labels": {"a": "b"}}, {"labels": {"removeLabels": ["c"]}}),
        ({"taints": [ONE]}, {"taints": [ONE, OTHER]}, {"taints": {"addOrUpdateTaints": [OTHER]}}),
        ({"taints": [ONE, OTHER]}, {"taints": [OTHER]}, {"taints": {"removeTaints": [ONE]}}),
        (
            {"taints": [ONE]},
            {"taints": [{**ONE, "value": ""}]},
            {"taints": {"addOrUpdateTaints": [{"key": "one", "effect": "NO_SCHEDULE"}]}},
        ),
        (
            {"taints": [ONE]},
            {"taints": [{**ONE, "effect": "NO_EXECUTE"}]},
            {"taints": {"addOrUpdateTaints": [{**ONE, "effect": "NO_EXECUTE"}], "removeTaints": [ONE]}},
        ),
        ({"scaling": {"min": 0, "max": 1}}, {"scaling": {"min": 0, "max": 2}}, {"scalingConfig": {"maxSize": 2}}),
        ({"scaling": {"min": 1}}, {"scaling": {"min": 0}}, {"scalingConfig": {"minSize": 0}}),
        (
            {"node_repair": {"enabled": True, "overrides": [{"reason": "a"}]}},
            {"node_repair": {"enabled": True, "overrides": []}},
            {"nodeRepairConfig": {"enabled": True, "nodeRepairConfigOverrides": []}},
        ),
    ],
)
def test_only_differences_are_sent(have: dict[str, t.Any], want: dict[str, t.Any], parameters: dict[str, t.Any]) -> None:
    assert configuration({**BLANK, **have}, {**BLANK, **want}) == parameters


@pytest.mark.parametrize(
    ("have", "given", "parameters"),
    [
        ({}, {"version": "1.34"}, {"version": "1.34"}),
        ({}, {"release_version": "1.33.9-20261016"}, {"version": "1.33", "releaseVersion": "1.33.9-20261016"}),
        (
            {},
            {"version": "1.34", "release_version": "1.34.2-20261015"},
            {"version": "1.34", "releaseVersion": "1.34.2-20261015"},
        ),
        (
            {"launch_template": TEMPLATE},
            {"launch_template": {**TEMPLATE, "version": "4"}},
            {"version": "1.33", "releaseVersion": "1.33.9-20261015", "launchTemplate": {"id": "lt-1", "version": "4"}},
        ),
        (
            {"launch_template": TEMPLATE},
            {"version": "1.34"},
            {"version": "1.34", "launchTemplate": {"id": "lt-1", "version": "3"}},
        ),
        (
            {"launch_template": {"name": "one", "version": "3"}, "ami_type": "CUSTOM"},
            {"launch_template": {"name": "one", "version": "4"}},
            {"launchTemplate": {"name": "one", "version": "4"}},
        ),
    ],
)
def test_unchanged_versions_are_sent_too(have: dict[str, t.Any], given: dict[str, t.Any], parameters: dict[str, t.Any]) -> None:
    settings = {**GROUP, **have}
    group = Nodegroup("arn", "ACTIVE", settings)
    desired = Desired("pods", "gpu", settings=given)
    assert versions(desired, group, {**settings, **given}) == parameters
    forced = Desired("pods", "gpu", settings=given, force_update=True)
    assert versions(forced, group, {**settings, **given}) == {**parameters, "force": True}
