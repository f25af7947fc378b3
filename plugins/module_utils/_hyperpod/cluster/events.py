# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds the reasons of failures in a cluster's events. Only events contain the reason why an instance could not be launched.

HyperPod keeps the newest 500 events, most of them about the progress of scaling. It writes two events per failure within a
second, and only one of them has a FailureMessage.
"""

from __future__ import annotations

import datetime
import itertools
import typing as t
from dataclasses import dataclass

from ..._aws.client import AwsError
from ..._core.text import printable
from ..._core.times import iso_time
from ..api import PAGE_SIZE, HyperPod

MOST = 3
"""The maximum number of reasons to report, because the same failure usually occurs for each node."""
MOST_INCIDENTS = 20
"""The maximum number of failures whose reasons are read. Reading ends earlier if ``MOST`` different reasons are known."""
TWINS = datetime.timedelta(seconds=2)
"""The maximum time between two events about the same failure."""
MOST_OF_INCIDENT = 4
"""The maximum number of events of one failure whose details are read to find the failure's reason."""
UNREAD = "other events of the cluster could not be read because AWS's answer has no field Events"
WITHOUT_ID = "AWS lists a failure without an EventId, so the reason is unknown"
Event = t.Mapping[str, t.Any]
Incident = t.Sequence[Event]
"""The events of one failure, the newest first."""


class NoEvents(Exception):
    """An answer without the field Events."""


@dataclass(frozen=True)
class Failed:
    """The newest error about an instance group."""

    at: str
    text: str


def failures(api: HyperPod, arn: str) -> list[str]:
    """The last errors in a cluster's events, newest first, without duplicates. There are none without continuous provisioning."""
    found: dict[str, str] = {}
    try:
        for incident in itertools.islice(_incidents(api, arn), MOST_INCIDENTS):
            text = _text(api, arn, incident)
            if text and text not in found:
                found[text] = f"{text} ({incident[0].get('InstanceGroupName') or 'cluster'})"
            if len(found) == MOST:
                break
    except AwsError:
        pass  # the failure is reported without reasons from events
    except NoEvents:
        return [*found.values(), UNREAD]
    return [*found.values()]


def by_group(api: HyperPod, arn: str) -> dict[str, Failed]:
    """The newest error of each instance group, keyed by name; errors of the cluster have an empty name."""
    found: dict[str, Failed] = {}
    try:
        for incident in _incidents(api, arn):
            group = incident[0].get("InstanceGroupName") or ""
            if group not in found:
                found[group] = Failed(iso_time(incident[0].get("EventTime")), _text(api, arn, incident))
    except (AwsError, NoEvents):
        return found  # waiting groups are reported without the events
    return found


def _incidents(api: HyperPod, arn: str) -> t.Iterator[Incident]:
    """The incidents, the newest first. An incident is complete once a sufficiently older event follows it."""
    open_by_group: dict[str, list[Event]] = {}
    for event in _events(api, arn):
        for group in [group for group, incident in open_by_group.items() if _is_apart(incident[0], event)]:
            yield open_by_group.pop(group)
        if event.get("EventLevel") == "Error":
            open_by_group.setdefault(event.get("InstanceGroupName") or "", []).append(event)
    yield from open_by_group.values()


def _is_apart(newer: Event, older: Event) -> bool:
    newer_at, older_at = newer.get("EventTime"), older.get("EventTime")
    return newer_at is None or older_at is None or newer_at - older_at > TWINS


def _events(api: HyperPod, arn: str) -> t.Iterator[Event]:
    """The events, the newest first. Pages are read on demand.

    :raises NoEvents: if an answer has no field Events.
    """
    arguments = {"ClusterName": arn, "SortBy": "EventTime", "SortOrder": "Descending", "MaxResults": PAGE_SIZE}
    while True:
        page = api.call("ListClusterEvents", about=f"cluster {arn}", **arguments)
        if not isinstance(page.get("Events"), list):
            raise NoEvents
        yield from page["Events"]
        if not page.get("NextToken"):
            return
        arguments["NextToken"] = page["NextToken"]


def _text(api: HyperPod, arn: str, incident: Incident) -> str:
    """The reason of a failure, or else the description of its newest event."""
    described: list[Event] = []
    for event in [each for each in incident if each.get("EventId")][:MOST_OF_INCIDENT]:
        answer = api.call("DescribeClusterEvent", about=f"cluster {arn}", ClusterName=arn, EventId=event["EventId"])
        described.append(answer.get("EventDetails") or {})
        reason = _reason(described[-1])
        if reason:
            return printable(reason)
    summary = incident[0].get("Description") or ("" if described else WITHOUT_ID)
    return printable((described and described[0].get("Description")) or summary)


def _reason(details: Event) -> str:
    """The failure's own message, which AWS nests below the kind of resource that failed."""
    metadata = (details.get("EventDetails") or {}).get("EventMetadata") or {}
    messages = [part["FailureMessage"] for part in metadata.values() if isinstance(part, dict) and part.get("FailureMessage")]
    return str(messages[0]) if messages else ""
