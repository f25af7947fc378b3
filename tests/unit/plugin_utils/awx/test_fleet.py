# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.fleet import refusals

from .examples import VARIABLES, fleet

WRONG = {
    "a name": ({"awx_fleet": "Prod!"}, "awx_fleet: 'Prod!' is not allowed."),
    "no organization": ({"awx_organization": ""}, "awx_organization: '' is not allowed."),
    "no revision": ({"awx_project_revision": ""}, "awx_project_revision: '' is not allowed."),
    "a time zone": ({"awx_time_zone": "Zurich"}, "awx_time_zone: 'Zurich' is not allowed."),
    "a verb": ({"awx_verbs": ["heal"]}, "awx_verbs: 'heal' is not allowed."),
    "a template": ({"awx_schedules": {"heal": "daily"}}, "awx_schedules: 'heal' is not allowed."),
    "an interval": ({"awx_schedules": {"drift": "yearly"}}, "awx_schedules: 'yearly' is not allowed: the template is drift."),
    "a credential without type": ({"awx_credentials": [{"name": "key"}]}, "awx_credentials, item 1: ['name'] is not allowed."),
    "a credential twice": (
        {"awx_credentials": [{"name": "key", "type": "Machine"}, {"name": "key", "type": "Vault"}]},
        "awx_credentials: 'key' is not allowed.",
    ),
    "a field": (
        {"awx_notifications": [{"name": "chat", "type": "slack", "token": "secret"}]},
        "awx_notifications, item 1: ['name', 'token', 'type'] is not allowed.",
    ),
}


def test_the_examples_are_allowed() -> None:
    assert refusals(VARIABLES) == []


@pytest.mark.parametrize(("given", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_value_is_refused_without_showing_secrets(given: dict[str, t.Any], message: str) -> None:
    (found,) = refusals({**VARIABLES, **given})
    assert found.startswith(message) and "secret" not in found.partition("Allowed:")[0]


def test_a_mark_is_that_of_one_fleet() -> None:
    assert fleet().key_of("Reconcile [mlfleet.hyperpod:prod/reconcile all nodes]") == "reconcile all nodes"
    for other in ("", "Reconcile", "[mlfleet.hyperpod:research/reconcile]", "[mlfleet.hyperpod:prod/reconcile] edited"):
        assert fleet().key_of(other) == ""
