# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role events."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.variables import default_values
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events import places, rulebook as of_rulebook, selection, status
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from . import Variables, view

OF_RUN = {
    "kind": "events_run",
    "organization": "events_awx_organization",
    "template": "events_awx_template",
    "catch_up_template": "events_awx_catch_up_template",
    "playbook": "events_playbook",
}
"""The fields of ``rulebook.Run`` and their variables."""


@dataclass(frozen=True)
class Represented:
    """The account and Region of the current host's cluster."""

    here: bool
    """Whether the current host represents the account and Region."""
    shared: Findings
    """A note if another host does."""


@dataclass(frozen=True)
class Names:
    """Names, ARNs and policies of the rule and the queues."""

    dead_queue: str
    queue_arn: str
    dead_queue_arn: str
    policy: dict[str, t.Any]
    dead_policy: dict[str, t.Any]
    pattern: dict[str, t.Any]


@dataclass(frozen=True)
class Rulebook:
    """The file, on the host of the play that writes it."""

    written: bool
    content: str
    kept: Findings
    """Why the file stays as it is; empty if it is written."""


@view
def represented(variables: Variables) -> Represented:
    first = places.first_host(variables)
    if first == variables["inventory_hostname"]:
        return Represented(True, [])
    return Represented(False, finding("events-shared", place=places.Place.of(variables), cluster=first))


@view
def names(variables: Variables) -> Names:
    place, name = places.Place.of(variables), variables["events_queue_name"]
    dead = places.dead_name(name)
    return Names(
        dead_queue=dead,
        queue_arn=place.queue_arn(name),
        dead_queue_arn=place.queue_arn(dead),
        policy=places.queue_policy(place, name, list(variables["events_listeners"])),
        dead_policy=places.dead_policy(place, name),
        pattern=places.PATTERN,
    )


@view
def findings(variables: Variables) -> Findings:
    """In check mode, the planned changes show what keeps events from arriving, so no finding repeats it."""
    found, place = plain(variables["__events_status"]["event_queue"]), places.Place.of(variables)
    minutes, arrival = int(variables["events_alert_minutes"]), not variables["ansible_check_mode"]
    return [each.to_result() for each in status.findings(found, place=str(place), minutes=minutes, arrival=arrival)]


@view
def rulebook(variables: Variables) -> Rulebook:
    path, reasons = variables["events_rulebook"], selection.not_set_up(variables)
    here = bool(path) and variables["inventory_hostname"] == variables["ansible_play_hosts"][0]
    if not here or reasons:
        return Rulebook(False, "", finding("events-rulebook-kept", path=path, reasons="; ".join(reasons)) if here else [])
    run = of_rulebook.Run(**{field: variables[name] for field, name in OF_RUN.items()})
    queues = selection.queues(variables, default=default_values("events")["events_queue_name"])
    return Rulebook(True, of_rulebook.rulebook(queues, run), [])
