# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the actual to the desired cluster. No I/O.

UpdateCluster gets all settings of each group that differs.
"""

from __future__ import annotations

import typing as t

from ..._aws.client import refuse_old_botocore
from ..._aws.tag_steps import SAGEMAKER, tag_steps
from ..._aws.tags import Tags, api_tags
from ..._core.failure import Refused, refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Plan, Step
from ..._core.settings import Setting, Values, changes, has, merged, refuse_immutable, request
from .. import statuses
from . import rules
from .model import AUTOSCALER, LISTS, Desired, Found, Groups, Progress, State, whole
from .table import CLUSTER

WAY = "a different value after the removal of the cluster"
DELETION = "InstanceGroupsToDelete"
WITH_GROUPS = (DELETION, *(api for _option, api, _table in LISTS))
GROUP_WAY = "a different value for a group with a different name"


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: for a change that AWS does not support, and for conflicting settings."""
    found = state.cluster
    if found is not None and desired.cluster_arn not in (None, found.arn):
        refuse_option("cluster_arn", desired.cluster_arn, found.arn, f"cluster {desired.name} has a different ARN")
    if not desired.present:
        return _absent(desired, state)
    if found is None:
        return _creation(desired)
    if found.status in (statuses.FAILED, statuses.DELETING):
        raise Refused(
            f"{desired.resource} is {found.status}{found.failure and f' ({found.failure})'}. AWS cannot change the cluster in this"
            " status. Remove it with state: absent, then run again."
        )
    if state.moving and changes_groups(desired, found):
        raise Refused(
            f"Nodes of {desired.resource} are moving between instance groups ({', '.join(state.moving)}), and a change of groups"
            " would revert this. Wait until the nodes are Running, set instance_count of the groups to the new counts, and run"
            " again."
        )
    return Plan((*_updates(desired, found), *_tags(desired, found)))


def changes_groups(desired: Desired, found: Found) -> bool:
    """Whether the run will send groups, with their counts, to UpdateCluster."""
    return any(not step.arguments.keys().isdisjoint(WITH_GROUPS) for step in _updates(desired, found))


def left(desired: Desired, found: Found) -> tuple[Change, ...]:
    """The changes that UpdateCluster must still make."""
    return tuple(change for step in _updates(desired, found) for change in step.changes)


def _absent(desired: Desired, state: State) -> Plan:
    found = state.cluster
    if found is None or found.status == statuses.DELETING:
        return Plan()
    if state.blockers:
        raise Refused(f"{desired.resource} can't be deleted while it has {', '.join(state.blockers)}. Delete these first.")
    change = Change("delete", desired.resource, before={"cluster_arn": found.arn, "groups": _lost(found, state.nodes)})
    return Plan((Step("DeleteCluster", {"ClusterName": found.arn}, (change,), lambda state: State()),))


def _lost(found: Found, nodes: t.Mapping[str, tuple[str, ...]]) -> dict[str, t.Any]:
    """By group name, the nodes and volumes that a deletion removes. ``node_ids`` may lack some of the nodes that AWS counts."""
    storage = {
        name: group.get("instance_storage_configs", ()) for groups in found.groups.values() for name, group in groups.items()
    }
    return {
        name: {
            "nodes": group.current,
            "node_ids": list(nodes.get(name, ())),
            "volumes": [each["ebs_volume_config"] for each in storage.get(name, ()) if "ebs_volume_config" in each],
        }
        for name, group in found.progress.items()
    }


def _creation(desired: Desired) -> Plan:
    groups = {
        option: {name: _counted(group, desired.settings) for name, group in named.items()}
        for option, named in desired.groups.items()
    }
    rules.check(desired.settings, groups)
    arguments = {"ClusterName": desired.name, **_request(desired.settings, groups)}
    if desired.tags:
        arguments["Tags"] = api_tags(desired.tags)
    made = Found(
        arn=KNOWN_AFTER_APPLY,
        name=desired.name,
        status=statuses.IN_SERVICE,
        settings=desired.settings,
        groups={option: groups.get(option, {}) for option, _api, _table in LISTS},
        tags=dict(desired.tags or {}),
        progress={name: _full(group) for named in groups.values() for name, group in named.items()},
    )
    change = Change("create", desired.resource, after={**whole(desired.settings, groups), "tags": made.tags})
    return Plan((Step("CreateCluster", arguments, (change,), lambda state: State(made)),))


def _updates(desired: Desired, found: Found) -> t.Iterator[Step]:
    """One call for the groups and other settings, and a separate call for the autoscaler, as AWS requires."""
    _refuse_other_orchestrator(desired, found)
    refuse_immutable(desired.resource, CLUSTER, found.settings, desired.settings, within="", way=WAY)
    settings = merged(CLUSTER, found.settings, desired.settings)
    groups = {option: _wanted(desired, found, option, table, settings) for option, _api, table in LISTS}
    scaler = _part(CLUSTER, AUTOSCALER)
    rest = tuple(setting for setting in CLUSTER if setting not in scaler)
    steps = [*_settings_step(desired, found, settings, groups, rest), *_autoscaler_step(desired, found, settings, scaler)]
    if steps:
        rules.check(settings, groups)
    return iter(steps)


