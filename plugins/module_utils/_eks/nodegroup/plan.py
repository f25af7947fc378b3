# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired node group. No I/O."""

from __future__ import annotations

import typing as t

from ..._aws.tag_steps import EKS, tag_steps
from ..._aws.tags import Tags
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan, Step
from ..._core.settings import Values, changes, merged, request
from .health import next_steps
from .model import ACTIVE, CUSTOM, DEGRADED, DELETING, Desired, Nodegroup, State
from .requests import configuration, versions
from .rules import check_change, check_creation, hidden
from .table import CONFIGURATION, SETTINGS, VERSIONS, part


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a change that EKS does not support."""
    group = state.group
    if not desired.present:
        return Plan((_removal(desired, group),) if group is not None and group.status != DELETING else ())
    if group is None or group.status == DELETING:  # it is created again after the deletion
        check_creation(desired, state.kubernetes)
        return Plan((_creation(desired, state.kubernetes),))
    want = wanted(desired, group)
    check_change(desired, group, want, state.kubernetes)
    tagging = tag_steps(EKS, desired.resource, group.arn, group.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged)
    return Plan((*_updates(desired, group, want), *tagging), notes=tuple(_notes(desired, group)))


def wanted(desired: Desired, group: Nodegroup) -> dict[str, t.Any]:
    """All settings after the run. A higher minimum raises the desired number of nodes, because EKS refuses a lower one."""
    compared = {name: value for name, value in desired.settings.items() if name not in hidden(desired, group)}
    want = {"taints": [], **merged(SETTINGS, group.settings, compared)}
    given, scaling = desired.settings.get("scaling") or {}, want.get("scaling") or {}
    if "desired" not in given and "min" in given and scaling.get("desired", given["min"]) < given["min"]:
        want["scaling"] = {**scaling, "desired": given["min"]}
    return want


def left(desired: Desired, group: Nodegroup, options: tuple[str, ...]) -> tuple[Change, ...]:
    """The changes of these options that remain."""
    return changes(desired.resource, part(options), group.settings, wanted(desired, group))


def _updates(desired: Desired, group: Nodegroup, want: Values) -> t.Iterator[Step]:
    """First the configuration, which may contain the strategy for the replacement of the nodes, then the versions."""
    about = {"clusterName": desired.cluster, "nodegroupName": desired.name}
    configured = left(desired, group, CONFIGURATION)
    if configured:
        after = {name: want[name] for name in CONFIGURATION if name in want}
        yield Step("UpdateNodegroupConfig", {**about, **configuration(group.settings, want)}, configured, _with(after))
    replaced = left(desired, group, VERSIONS)
    if replaced:
        after = {name: want[name] for name in VERSIONS if name in want}
        if want.get("version") != group.settings.get("version") and "release_version" not in desired.settings:
            after["release_version"] = KNOWN_AFTER_APPLY
        yield Step("UpdateNodegroupVersion", {**about, **versions(desired, group, want)}, replaced, _with(after))


def _notes(desired: Desired, group: Nodegroup) -> t.Iterator[str]:
    if group.status == DEGRADED:
        yield f"{desired.about} is {group.described}. Next step: {next_steps(group.issues)}."
    for option in hidden(desired, group):
        yield f"{option} of {desired.about} was not compared, because EKS does not return it for a group with a launch template."


def _creation(desired: Desired, kubernetes: str) -> Step:
    settings = desired.settings
    scaling = settings.get("scaling")
    settings = {**settings, **({"scaling": {"desired": scaling["min"], **scaling}} if scaling else {})}
    sent = {name: value for name, value in settings.items() if (name, value) != ("ami_type", CUSTOM)}
    arguments = {
        "clusterName": desired.cluster,
        "nodegroupName": desired.name,
        **request(SETTINGS, {name: value for name, value in sent.items() if value != {}}),
        **({"tags": dict(desired.tags)} if desired.tags else {}),
    }
    made = Nodegroup(
        arn=KNOWN_AFTER_APPLY,
        status=ACTIVE,
        settings=_predicted(settings, kubernetes),
        auto_scaling_groups=(KNOWN_AFTER_APPLY,),
        tags=dict(desired.tags or {}),
    )
    change = Change("create", desired.resource, after=settings)
    return Step("CreateNodegroup", arguments, (change,), lambda state: State(made, kubernetes))


def _predicted(settings: Values, kubernetes: str) -> dict[str, t.Any]:
    """The settings of a new group. EKS chooses the omitted ones."""
    template = settings.get("launch_template")
    unknown = dict.fromkeys((setting.option for setting in SETTINGS), KNOWN_AFTER_APPLY)
    updates = settings.get("update_config")
    structures = {
        "launch_template": template and {**dict.fromkeys(("id", "name", "version"), KNOWN_AFTER_APPLY), **template},
        "update_config": {"strategy": "DEFAULT", **updates} if updates else KNOWN_AFTER_APPLY,
        "node_repair": {"enabled": False, **settings.get("node_repair", {})},
    }
    known = {"capacity_type": "ON_DEMAND", "labels": {}, "taints": [], **settings, **structures}
    if settings.get("ami_type") != CUSTOM:
        known = {"version": kubernetes, **known}
    return {**unknown, **known}


def _removal(desired: Desired, group: Nodegroup) -> Step:
    scaling = group.settings.get("scaling") or {}
    change = Change("delete", desired.resource, before={"nodegroup_arn": group.arn, "nodes": scaling.get("desired")})
    arguments = {"clusterName": desired.cluster, "nodegroupName": desired.name}
    return Step("DeleteNodegroup", arguments, (change,), lambda state: State())


def _with(settings: Values) -> Effect:
    return lambda state: state.having(status=ACTIVE, issues=(), settings={**state.group.settings, **settings})


def _tagged(state: t.Any, tags: Tags) -> State:
    changed: State = state.having(tags=tags)
    return changed
