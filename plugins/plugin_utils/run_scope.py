# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clusters a run includes, and whether it includes all hosts of each cluster. No I/O."""

from __future__ import annotations

import collections
import re
import typing as t
from dataclasses import dataclass, field

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed, refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

CLUSTERS, NODES = "hyperpod_clusters", "hyperpod_nodes"
SLURM, EKS = "orchestrator_slurm", "orchestrator_eks"
KINDS = {SLURM: "Slurm cluster", EKS: "EKS cluster", "": "cluster"}
"""Names of kinds of clusters in messages, keyed by the group that a playbook supports. An empty group means all clusters."""
OURS = f"{CLUSTERS}:{NODES}"
DEFINITIONS = "hyperpod_definitions"
"""The group of hosts with definitions of clusters. The clusters need not exist yet."""
ONLY = "hyperpod_only"
NONE = "!"
"""The value of ``hyperpod_only`` that selects no cluster, which the playbook of rollouts sets. It is no key of a cluster."""
LOCALHOST = "localhost"
NO_HOSTS = "!all"
"""A host pattern without hosts. A play without hosts costs nothing, but a skipped task costs a process for each host."""

Groups = t.Mapping[str, t.Sequence[str]]
HostVars = t.Mapping[str, t.Mapping[str, t.Any]]


class BadSelection(ValueError):
    """The selection includes no host."""


@dataclass(frozen=True)
class Asked:
    """The requested selection, and data about the inventory."""

    only: t.Any = ""
    limit: str = ""
    sources: t.Sequence[str] = ()
    """Files and folders of the inventory."""
    read: t.Sequence[str] = field(default_factory=list)
    """A sentence about each account and Region that our inventory plugin read."""
    failures: t.Sequence[str] = field(default_factory=list)
    orchestrator: str = SLURM
    """The group of the clusters that the playbook supports; empty if it supports all clusters."""
    definitions: t.Collection[str] = ()
    """Hosts with definitions of clusters without HyperPod."""
    with_definitions: bool = False
    """Whether the playbook supports clusters without HyperPod."""
    without_nodes: bool = False
    """Whether clusters may be in the run without their nodes, for the tests of this collection."""


def without_nodes(variables: t.Mapping[str, t.Any]) -> bool:
    """Whether a test of this collection runs a playbook only on cluster hosts, without their nodes."""
    return boolean(variables.get("hyperpod_internal_without_nodes", False), strict=False)


def keys_of(only: t.Any) -> tuple[str, ...]:
    """The selected keys of clusters, from a list or a string with commas. Empty if all clusters are selected."""
    return tuple(given_names(only))


def group_of(key: str) -> str:
    """The group of a cluster's inventory host and its nodes, as the inventory names it."""
    return "cluster_" + re.sub(r"[^A-Za-z0-9_]", "_", key)


@dataclass(frozen=True)
class Fleet:
    """The inventory as plain sets, because lookups in Ansible's own lists are slow."""

    members: t.Mapping[str, frozenset[str]]
    """The hosts of each cluster and of its nodes in the inventory, keyed by cluster key."""
    meant: frozenset[str]
    """Keys of the clusters that the run may include."""
    nodes: frozenset[str]

    @classmethod
    def of(cls, groups: Groups, *, orchestrator: str) -> Fleet:
        nodes = frozenset(groups.get(NODES, ()))
        keys = sorted(groups.get(CLUSTERS, ()))
        members = {key: nodes & frozenset(groups.get(group_of(key), ())) | {key} for key in keys}
        return cls(members, frozenset(groups.get(orchestrator, ()) if orchestrator else keys) & frozenset(keys), nodes)

    def left_out(self, only: t.Any) -> frozenset[str]:
        """The hosts of clusters that ``only`` does not select."""
        return frozenset(host for key in _others(only, self.members) for host in self.members[key])


def pattern(hosts: str, only: t.Any, groups: Groups) -> str:
    """The host pattern ``hosts`` without the clusters that ``only`` does not select."""
    others = _others(only, groups.get(CLUSTERS, ())) if keys_of(only) else []
    return ":".join([hosts, *(f"!{group_of(key)}" for key in others)])


def whole(clusters: t.Iterable[str], definitions: t.Iterable[str], only: t.Any) -> str:
    """The host pattern for the clusters that ``only`` selects. ``definitions`` are the hosts of clusters without HyperPod."""
    keys = keys_of(only)
    return ":".join(each for each in (*clusters, *definitions) if not keys or each in keys) or NO_HOSTS


