# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What AWS wrote down about a failure: why an instance could not be had stands in no other place."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._aws.client import AwsError
from ..._core.text import printable
from ..._core.times import iso_time
from ..api import HyperPod

MOST = 3
"""Events that are told; what fails once fails for each node."""
Event = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Failed:
    """The newest error about an instance group."""

    at: str
    text: str


def failures(api: HyperPod, arn: str) -> list[str]:
    """The last errors among the events of a cluster, the newest first, each text once. Only continuous provisioning has events."""
    try:
        return list(_failures(api, arn))
    except AwsError:
        return []  # the failure itself is told without them


def by_group(api: HyperPod, arn: str) -> dict[str, Failed]:
    """The newest error about each instance group, as far as one page of events has it; of the cluster under an empty name."""
    found: dict[str, Failed] = {}
    try:
        for event in _errors(api, arn):
            group = event.get("InstanceGroupName") or ""
            if group not in found:
                found[group] = Failed(iso_time(event.get("EventTime")), _text(api, arn, event))
    except AwsError:
        return found  # what waits is told without them
    return found


def _failures(api: HyperPod, arn: str) -> t.Iterator[str]:
    told: set[str] = set()
    for event in _errors(api, arn):
        if len(told) == MOST:
            return
        text = _text(api, arn, event)
        if text and text not in told:
            told.add(text)
            yield f"{text} ({event.get('InstanceGroupName') or 'cluster'})"


def _errors(api: HyperPod, arn: str) -> t.Iterator[Event]:
    listed = api.call("ListClusterEvents", about=f"cluster {arn}", ClusterName=arn, SortBy="EventTime", SortOrder="Descending")
    return (event for event in listed["Events"] if event.get("EventLevel") == "Error")


def _text(api: HyperPod, arn: str, event: Event) -> str:
    answer = api.call("DescribeClusterEvent", about=f"cluster {arn}", ClusterName=arn, EventId=event["EventId"])
    return printable(_message(answer.get("EventDetails") or {}) or event.get("Description", ""))


def _message(details: Event) -> str:
    """The failure's own message, which lies below the kind of what failed."""
    metadata = (details.get("EventDetails") or {}).get("EventMetadata") or {}
    messages = [part["FailureMessage"] for part in metadata.values() if isinstance(part, dict) and part.get("FailureMessage")]
    return messages[0] if messages else str(details.get("Description") or "")
