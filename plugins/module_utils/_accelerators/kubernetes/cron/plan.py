# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the changes from the existing to the desired CronJobs. No I/O."""

from __future__ import annotations

import dataclasses
import typing as t

from ...._core.failure import Refused
from ...._core.plan import Change, Plan, Step
from ...._kubernetes import namespace
from ...._kubernetes.client import Object
from ...._kubernetes.objects.compare import differences
from . import manifest
from .model import Desired, State

APPLY, CREATE, DELETE = "Apply", "Create", "Delete"
NOT_THERE = "Node {node} does not exist in Kubernetes."
OF_KARPENTER = "Karpenter manages node {node}, and would not remove it while scheduled checks run there."


def left_out(desired: Desired, state: State) -> dict[str, str]:
    """Why nodes get no CronJob, keyed by instance ID."""
    found = {}
    for each in desired.checks.nodes:
        node = state.nodes.get(each.node)
        if node is None or node.of_karpenter:
            found[each.instance_id] = (NOT_THERE if node is None else OF_KARPENTER).format(node=each.node)
    return found


def plan(desired: Desired, state: State) -> Plan:
    """:raises Refused: if a CronJob that the collection does not manage already has the name of a desired one."""
    maps, cron_jobs = wanted(desired, state) if desired.present else ({}, {})
    taken = [name for name in cron_jobs if name in state.of_others]
    if taken:
        space = desired.checks.namespace
        raise Refused(f"CronJob {space}/{taken[0]} exists, but mlfleet.hyperpod does not manage it. Choose a different namespace.")
    without = left_out(desired, state) if desired.present else {}
    notes = [f"{iid} gets no CronJob: {why}" for iid, why in without.items()]
    return Plan(tuple(_steps(desired, state, maps, cron_jobs)), notes=tuple(notes))


def wanted(desired: Desired, state: State) -> tuple[dict[str, Object], dict[str, Object]]:
    """The desired ConfigMaps and CronJobs, keyed by name."""
    without = left_out(desired, state)
    program = manifest.config_map(desired)
    made = {
        manifest.cron_job_name(each): manifest.cron_job(desired, state, each, state.nodes[each.node], program)
        for each in desired.checks.nodes
        if each.instance_id not in without
    }
    return ({program["metadata"]["name"]: program} if made else {}), made


def _steps(desired: Desired, state: State, maps: t.Mapping[str, Object], cron_jobs: t.Mapping[str, Object]) -> t.Iterator[Step]:
    """ConfigMaps are created before the CronJobs that use them, and deleted after no CronJob uses them any more."""
    space = desired.checks.namespace
    if cron_jobs and not state.namespace:
        change = Change("create", f"Namespace {space}")
        definition = namespace.definition(space)
        yield Step(CREATE, {"definition": definition}, (change,), lambda now: dataclasses.replace(now, namespace=True))
    of_maps = _Kind("ConfigMap", "config_maps", f"/api/v1/namespaces/{space}/configmaps", space)
    of_cron_jobs = _Kind("CronJob", "cron_jobs", f"/apis/{state.api_version}/namespaces/{space}/cronjobs", space)
    yield from of_maps.made(maps, state.config_maps)
    yield from of_cron_jobs.made(cron_jobs, state.cron_jobs)
    yield from of_cron_jobs.gone(cron_jobs, state.cron_jobs)
    yield from of_maps.gone(maps, state.config_maps)


@dataclasses.dataclass(frozen=True)
class _Kind:
    word: str
    field: str
    """The field of ``State`` with the objects of this kind."""
    folder: str
    space: str

    def made(self, objects: t.Mapping[str, Object], there: t.Mapping[str, Object]) -> t.Iterator[Step]:
        for name, definition in objects.items():
            changes = self._changes(name, definition, there.get(name))
            if changes:
                arguments = {"path": f"{self.folder}/{name}", "definition": definition}
                yield Step(APPLY, arguments, tuple(changes), self._effect(name, definition))

    def gone(self, objects: t.Container[str], there: t.Mapping[str, Object]) -> t.Iterator[Step]:
        for name in sorted(each for each in there if each not in objects):
            yield Step(DELETE, {"path": f"{self.folder}/{name}"}, (Change("delete", self._shown(name)),), self._effect(name, None))

    def _changes(self, name: str, definition: Object, live: Object | None) -> list[Change]:
        if live is None:
            return [Change("create", self._shown(name))]
        return [Change("update", self._shown(name), each.field, each.before, each.after) for each in differences(definition, live)]

    def _shown(self, name: str) -> str:
        return f"{self.word} {self.space}/{name}"

    def _effect(self, name: str, after: Object | None) -> t.Callable[[State], State]:
        def effect(state: State) -> State:
            rest = {key: each for key, each in getattr(state, self.field).items() if key != name}
            changed: dict[str, t.Any] = {self.field: rest if after is None else {**rest, name: after}}
            return dataclasses.replace(state, **changed)

        return effect