def left_out(only: t.Any, groups: Groups, orchestrator: str) -> str:
    """A host pattern for the clusters that a playbook for this orchestrator's group skips."""
    return pattern(f"{CLUSTERS}:!{orchestrator}", only, groups) if orchestrator and groups.get(CLUSTERS) else NO_HOSTS


def begin_hosts(hosts: t.Sequence[str], groups: Groups, asked: Asked) -> str:
    """A host pattern that matches at least one host of the run, even with a limit. The play that validates the run uses it.

    :raises BadSelection: if the run has no host.
    """
    if not hosts and asked.limit:  # not even the control node may be a host of this run
        raise BadSelection(_no_cluster(Fleet.of(groups, orchestrator=asked.orchestrator), asked))
    if not hosts:
        return LOCALHOST
    fleet = Fleet.of(groups, orchestrator=asked.orchestrator)
    ours = fleet.nodes.union(*fleet.members.values()).intersection(hosts)
    if _chosen(asked, hosts):
        clusters = [pattern(OURS, asked.only, groups)] if ours else []
        return ":".join([*clusters, *_chosen(asked, hosts)])
    if ours - fleet.left_out(asked.only):
        return pattern(OURS, asked.only, groups)
    return OURS if ours else "all"


def definition_hosts(hosts: t.Sequence[str], groups: Groups, limit: str) -> str:
    """A host pattern that matches at least one host with a definition. Without an inventory, it is the control node itself.

    :raises BadSelection: if no host of the run has a definition.
    """
    known = groups.get(DEFINITIONS, ())
    if not hosts and not limit:
        return LOCALHOST
    if not known:
        raise BadSelection(
            f"The inventory has no group {DEFINITIONS}. Add one with a host for each cluster to create or change, and "
            "give that host hyperpod_region and hyperpod_cluster_definition or hyperpod_cluster_definition_file."
        )
    if not set(known) & set(hosts):
        raise BadSelection(f"--limit {limit} leaves no definition. Allowed: hosts of {DEFINITIONS}: {', '.join(sorted(known))}.")
    return DEFINITIONS


def problems(hosts: t.Sequence[str], groups: Groups, hostvars: HostVars, asked: Asked) -> list[str]:
    """Why a run over ``hosts`` is refused. A run must include only whole clusters, and at least one that the playbook supports."""
    fleet = Fleet.of(groups, orchestrator=asked.orchestrator)
    if not fleet.meant and not asked.definitions:
        return _sliced(frozenset(hosts), fleet, {}) or [_no_cluster(fleet, asked)]
    known = [*fleet.members, *asked.definitions]
    if not keys_of(asked.only) and str(asked.only or "").strip():
        return [not_allowed(ONLY, asked.only, f"{', '.join(known)}, or no value for all clusters", "it names no cluster")]
    unknown = [key for key in keys_of(asked.only) if key not in known]
    if unknown:
        text = refusal_text(ONLY, ", ".join(unknown), ", ".join(known), "the inventory has no such cluster")
        return [text + _failures(asked)]
    run, others = frozenset(hosts), fleet.left_out(asked.only)
    if run - others and run & others:
        return [f"{ONLY}: the variable has no effect in host or group variables. Use -e {ONLY}=KEY instead."]
    run -= others
    touched = [key for key, members in fleet.members.items() if run & members]
    if not fleet.meant.intersection(touched) and not _chosen(asked, hosts):
        return [_nothing_left(fleet, asked)]
    read = {key: hostvars[key].get("hyperpod_node_count") for key in touched}
    cut = _cut(run, {key: fleet.members[key] for key in touched}, asked)
    return _merged(fleet, read, hostvars) or _sliced(run, fleet, read) or cut


def confirmation_problems(option: str, confirmed: t.Any, keys: t.Sequence[str], consequence: str) -> list[str]:
    """Why a run over the clusters ``keys`` is not confirmed. The confirmation must name exactly these clusters."""
    named = keys_of(confirmed)
    if sorted(named) == sorted(keys):
        return []
    confirmation = f"-e {option}={','.join(sorted(keys))}"
    if named:
        return [refusal_text(option, ", ".join(named), f"each cluster of this run ({confirmation})", consequence)]
    return [f"{option}: missing. Name each cluster of this run, because {consequence}: {confirmation}"]


def _chosen(asked: Asked, hosts: t.Collection[str]) -> list[str]:
    """The hosts with definitions that are in the run."""
    keys = keys_of(asked.only)
    return [each for each in asked.definitions if each in hosts and (not keys or each in keys)]


def _others(only: t.Any, clusters: t.Iterable[str]) -> list[str]:
    """The clusters that ``only`` does not select."""
    keys = keys_of(only)
    return [key for key in clusters if keys and key not in keys]


