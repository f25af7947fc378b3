# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A definition in one of two forms: the options of the module ``cluster``, or the input of CreateCluster."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made, parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import Table, from_request
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.model import LISTS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.table import CLUSTER
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.nearest import did_you_mean

Document = t.Mapping[str, t.Any]
OPTIONS = ("name", *(setting.option for setting in CLUSTER), *(option for option, _api, _table in LISTS), "tags")


def options_of(option: str, given: Document) -> dict[str, t.Any]:
    """The definition as options of the module ``cluster``, which validates the values.

    :param option: the source of the definition, for messages.
    :raises Refused: if a name belongs to neither form, or the cluster's name is missing.
    """
    found = _from_aws(option, given) if is_of_aws(given) else dict(given)
    with parts() as part:
        for name in found:
            with part:
                _check_name(f"{option}.{name}", str(name))
        with part:
            if not isinstance(found.get("name"), str):
                missing = "missing; set it to the cluster's name. In AWS's form, the option is called ClusterName."
                raise Refused(f"{option}.name: {missing}", option=option)
    return found


def _check_name(option: str, name: str) -> None:
    if name not in OPTIONS:
        raise Refused(f"{option}: unknown{did_you_mean(name, OPTIONS)}Allowed: {', '.join(OPTIONS)}.", option=option)


def is_of_aws(given: Document) -> bool:
    """Whether the definition has the form of CreateCluster's input."""
    return "ClusterName" in given


def _from_aws(option: str, given: Document) -> dict[str, t.Any]:
    rest = dict(given)
    found: dict[str, t.Any] = {"name": rest.pop("ClusterName")}
    with parts() as part:
        with part:
            if "Tags" in rest:
                found["tags"] = _tags(f"{option}.Tags", rest.pop("Tags"))
        for name, api, table in LISTS:
            with part:
                if api in rest:
                    found[name] = _groups(f"{option}.{api}", table, rest.pop(api))
        with part:
            found.update(from_request(CLUSTER, rest, within=option))
    return found


def _groups(option: str, table: Table, given: t.Any) -> list[dict[str, t.Any]]:
    if not isinstance(given, list) or not all(isinstance(group, dict) for group in given):
        refuse_option(option, given, "a list of groups")
    return made(lambda each: from_request(table, each[1], within=f"{option}[{each[0]}]"), enumerate(given))


def _tags(option: str, given: t.Any) -> dict[str, str]:
    try:
        return {str(tag["Key"]): str(tag["Value"]) for tag in given}
    except (TypeError, KeyError):
        refuse_option(option, given, "a list of Key and Value")
