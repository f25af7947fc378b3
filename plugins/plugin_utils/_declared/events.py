# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role events, checked before any request."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.identity import NAME

from . import limits
from .variables import Known

PRINCIPAL = r"arn:aws[a-z-]*:iam::[0-9]{12}:(root|(role|user)/[\w+=,.@/-]+)"
PLAIN = {"pattern": r"[^{}\r\n]+\Z", "allowed": "a name without braces"}
"""ansible-rulebook evaluates templates in the names of its actions."""
MINUTES = {"events_alert_minutes": (1, 1440)}
TEXTS = {
    "events_queue_name": {"pattern": rf"{NAME.pattern}\Z", "allowed": "1 to 64 letters, digits, hyphens and underscores"},
    "events_listeners": {
        "pattern": rf"{PRINCIPAL}\Z",
        "allowed": "ARNs of IAM roles, users and accounts, such as arn:aws:iam::111111111111:role/rulebook",
    },
    "events_rulebook": {"pattern": r"(/.+)?\Z", "allowed": "the absolute path of a file on the control node"},
    "events_awx_template": PLAIN,
    "events_awx_catch_up_template": PLAIN,
    "events_awx_organization": {**PLAIN, "pattern": rf"({PLAIN['pattern']})?\Z"},
    "events_playbook": {
        "pattern": r"([\w./-]+\.ya?ml|[a-z_]\w*\.[a-z_]\w*\.[a-z_]\w*)\Z",
        "allowed": "the path of a playbook such as reconcile.yml, or the name of a playbook in a collection",
    },
}


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    return [*limits.range_problems(values, MINUTES, known), *limits.text_problems(values, TEXTS, known), *_organization(values)]


def _organization(values: t.Mapping[str, t.Any]) -> list[str]:
    if not values.get("events_rulebook") or values.get("events_run", "awx") != "awx" or values.get("events_awx_organization"):
        return []
    return ["events_awx_organization: missing. Allowed: the organization of the job templates in AWX, or events_run: playbook."]