def _merged(fleet: Fleet, read: t.Mapping[str, int | None], hostvars: HostVars) -> list[str]:
    """Sentences about clusters whose groups contain nodes of another cluster. This can happen in AWX, which reads each source
    separately.
    """
    groups = collections.Counter(map(group_of, fleet.members))
    shared = [key for key in read if groups[group_of(key)] > 1]
    found = [f"Cluster {key} shares its group {group_of(key)} with another cluster" for key in shared]
    for key, count in read.items():
        nodes = fleet.members[key] - {key}
        if count is None or len(nodes) <= int(count):
            continue  # an inventory may still have nodes that no longer exist
        arn = hostvars[key].get("hyperpod_cluster_arn")
        strange = sorted(node for node in nodes if hostvars[node].get("hyperpod_cluster_arn") != arn)
        if strange:
            found.append(f"Cluster {key} has nodes of another cluster in its group {group_of(key)} ({_some(strange)})")
    why = (
        "two clusters in the sources have the same key or keys with the same group name, or the inventory still has hosts of a "
        "deleted cluster. Give one of the clusters another key, or remove hosts of the deleted cluster (option Overwrite in AWX)."
    )
    return [f"{what}: {why}" for what in found]


def _sliced(run: frozenset[str], fleet: Fleet, read: t.Mapping[str, int | None]) -> list[str]:
    """Sentences about clusters that are incomplete in the inventory. ``read``: each cluster's number of nodes when it was read."""
    stray = sorted((run & fleet.nodes).difference(*fleet.members.values()))
    found = [f"The inventory has no cluster for the node{_s(stray)} {_some(stray)}"] if stray else []
    for key, count in read.items():
        there = len(fleet.members[key]) - 1
        if count is not None and there < int(count):
            found.append(f"Cluster {key} has {count} nodes, but the inventory has only {there} of them")
    why = (
        "the inventory was filtered after it was read, as job slicing in AWX does. Run the job on the whole inventory, without "
        "slices."
    )
    return [f"{what}: {why}" for what in found]


def _cut(run: frozenset[str], touched: t.Mapping[str, frozenset[str]], asked: Asked) -> list[str]:
    """The refusal of a limit that leaves out hosts of clusters in the run."""
    missing = {key: members - run for key, members in touched.items()}
    if asked.without_nodes:
        missing = {key: hosts & {key} for key, hosts in missing.items()}
    partial = [f"{len(hosts)} of the {len(touched[key])} hosts of cluster {key}" for key, hosts in missing.items() if hosts]
    if not partial:
        return []
    return [
        refusal_text(
            "--limit",
            asked.limit,
            f"--limit {','.join(map(group_of, touched))}, or -e {ONLY}={','.join(touched)}",
            f"it leaves out {' and '.join(partial)}, and a run needs all hosts of a cluster",
        )
    ]


def _no_cluster(fleet: Fleet, asked: Asked) -> str:
    others, kind = [key for key in fleet.members if key not in fleet.meant], KINDS[asked.orchestrator]
    text = f"The inventory has no {kind}, so nothing was checked."
    if others:
        text += f" {_some(others)} {'is' if len(others) == 1 else 'are'} no {kind}{_s(others)}."
    if asked.with_definitions:
        text += f" For an EKS cluster without HyperPod, set training_cluster_name on a host of the group {DEFINITIONS}."
    text += _failures(asked)
    if asked.read:
        return f"{text} The inventory plugin read: {' / '.join(asked.read)}."
    sources = ", ".join(map(str, asked.sources)) or "none"
    return (
        f"{text} No source of the plugin mlfleet.hyperpod.hyperpod was read (sources: {sources}). Give a source whose name ends "
        "in hyperpod.yml or hyperpod.yaml, with -i or as inventory in ansible.cfg."
    )


def _failures(asked: Asked) -> str:
    return f" Parts of the inventory could not be read: {'; '.join(asked.failures)}." if asked.failures else ""


def _nothing_left(fleet: Fleet, asked: Asked) -> str:
    by = [f"--limit {asked.limit}"] if asked.limit else []
    by += [f"{ONLY}={','.join(keys_of(asked.only))}"] if keys_of(asked.only) else []
    named = {**{key: group_of(key) for key in sorted(fleet.meant)}, **{key: key for key in asked.definitions}}
    limits = ", ".join(f"{key} (--limit {limit})" for key, limit in named.items())
    kind = KINDS[asked.orchestrator]
    return f"{' and '.join(by) or 'The run'} leaves no {kind}, so nothing was checked. The inventory has {limits}."


def _some(names: t.Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _s(names: t.Sized) -> str:
    return "" if len(names) == 1 else "s"
