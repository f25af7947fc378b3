# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What AWS wrote down about a failure: why an instance could not be had stands in no other place."""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.text import printable
from ..api import HyperPod

MOST = 3
"""Events that are told; what fails once fails for each node."""


def failures(api: HyperPod, arn: str) -> list[str]:
    """The last errors among the events of a cluster, the newest first, each text once. Only continuous provisioning has events."""
    try:
        return list(_failures(api, arn))
    except AwsError:
        return []  # the failure itself is told without them


def _failures(api: HyperPod, arn: str) -> t.Iterator[str]:
    listed = api.call("ListClusterEvents", about=f"cluster {arn}", ClusterName=arn, SortBy="EventTime", SortOrder="Descending")
    told: set[str] = set()
    for event in listed["Events"]:
        if event.get("EventLevel") != "Error" or len(told) == MOST:
            continue
        answer = api.call("DescribeClusterEvent", about=f"cluster {arn}", ClusterName=arn, EventId=event["EventId"])
        details = answer.get("EventDetails") or {}
        text = printable(_message(details) or event.get("Description", ""))
        if text and text not in told:
            told.add(text)
            yield f"{text} ({event.get('InstanceGroupName') or 'cluster'})"


def _message(details: t.Mapping[str, t.Any]) -> str:
    """The failure's own message, which lies below the kind of what failed."""
    metadata = (details.get("EventDetails") or {}).get("EventMetadata") or {}
    messages = [part["FailureMessage"] for part in metadata.values() if isinstance(part, dict) and part.get("FailureMessage")]
    return messages[0] if messages else str(details.get("Description") or "")
