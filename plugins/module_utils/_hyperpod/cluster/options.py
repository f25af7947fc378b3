# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired cluster from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._aws.tags import desired_tags
from ..._core.arn import ClusterArn
from ..._core.checks import check_unique
from ..._core.failure import Refused, refuse_option
from ..._core.settings import Values, argument_spec, checked, parameters
from ..api import HyperPod
from .model import LISTS, Desired
from .parts import NAME, NAME_ALLOWED
from .table import CLUSTER

_MOST_GROUPS = 100


def specification() -> dict[str, t.Any]:
    """The part of the argument spec that the tables define."""
    spec = argument_spec(CLUSTER)
    for option, _api, table in LISTS:
        group = argument_spec(table)
        group["name"]["required"] = True
        spec[option] = {"type": "list", "elements": "dict", "options": group}
    return spec


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    name, arn = params["name"], params["cluster_arn"]
    if not re.fullmatch(NAME, name):
        refuse_option("name", name, NAME_ALLOWED)
    if arn is not None:
        ClusterArn.parse(arn)
    if params["state"] == "absent" and arn is None:
        raise Refused("cluster_arn: missing; state: absent requires the ARN of the cluster.", option="cluster_arn")
    groups = {option: _groups(option, table, params[option]) for option, _api, table in LISTS if params[option] is not None}
    check_unique("instance_groups", [name for named in groups.values() for name in named])
    return Desired(
        name=name,
        present=params["state"] == "present",
        cluster_arn=arn,
        settings=checked(CLUSTER, params, within=""),
        groups=groups,
        purge_groups=params["purge_instance_groups"],
        tags=desired_tags(params["tags"], cluster_arn=None),
        purge_tags=params["purge_tags"],
    )


def require_known(api: HyperPod, desired: Desired) -> None:
    """:raises Refused: for the first setting that the installed botocore does not know."""
    for operation in ("CreateCluster", "UpdateCluster") if desired.present else ():
        api.require(operation)
    for path in parameters(CLUSTER, desired.settings):
        api.require_member("CreateCluster", path)
    for option, name, table in LISTS:
        for group in desired.groups.get(option, {}).values():
            for path in parameters(table, group, (name,)):
                api.require_member("CreateCluster", path)


def _groups(option: str, table: t.Any, given: t.Sequence[Values]) -> dict[str, Values]:
    """The groups, keyed by name, which identifies a group in AWS."""
    if len(given) > _MOST_GROUPS:
        refuse_option(option, len(given), f"at most {_MOST_GROUPS} groups")
    names = [str(group["name"]) for group in given]
    check_unique(option, names)
    return {name: checked(table, group, within=f"{option}.{name}") for name, group in zip(names, given)}
