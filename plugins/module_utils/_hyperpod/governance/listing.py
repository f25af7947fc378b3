# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lists a cluster's task governance, under the names of the modules' options."""

from __future__ import annotations

import typing as t

from ..._aws.client import AwsError
from ..._core.arn import ClusterArn
from ..._core.checks import check_number
from ..._core.failure import refuse_option
from ..._core.settings import Answer
from ..api import NOT_FOUND, HyperPod
from ..cluster.parts import NAME, NAME_ALLOWED
from ..listing import MOST, Filter
from ..statuses import GOVERNANCE
from .fields import Kind
from .model import Found
from .result import to_result

MOST_VERSIONS = 2**31 - 1
NAMED = Filter("name", "NameContains", pattern=NAME, allowed=NAME_ALLOWED)
FILTERS = (
    Filter("name_contains", "NameContains", pattern=NAME, allowed=NAME_ALLOWED),
    Filter("status", "Status", choices=tuple(sorted(GOVERNANCE.values))),
    Filter("created_after", "CreatedAfter", is_moment=True),
    Filter("created_before", "CreatedBefore", is_moment=True),
)


def specification() -> dict[str, t.Any]:
    return {
        "cluster_arn": {"type": "str", "required": True},
        **{each.option: each.argument_spec() for each in (NAMED, *FILTERS)},
        "version": {"type": "int"},
        "details": {"type": "bool", "default": False},
        "limit": {"type": "int", "default": 100},
    }


def read(kind: Kind, api: HyperPod, params: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The entries, sorted by name. Summaries lack failures and settings of scheduler configurations; ``details`` adds them.

    :raises Refused: for the first invalid option.
    """
    arn = ClusterArn.parse(params["cluster_arn"]).text
    name, version = _one(params)
    filters = FILTERS if name is None else (*FILTERS, NAMED)
    chosen = {each.api: each.value(params[each.option]) for each in filters if params[each.option] is not None}
    limit = check_number("limit", params["limit"], 1, MOST)
    for operation in (kind.listing, kind.describe):
        api.require(operation)
    order = {"SortBy": "Name", "SortOrder": "Ascending"}
    pages = {"PageSize": 100} if name is not None else {"MaxItems": limit, "PageSize": min(limit, 100)}
    about = f"cluster {arn}"
    listed = api.pages(kind.listing, kind.summaries, about=about, ClusterArn=arn, **chosen, **order, PaginationConfig=pages)
    listed = [each for each in listed if name in (None, each["Name"])][:limit]
    if params["details"] or version is not None:
        listed = [answer for each in listed for answer in _described(kind, api, each, version)]
    return {f"{kind.key}s": [to_result(kind, Found.from_api(kind, each)) for each in listed]}


def _one(params: t.Mapping[str, t.Any]) -> tuple[str | None, int | None]:
    """The requested name and version, or None."""
    name, version = params["name"], params["version"]
    if name is not None and params["name_contains"] is not None:
        refuse_option("name_contains", params["name_contains"], "one of name and name_contains")
    if version is not None:
        if name is None:
            refuse_option("version", version, "a version together with name, because each name has its own versions")
        check_number("version", version, 1, MOST_VERSIONS)
    return name, version


def _described(kind: Kind, api: HyperPod, summary: Answer, version: int | None) -> t.Iterator[Answer]:
    """The description of an entry; nothing if the entry no longer exists or has no such version."""
    arguments = {kind.id: summary[kind.id], **({} if version is None else {kind.version: version})}
    try:
        yield api.call(kind.describe, about=f"{kind.noun} {summary['Name']}", **arguments)
    except AwsError as error:
        if error.code not in NOT_FOUND:
            raise
