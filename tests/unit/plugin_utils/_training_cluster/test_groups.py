# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules about the fields of groups. The caller chooses the names in the messages."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template import options as template
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import groups

GROUP: dict[str, t.Any] = {"name": "a", "instance_type": "p5.48xlarge", "nodes": 2}


def problems(check: t.Callable[..., None] = groups.check_group, **given: t.Any) -> list[str]:
    return refusals(lambda: check({**GROUP, **given}, lambda name: f"<{name}>"))


def test_each_field_has_a_check() -> None:
    assert {*groups.FIELDS} == groups.CHECKS.keys()


def test_sizes_of_volumes_are_those_of_the_launch_template() -> None:
    for size, wrong in ((template.SMALLEST_VOLUME, 0), (template.LARGEST_VOLUME, 0), (template.SMALLEST_VOLUME - 1, 1), ("100", 1), (True, 1)):
        assert len(problems(volume_size=size)) == wrong


@pytest.mark.parametrize(
    "given",
    [{"min": 2, "max": 2}, {"min": 0}, {"max": 2}, {"nodes": 0, "max": 1}, {"spot": True, "placement_group": "a"}, {"placement_group": ""}],
)
def test_fields_that_fit_together(given: dict[str, t.Any]) -> None:
    assert problems(**given) == []


def test_messages_have_the_paths_of_the_caller() -> None:
    assert problems(min=3) == ["<nodes>: 2 is not allowed: <min> is 3. Allowed: 3 or more."]
    assert problems(max=1) == ["<nodes>: 2 is not allowed: <max> is 1. Allowed: at most 1."]


def test_missing_fields_are_refused_on_request() -> None:
    assert refusals(lambda: groups.check_group({}, str)) == ["name: missing.", "instance_type: missing.", "nodes: missing."]
    assert refusals(lambda: groups.check_group({}, str, required=())) == []


def test_the_system_group() -> None:
    assert problems(groups.check_system, instance_type="m7i.large", nodes=1) == []
    assert problems(groups.check_system, instance_type=None, nodes=None) == []
    assert len(problems(groups.check_system, nodes=0)) == 2
