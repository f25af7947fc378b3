# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event buses of an account, whose events go to queues."""

from __future__ import annotations

import json
import time
import typing as t
import uuid

from moto.events.models import EventsBackend, Rule

from . import delivery

OTHER_INPUT = {"Input", "InputPath", "InputTransformer"}


class Buses(EventsBackend):
    """moto's backend, except for tags and deliveries."""

    def put_rule(self, name: str, *others: t.Any, event_bus_arn: str | None = None, tags: t.Any = None, **named: t.Any) -> Rule:
        """Tags are for a new rule; an existing rule keeps its own."""
        bus = self._get_event_bus(self._normalize_event_bus_arn(event_bus_arn))
        new = tags if name not in bus.rules else None
        return super().put_rule(name, *others, event_bus_arn=event_bus_arn, tags=new, **named)

    def put_targets(self, name: str, event_bus_arn: str | None, targets: list[dict[str, t.Any]]) -> None:
        for target in targets:
            if ":sqs:" not in target["Arn"] or target["Arn"].endswith(".fifo") or OTHER_INPUT & target.keys():
                raise NotImplementedError("Rules of the simulator send whole events to standard queues only")
        super().put_targets(name, event_bus_arn, targets)

    def put_events(self, events: list[dict[str, t.Any]]) -> list[dict[str, t.Any]]:
        """Deliver the events of a caller; only services of AWS have sources that begin with ``aws.``."""
        return [self._put(each) for each in events]

    def _put(self, entry: dict[str, t.Any]) -> dict[str, str]:
        for name in ("Source", "DetailType", "Detail"):
            if not entry.get(name):
                return {"ErrorCode": "InvalidArgument", "ErrorMessage": f"Parameter {name} is not valid. Reason: {name} is a required argument."}
        if entry["Source"].startswith("aws."):
            return {"ErrorCode": "NotAuthorizedForSourceException", "ErrorMessage": "Not authorized for the source."}
        try:
            detail = json.loads(entry["Detail"])
        except ValueError:
            return {"ErrorCode": "MalformedDetail", "ErrorMessage": "Detail is malformed."}
        bus = self._normalize_event_bus_arn(entry.get("EventBusName"))
        self._get_event_bus(bus)
        event = envelope(entry["DetailType"], entry["Source"], self.account_id, self.region_name, entry.get("Resources", []), detail)
        delivery.put(event, bus)
        return {"EventId": event["id"]}


def envelope(kind: str, source: str, account: str, region: str, resources: list[str], detail: t.Any) -> dict[str, t.Any]:
    """An event of now. EventBridge's User Guide, eb-events-structure."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    origin = {"source": source, "account": account, "time": moment, "region": region}
    return {"version": "0", "id": str(uuid.uuid4()), "detail-type": kind, **origin, "resources": resources, "detail": detail}