def _refuse_other_orchestrator(desired: Desired, found: Found) -> None:
    """A cluster that is older than the setting for Slurm has no orchestrator setting and uses Slurm."""
    have, want = found.settings.get("orchestrator") or {"slurm": {}}, desired.settings.get("orchestrator")
    if want is not None and have.keys() != want.keys():
        refuse_option("orchestrator", sorted(want), f"{', '.join(have)}, or {WAY}", "AWS cannot change the orchestrator")


def _settings_step(
    desired: Desired, found: Found, settings: Values, groups: Groups, table: tuple[Setting, ...]
) -> t.Iterator[Step]:
    """At most one UpdateCluster, with the groups that differ, the names of groups to delete, and other settings that differ."""
    differing = tuple(setting for setting in table if settings.get(setting.option) != found.settings.get(setting.option))
    arguments: dict[str, t.Any] = request(differing, settings)
    differences = list(changes(desired.resource, differing, found.settings, settings))
    for option, api, group_table in LISTS:
        sent = []
        for name, group in groups[option].items():
            before = found.groups[option].get(name)
            if before is None:
                differences.append(Change("create", f"{desired.resource} group {name}", after=group))
            elif group != before:
                _refuse_to_drop(found, name)
                differences += changes(f"{desired.resource} group {name}", group_table, before, group)
            else:
                continue
            sent.append(request(group_table, group))
        if sent:
            arguments[api] = sent
    gone = [name for option in found.groups for name in found.groups[option] if name not in groups[option]]
    if gone:
        arguments[DELETION] = gone
        differences += [
            Change("delete", f"{desired.resource} group {name}", before={"nodes": found.progress[name].current}) for name in gone
        ]
    if differences:
        progress = {name: _full(group) for named in groups.values() for name, group in named.items()}
        after = {"settings": _values(settings, differing), "groups": groups, "progress": progress}
        yield _update(found, arguments, tuple(differences), after)


def _refuse_to_drop(found: Found, group: str) -> None:
    """UpdateCluster replaces the complete group, so fields that an old botocore dropped from the answer would be lost."""
    if found.dropped:
        refuse_old_botocore(f"UpdateCluster.{found.dropped[0]}", so=f"a change of group {group} would remove this setting")


def _autoscaler_step(desired: Desired, found: Found, settings: Values, table: tuple[Setting, ...]) -> t.Iterator[Step]:
    if has(table, found.settings, _values(desired.settings, table)):
        return
    on = found.settings.get("auto_scaling", {}).get("mode") == "Enable"
    role = desired.settings.get("cluster_role")
    if on and role not in (None, found.settings.get("cluster_role")):
        why = "AWS cannot change the role while the autoscaler is enabled"
        refuse_option("cluster_role", role, str(found.settings.get("cluster_role")), why)
    differences = changes(desired.resource, table, found.settings, settings)
    yield _update(found, request(table, settings), differences, {"settings": _values(settings, table)})


def _update(found: Found, arguments: dict[str, t.Any], differences: tuple[Change, ...], after: dict[str, t.Any]) -> Step:
    return Step("UpdateCluster", {"ClusterName": found.arn, **arguments}, differences, lambda state: _having(state, after))


def _having(state: State, after: dict[str, t.Any]) -> State:
    """A copy with the values ``after``. Settings of earlier steps stay."""
    settings = {**(state.cluster.settings if state.cluster else {}), **after.get("settings", {})}
    return state.having(**{**after, "settings": settings})


def _wanted(desired: Desired, found: Found, option: str, table: tuple[Setting, ...], settings: Values) -> dict[str, Values]:
    """The groups of a list after the change: the declared groups, and existing groups unless they are purged."""
    there, named = found.groups.get(option, {}), desired.groups.get(option)
    if named is None:
        return dict(there)
    for name, group in named.items():
        if name in there:
            place = f"{option}.{name}"
            refuse_immutable(f"group {name}", table, there[name], group, within=place, way=GROUP_WAY)
    kept = {} if desired.purge_groups else there
    return {
        **kept,
        **{
            name: merged(table, there[name], group) if name in there else merged(table, {}, _counted(group, settings))
            for name, group in named.items()
        },
    }


def _counted(group: Values, settings: Values) -> Values:
    """A new group. If the autoscaler is enabled, a group without a count starts with no nodes, and the autoscaler adds them."""
    on = settings.get("auto_scaling", {}).get("mode") == "Enable"
    return {**group, "instance_count": 0} if on and "instance_count" not in group else group


def _tags(desired: Desired, found: Found) -> t.Iterator[Step]:
    yield from tag_steps(
        SAGEMAKER, desired.resource, found.arn, found.tags, desired.tags, purge=desired.purge_tags, tagged=_tagged
    )


def _tagged(state: State, tags: Tags) -> State:
    return state.having(tags=tags)


def _request(settings: Values, groups: Groups) -> dict[str, t.Any]:
    lists = {
        api: [request(table, group) for group in groups[option].values()] for option, api, table in LISTS if groups.get(option)
    }
    return {**request(CLUSTER, settings), **lists}


def _part(table: tuple[Setting, ...], options: t.Container[str]) -> tuple[Setting, ...]:
    return tuple(setting for setting in table if setting.option in options)


def _values(values: Values, table: tuple[Setting, ...]) -> Values:
    return {setting.option: values[setting.option] for setting in table if setting.option in values}


def _full(group: Values) -> Progress:
    """A group that has reached its count."""
    count = group.get("instance_count", 0)
    return Progress(statuses.IN_SERVICE, count, count)
