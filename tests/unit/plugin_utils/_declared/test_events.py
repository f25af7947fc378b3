# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role events that are refused before any request."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.events import offline

AWX = {"events_rulebook": "/srv/events.yml", "events_awx_organization": "ML"}


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"events_queue_name": "mlfleet-hyperpod-events"},
        {"events_listeners": ["arn:aws:iam::111111111111:role/a/b", "arn:aws-us-gov:iam::111111111111:user/c", "arn:aws:iam::111111111111:root"]},
        AWX,
        {**AWX, "events_awx_template": "fleet: reconcile after events"},
        {"events_rulebook": "/srv/events.yml", "events_run": "playbook", "events_playbook": "plays/reconcile.yaml"},
        {"events_playbook": "mlfleet.hyperpod.reconcile"},
        {"events_rulebook": ""},
        {"events_alert_minutes": 1440},
    ],
)
def test_right_values(values: dict[str, t.Any]) -> None:
    assert offline(values, values) == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"events_queue_name": "a.fifo"}, "events_queue_name: a.fifo is not allowed"),
        ({"events_queue_name": "a\n"}, "events_queue_name"),
        ({"events_queue_name": "a" * 65}, "events_queue_name"),
        ({"events_listeners": ["*", "arn:aws:iam::111111111111:role/a"]}, "events_listeners: * is not allowed"),
        ({"events_listeners": ["arn:aws:sts::111111111111:assumed-role/a/b"]}, "events_listeners"),
        ({"events_listeners": ["111111111111"]}, "events_listeners"),
        ({**AWX, "events_rulebook": "events.yml"}, "events_rulebook: events.yml is not allowed. Allowed: the absolute path"),
        ({**AWX, "events_awx_template": "{{ x }}"}, "events_awx_template: {{ x }} is not allowed"),
        ({**AWX, "events_awx_template": ""}, "events_awx_template"),
        ({**AWX, "events_awx_catch_up_template": "a\nb"}, "events_awx_catch_up_template"),
        ({**AWX, "events_awx_organization": "{x}"}, "events_awx_organization"),
        ({"events_playbook": "reconcile"}, "events_playbook: reconcile is not allowed"),
        ({"events_playbook": "{{ x }}.yml"}, "events_playbook"),
        ({"events_rulebook": "/srv/events.yml"}, "events_awx_organization: missing"),
        ({"events_alert_minutes": 0}, "events_alert_minutes: 0 is not allowed"),
    ],
)
def test_wrong_values(values: dict[str, t.Any], message: str) -> None:
    (only,) = offline(values, values)
    assert message in only
