# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deliveries of events to the queues of their rules: at least once, and to the dead-letter queue of a target if they fail.

EventBridge's User Guide, eb-rule-event-delivery and rule-dlq: without the queue or without permission there is no second attempt.
Settings: ``event_copies`` (1), how often each event is delivered; ``event_delay_seconds`` (0), how long this takes.
"""

from __future__ import annotations

import json
import threading
import typing as t

from .. import cloud
from ..delays import wait
from ..permissions.asked import Permission
from ..permissions.resource import ALLOW, service, verdict

Event = t.Mapping[str, t.Any]
PRINCIPAL = "events.amazonaws.com"
KEPT = 10_000
"""Events for the control interface."""


def put(event: Event, bus: str = "default") -> None:
    """Put an event on a bus of its account and Region."""
    from moto.events.models import events_backends

    here = cloud.current()
    here.events = [*here.events, dict(event)][-KEPT:]
    rules = events_backends[event["account"]][event["region"]].event_buses[bus].rules.values()
    matching = [(rule, dict(target)) for rule in list(rules) if _matches(rule, event) for target in rule.targets]

    def deliver() -> None:
        wait(lambda: here.settings["event_delay_seconds"])
        for _copy in range(here.settings["event_copies"]):
            for rule, target in matching:
                _deliver(rule, target, event)

    if here.settings["event_delay_seconds"] and matching:
        threading.Thread(target=deliver, daemon=True, name="delivery").start()
    else:
        deliver()


def _matches(rule: t.Any, event: Event) -> bool:
    return rule.state != "DISABLED" and bool(rule.event_pattern.get_pattern()) and rule.event_pattern.matches_event(event)


def _deliver(rule: t.Any, target: dict[str, t.Any], event: Event) -> None:
    body = json.dumps(event, separators=(",", ":"))
    error = _send(rule, target["Arn"], body, {})
    dead_letters = target.get("DeadLetterConfig", {}).get("Arn")
    if error and dead_letters:
        code, message = error
        about = {"RULE_ARN": rule.arn, "TARGET_ARN": target["Arn"], "ERROR_CODE": code, "ERROR_MESSAGE": message, "RETRY_ATTEMPTS": "0"}
        _send(rule, dead_letters, body, {name: {"DataType": "String", "StringValue": value} for name, value in about.items()})


def _send(rule: t.Any, arn: str, body: str, attributes: dict[str, t.Any]) -> tuple[str, str] | None:
    """Send a message for a rule; return the error's code and message if EventBridge may not send it or if there is no such queue.

    Keys of KMS have no policies here, and no key is known to allow EventBridge to use it.
    """
    from moto.sqs.models import sqs_backends

    region, account, name = arn.split(":")[3:6]
    backend: t.Any = sqs_backends[account][region]
    queue = backend.queues.get(name)
    if queue is None:
        return "NO_RESOURCE", "The specified queue does not exist."
    context = {"aws:SourceArn": rule.arn, "aws:SourceAccount": rule.account_id}
    allowed = verdict(queue._policy_json, service(PRINCIPAL), Permission("sqs:SendMessage", arn, context)) == ALLOW
    if not allowed or queue.kms_master_key_id:
        return "NO_PERMISSIONS", f"Access to the resource {arn} is denied."
    backend.send_message(name, body, message_attributes=attributes)
    return None
