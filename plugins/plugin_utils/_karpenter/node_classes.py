# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``HyperpodNodeClass``: instance groups that Karpenter may scale."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made, parts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import structures

from . import checks

VERSION, KIND = "karpenter.sagemaker.amazonaws.com/v1", "HyperpodNodeClass"
MOST_GROUPS = 10
_GROUP = re.compile(r"[A-Za-z0-9](-*[A-Za-z0-9]){0,62}")


def node_classes(option: str, given: t.Any) -> list[dict[str, t.Any]]:
    """The objects, each with ``state`` and ``definition``.

    :raises Refused: for the first invalid value.
    """
    found = structures.each_of(_node_class, option, structures.items(option, given))
    groups = [group for each in found if each["state"] == "present" for group in each["definition"]["spec"]["instanceGroups"]]
    with parts() as part:
        with part:
            check_unique(f"{option}.name", [each["definition"]["metadata"]["name"] for each in found])
        with part:
            check_unique(f"{option}.instance_groups", groups)
    return found


def _groups(option: str, given: t.Any) -> list[str]:
    groups = structures.items(option, given)
    if len(groups) > MOST_GROUPS:
        refuse_option(option, groups, f"at most {MOST_GROUPS} groups")
    return made(lambda each: _group(option, each), groups)


def _group(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or not _GROUP.fullmatch(given):
        refuse_option(option, given, "names of instance groups: letters, digits and -, at most 63 characters")
    return given


def _node_class(option: str, given: t.Any) -> dict[str, t.Any]:
    found = structures.fields(option, given, ("name", "instance_groups", "state"), required=("name",))
    with parts() as part:
        with part:
            name = checks.name_of(f"{option}.name", found["name"])
        with part:
            state = structures.one_of(f"{option}.state", found.get("state", "present"), structures.STATES)
        with part:
            groups = _groups(f"{option}.instance_groups", found.get("instance_groups", []))
    if state == "present" and not groups:
        raise Refused(f"{option}.instance_groups: missing; name at least one instance group.", option=f"{option}.instance_groups")
    definition = {"apiVersion": VERSION, "kind": KIND, "metadata": {"name": name}, "spec": {"instanceGroups": groups}}
    return {"state": state, "definition": definition}
