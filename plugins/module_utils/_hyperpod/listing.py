# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Modules that list parts of a cluster. One table per module defines its requests and results.

Results have AWS's names in snake case, times as text, and only printable characters, because some values come from nodes.
"""

from __future__ import annotations

import datetime
import re
import typing as t
from dataclasses import dataclass

from .._core.arn import ClusterArn
from .._core.checks import check_number
from .._core.failure import refuse_option
from .._core.text import printable
from .._core.times import iso_time, moment_of
from .api import HyperPod
from .cluster.parts import NAME, NAME_ALLOWED
from .model import INSTANCE_ID, INSTANCE_ID_ALLOWED
from .statuses import OPERATION

MOST = 10_000
"""The maximum number of entries per call."""


@dataclass(frozen=True)
class Filter:
    """An option that AWS filters by. ``pattern``: the valid values, described by ``allowed``."""

    option: str
    api: str
    choices: tuple[str, ...] = ()
    pattern: str = ""
    allowed: str = ""
    is_moment: bool = False

    def argument_spec(self) -> dict[str, t.Any]:
        return {"type": "str", **({"choices": list(self.choices)} if self.choices else {})}

    def value(self, given: t.Any) -> t.Any:
        """:raises Refused: for a value that AWS would refuse."""
        if self.is_moment:
            try:
                return moment_of(given)
            except ValueError:
                refuse_option(self.option, given, "a time such as 2026-11-23T08:00:00Z")
        if self.pattern and not re.fullmatch(self.pattern, given):
            refuse_option(self.option, given, self.allowed)
        return given


@dataclass(frozen=True)
class Detail:
    """One call per entry for fields that the listing lacks. ``path``: the place in the answer. ``into``: the name in the result."""

    operation: str
    key: str
    path: tuple[str, ...]
    into: str


@dataclass(frozen=True)
class Listing:
    """The entries in ``key`` of the answer are returned as ``returned``."""

    operation: str
    key: str
    returned: str
    cluster: str
    filters: tuple[Filter, ...]
    detail: Detail
    order: t.Mapping[str, str]

    def argument_spec(self) -> dict[str, t.Any]:
        return {
            "cluster_arn": {"type": "str", "required": True},
            **{each.option: each.argument_spec() for each in self.filters},
            "details": {"type": "bool", "default": False},
            "limit": {"type": "int", "default": 100},
        }

    def read(self, api: HyperPod, params: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
        """:raises Refused: for the first invalid option."""
        arn = ClusterArn.parse(params["cluster_arn"]).text
        chosen = {each.api: each.value(params[each.option]) for each in self.filters if params[each.option] is not None}
        limit = check_number("limit", params["limit"], 1, MOST)
        api.require(self.operation, *chosen)
        about, cluster = f"cluster {arn}", {self.cluster: arn}
        pages = {"PaginationConfig": {"MaxItems": limit, "PageSize": min(limit, 100)}}
        found = api.pages(self.operation, self.key, about=about, **cluster, **chosen, **self.order, **pages)
        entries = [self._detailed(api, each, about, cluster) for each in found] if params["details"] else map(plain, found)
        return {self.returned: list(entries)}

    def _detailed(
        self, api: HyperPod, entry: t.Mapping[str, t.Any], about: str, cluster: t.Mapping[str, str]
    ) -> dict[str, t.Any]:
        """The entry with its details under the name ``into``. The details are None if the entry has no ID."""
        detail = self.detail
        if not entry.get(detail.key):
            return {**plain(entry), detail.into: None}
        answer: t.Any = api.call(detail.operation, about=about, **cluster, **{detail.key: entry[detail.key]})
        for name in detail.path:
            answer = answer.get(name) or {}
        return {**plain(entry), detail.into: plain({name: value for name, value in answer.items() if name != "ResponseMetadata"})}


def plain(value: t.Any) -> t.Any:
    """A value from AWS's answer, in the form that modules return."""
    if isinstance(value, t.Mapping):
        return {snake(str(name)): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, datetime.datetime):
        return iso_time(value)
    return printable(value) if isinstance(value, str) else value


def snake(name: str) -> str:
    """``InstanceGroupName`` is ``instance_group_name``, ``EksRoleARN`` is ``eks_role_arn``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


_GROUP = Filter("instance_group_name", "InstanceGroupName", pattern=NAME, allowed=NAME_ALLOWED)
_NODE = Filter("node_id", "NodeId", pattern=INSTANCE_ID, allowed=INSTANCE_ID_ALLOWED)
_OPERATION = Filter("operation_id", "OperationId", pattern="[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", allowed="a UUID")

EVENTS = Listing(
    "ListClusterEvents",
    "Events",
    "events",
    "ClusterName",
    (
        _GROUP,
        _NODE,
        _OPERATION,
        Filter("resource_type", "ResourceType", choices=("Cluster", "InstanceGroup", "Instance")),
        Filter("event_time_after", "EventTimeAfter", is_moment=True),
        Filter("event_time_before", "EventTimeBefore", is_moment=True),
    ),
    Detail("DescribeClusterEvent", "EventId", ("EventDetails", "EventDetails", "EventMetadata"), "metadata"),
    {"SortBy": "EventTime", "SortOrder": "Descending"},
)
OPERATIONS = Listing(
    "ListClusterOperations",
    "ClusterOperationSummaries",
    "operations",
    "ClusterName",
    (
        Filter("status", "Status", choices=OPERATION.values),
        Filter("type", "Type", choices=("Scaling", "DeepHealthCheck")),
        Filter("creation_time_after", "CreationTimeAfter", is_moment=True),
        Filter("creation_time_before", "CreationTimeBefore", is_moment=True),
    ),
    Detail("DescribeClusterOperation", "OperationId", (), "operation"),
    {"SortBy": "CreationTime", "SortOrder": "Descending"},
)
EXTENSIONS = Listing(
    "ListClusterExtensions",
    "Extensions",
    "extensions",
    "ClusterArn",
    (
        Filter("creation_time_after", "CreationTimeAfter", is_moment=True),
        Filter("creation_time_before", "CreationTimeBefore", is_moment=True),
    ),
    Detail("DescribeClusterExtension", "ExtensionArn", (), "extension"),
    {},
)
