# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal of everything that the role created."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import removal as of_removal
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import (
    ADDON,
    FILE_SYSTEM,
    GROUP,
    LOG_GROUP,
    Resource,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed

from .. import Variables, view
from .declared import FOUND, observed, values
from .operators import OPERATED, TRAINING_OPERATOR
from .storage import volume_name
from .workloads import Workloads, workloads

REACHABLE = ("ACTIVE", "UPDATING")
"""Statuses of an EKS cluster with an API server."""
DRAINED = "__training_cluster_drained"
"""The variable with the result of ``kubernetes_drain``."""


@dataclass(frozen=True)
class Removed:
    """The resources to remove, by kind, and the lines that the run prints before the removal."""

    lines: Printed
    needed: bool
    """Whether anything exists that the role created."""
    kinds: dict[str, list[Resource]]
    findings: Findings
    reads: bool
    """Whether the cluster can have an API server to read."""
    drained: list[str]
    """Names of the node groups to drain."""
    system_pods: bool
    """Whether the Pods of kube-system can move to nodes that stay."""
    jobs: list[dict[str, t.Any]]
    """Jobs of this collection."""
    objects: list[dict[str, t.Any]]
    """The claim and its volume."""
    plugins: bool
    """Whether to remove the device plugins."""
    mounted: Findings
    """Failures about Pods that still use the file system after the drain."""


@view
def removed(variables: Variables) -> Removed:
    given = values(variables)
    found = of_removal.removal(observed(variables), logs=boolean(given["remove_logs"], strict=False))
    skip = boolean(given["skip_final_backup"], strict=False)
    lines = [_line("remove", each, of_removal.note_of(each, skip_final_backup=skip)) for each in found.removed]
    lines += [_line("wait", each, "EC2 is deleting it") for each in found.leaving]
    lines += [_line("stays", each, "") for each in found.stays]
    kinds: dict[str, list[Resource]] = {kind: [] for kind in (*of_removal.ORDER, LOG_GROUP)}
    for each in found.removed:
        kinds[each["kind"]].append(each)
    before, seen = observed(variables), workloads(variables)
    readable = before.foreign or (seen is not None and not seen.unread)
    # They go before the resources that they belong to, so without these resources, an earlier run has removed them.
    jobs = seen.our_jobs if seen and readable else []
    objects = _objects(given) if kinds[FILE_SYSTEM] and readable else []
    plugins = readable and bool(kinds[GROUP])
    lines += [f"remove: {each['kind']} {printable(each['metadata']['name'])}" for each in (*jobs, *objects)]
    lines += ["remove: device plugins that this role installed"] if plugins else []
    groups = [each["name"] for each in kinds[GROUP] if each["status"] not in of_removal.GONE]
    ended = _ended(seen, groups, kinds[ADDON], whole=not before.foreign) if seen else []
    lines += [f"end: {each}" for each in ended]
    none = ["No resource that this role created exists."]
    return Removed(
        lines=printed(lines or none),
        needed=bool(found.removed),
        kinds=kinds,
        findings=[*_blocked(variables), *(_in_kubernetes(variables, seen, ended) if seen and found.removed else [])],
        reads=bool(found.removed) and before.cluster is not None and before.cluster["status"] in REACHABLE,
        drained=groups if seen and not seen.unread else [],
        system_pods=before.foreign,
        jobs=jobs,
        objects=objects,
        plugins=plugins,
        mounted=_mounted(variables, seen, [each["id"] for each in kinds[FILE_SYSTEM]]),
    )


def _ended(seen: Workloads, groups: t.Sequence[str], addons: t.Sequence[Resource], *, whole: bool) -> list[str]:
    """Pods and jobs of people that end. A job without Pods ends with the cluster, or with the operator that would run it.

    :param whole: whether the cluster is removed.
    """
    pods = seen.pods_on(groups, everywhere=whole)
    if whole:
        return pods + seen.unfinished()
    if TRAINING_OPERATOR not in [each["name"] for each in addons]:
        return pods
    return pods + [f"{each} (its operator is removed)" for each in seen.unfinished(OPERATED)]


def _in_kubernetes(variables: Variables, seen: Workloads, ended: t.Sequence[str]) -> Findings:
    """What the removal ends, what it leaves in the account, and what could not be read."""
    found: Findings = []
    if ended:
        found += finding("training-cluster-ends", ended=ended)
    left = [] if observed(variables).foreign else seen.left
    if left:
        found += finding("training-cluster-leaves", resources=left)
    unread = [*seen.unread, *seen.unread_jobs]
    if unread:
        found += finding("training-cluster-unread", what=unread)
    return found


def _mounted(variables: Variables, seen: Workloads | None, file_systems: t.Sequence[str]) -> Findings:
    remaining = plain(variables.get(DRAINED) or {}).get("remaining_pods") or []
    using = seen.using(remaining, file_systems) if seen else []
    return finding("training-cluster-mounted", pods=using) if using else []


def _objects(given: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """The claim and its volume. The namespace stays, because other people's objects may be in it."""
    namespace, claim = str(given["namespace"]), str(given["claim"])
    if not claim:
        return []
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume_name(namespace, claim)}}
    return [{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": claim, "namespace": namespace}}, volume]


def _blocked(variables: Variables) -> Findings:
    """Findings about resources of someone else that make AWS refuse the removal of ours."""
    found: Findings = []
    for each in plain(variables[FOUND])["blockers"]:
        found += finding("training-cluster-blocked", what=printable(each["text"]), next=printable(each["next_step"]))
    return found


def _line(action: str, resource: t.Mapping[str, t.Any], note: str) -> str:
    name = printable(resource["name"] or resource["id"])
    return f"{action}: {resource['kind']} {name}" + (f" ({note})" if note else "")
