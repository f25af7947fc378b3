# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired task governance from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._aws.tags import desired_tags
from ..._core.arn import ClusterArn
from ..._core.checks import check_unique
from ..._core.failure import refuse_option
from ..._core.gathering import made
from ..._core.settings import Table, Values, argument_spec, checked, parameters, require
from ..api import HyperPod
from ..cluster.parts import NAME, NAME_ALLOWED
from .fields import AMOUNTS, BORROWING, LIMITS, PRIORITY_CLASS, RESOURCE, Kind
from .model import Desired


def specification(kind: Kind) -> dict[str, t.Any]:
    """The options of both modules, except those for waits and locks."""
    return {
        "cluster_arn": {"type": "str", "required": True},
        "name": {"type": "str", "required": True},
        "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        **argument_spec(kind.table),
        "tags": {"type": "dict", "aliases": ["resource_tags"]},
        "purge_tags": {"type": "bool", "default": True},
        "recreate": {"type": "bool", "default": False},
    }


def desired(kind: Kind, params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    name = params["name"]
    if not re.fullmatch(NAME, name):
        refuse_option("name", name, NAME_ALLOWED)
    if params["recreate"] and not params["wait"]:
        refuse_option("wait", False, "true", "recreate: true must wait for the deletion")
    settings = checked(kind.table, params, within="")
    check_classes("priority_classes", settings.get("priority_classes") or ())
    check_resources("compute_quota_resources", settings.get("compute_quota_resources") or ())
    sharing = settings.get("resource_sharing_config") or {}
    check_resources("resource_sharing_config.absolute_borrow_limits", sharing.get("absolute_borrow_limits") or ())
    if "strategy" in sharing:
        check_limits(sharing, sharing)
    return Desired(
        kind=kind,
        cluster_arn=ClusterArn.parse(params["cluster_arn"]).text,
        name=name,
        team=params.get("team_name") or "",
        present=params["state"] == "present",
        settings=settings,
        tags=desired_tags(params["tags"], cluster_arn=None),
        purge_tags=params["purge_tags"],
        recreate=params["recreate"],
        allow_oversubscription=params.get("allow_oversubscription", False),
    )


def check_limits(sharing: Values, want: Values) -> None:
    """:raises Refused: for limits of a team that must not borrow."""
    for option in LIMITS if sharing.get("strategy") != BORROWING else ():
        if want.get(option) is not None:
            why = f"strategy is {sharing.get('strategy')!r}"
            refuse_option(f"resource_sharing_config.{option}", want[option], f"no value without strategy {BORROWING}", why)


def require_known(api: HyperPod, desired: Desired) -> None:
    """:raises Refused: for the first operation or setting that the installed botocore does not know."""
    kind = desired.kind
    for operation in (kind.create, kind.describe, kind.update, kind.delete, kind.listing):
        api.require(operation)
    for structure, table in kind.parts:
        for path in parameters(table, desired.settings, (structure,) if structure else ()):
            api.require_member(kind.create, path)


def check_classes(option: str, classes: t.Sequence[Values]) -> None:
    _require_parts(option, PRIORITY_CLASS, classes)
    check_unique(option, [each["name"] for each in classes])


def check_resources(option: str, resources: t.Sequence[Values]) -> None:
    """An instance type may have one entry, and one more entry for each profile of partitions."""
    _require_parts(option, RESOURCE, resources)
    made(lambda each: _require_amount(f"{option}[{each[0]}]", each[1]), enumerate(resources))
    parts = [(each["instance_type"], (each.get("accelerator_partition") or {}).get("type", "")) for each in resources]
    check_unique(option, [" ".join(filter(None, each)) for each in parts])


def _require_amount(option: str, resource: Values) -> None:
    if not any(name in resource for name in AMOUNTS):
        refuse_option(option, resource["instance_type"], f"an instance type with at least one of {', '.join(AMOUNTS)}")


def _require_parts(option: str, table: Table, entries: t.Sequence[Values]) -> None:
    made(lambda each: require(table, each[1], within=f"{option}[{each[0]}]", what=option), enumerate(entries))
