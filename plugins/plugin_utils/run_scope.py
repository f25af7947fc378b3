# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clusters a run is about, and whether each of them is whole in it. Pure."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field

CLUSTERS, NODES, SLURM = "hyperpod_clusters", "hyperpod_nodes", "orchestrator_slurm"
ONLY = "hyperpod_only"
LOCALHOST = "localhost"

Groups = t.Mapping[str, t.Sequence[str]]
HostVars = t.Mapping[str, t.Mapping[str, t.Any]]


class BadSelection(ValueError):
    """Nothing can be selected."""


@dataclass(frozen=True)
class Asked:
    """What was asked for, and what the inventory says about itself."""

    only: t.Any = ""
    limit: str = ""
    sources: t.Sequence[str] = ()
    """Files and folders of the inventory."""
    read: t.Sequence[str] = field(default_factory=list)
    """What our plugin read, a sentence for each account and region."""
    failures: t.Sequence[str] = field(default_factory=list)
    without_nodes: bool = False
    """For the tests of this collection: clusters may be in the run without their nodes."""


def keys_of(only: t.Any) -> tuple[str, ...]:
    """Keys of clusters, from a list or a text with commas; none at all where nothing is selected."""
    if only is None:
        return ()
    named = only if isinstance(only, (list, tuple)) else str(only).split(",")
    return tuple(dict.fromkeys(key for key in (str(each).strip() for each in named) if key))


def group_of(key: str) -> str:
    """The group of a cluster's host and its nodes, as the inventory names it."""
    return "cluster_" + re.sub(r"[^A-Za-z0-9_]", "_", key)


def pattern(hosts: str, only: t.Any, groups: Groups) -> str:
    """The pattern without the hosts of clusters that are not selected."""
    return ":".join([hosts, *(f"!{group_of(key)}" for key in _others(only, groups))])


def begin_hosts(hosts: t.Sequence[str], groups: Groups, asked: Asked) -> str:
    """A pattern with at least one host, which judges the run, whatever the limit is.

    :raises BadSelection: where there is none.
    """
    if set(hosts) - _hosts_of(_others(asked.only, groups), groups):
        return pattern("all", asked.only, groups)
    if hosts:
        return "all"
    if asked.limit:  # not even the controller itself may be a host of this run
        raise BadSelection(_no_cluster(groups, asked))
    return LOCALHOST


def problems(hosts: t.Sequence[str], groups: Groups, hostvars: HostVars, asked: Asked) -> list[str]:
    """Why a run over ``hosts`` is refused; nothing for whole clusters of which one at least is a Slurm cluster."""
    clusters = [key for key in groups.get(CLUSTERS, ()) if key in groups.get(SLURM, ())]
    if not clusters:
        return [_no_cluster(groups, asked)]
    unknown = [key for key in keys_of(asked.only) if key not in groups[CLUSTERS]]
    if unknown:
        told = f"{ONLY}: {', '.join(unknown)} is not allowed; the inventory has {', '.join(sorted(groups[CLUSTERS]))}."
        return [told + _failures(asked)]
    others = _hosts_of(_others(asked.only, groups), groups)
    run = set(hosts) - others
    if run and set(hosts) & others:
        return [f"{ONLY}: it selects nothing as a variable of hosts or groups; give it as an extra one, -e {ONLY}=KEY."]
    touched = [key for key in groups[CLUSTERS] if run & set(_members(key, groups, hostvars))]
    if not [key for key in touched if key in clusters]:
        return [_nothing_left(clusters, asked)]
    return _cut(run, touched, groups, hostvars, asked)


def confirmation_problems(option: str, confirmed: t.Any, keys: t.Sequence[str], consequence: str) -> list[str]:
    """Why a run over the clusters ``keys`` lacks its confirmation: it names each of them, and no other."""
    named = keys_of(confirmed)
    if sorted(named) == sorted(keys):
        return []
    told = f"{option}: {', '.join(named)} is not allowed" if named else f"{option} is missing"
    return [f"{told}; {consequence}, so name each cluster of this run: -e {option}={','.join(sorted(keys))}"]


def _others(only: t.Any, groups: Groups) -> list[str]:
    """Clusters that are not selected."""
    keys = keys_of(only)
    return [key for key in groups.get(CLUSTERS, ()) if keys and key not in keys]


def _hosts_of(clusters: t.Iterable[str], groups: Groups) -> set[str]:
    return {host for key in clusters for host in (key, *groups.get(group_of(key), ()))}


def _members(key: str, groups: Groups, hostvars: HostVars) -> list[str]:
    """The cluster's host and those of its nodes that the inventory has."""
    group = str(hostvars[key].get("hyperpod_cluster_group", group_of(key)))
    return [key, *(host for host in groups.get(group, ()) if host in groups.get(NODES, ()))]


def _cut(run: t.Collection[str], touched: t.Sequence[str], groups: Groups, hostvars: HostVars, asked: Asked) -> list[str]:
    """Clusters that are not whole in the run, or not whole in the inventory."""
    known = {host for key in groups[CLUSTERS] for host in _members(key, groups, hostvars)}
    stray = sorted(host for host in run if host in groups.get(NODES, ()) and host not in known)
    if stray:
        return [_sliced(f"The inventory of this run has no cluster for the node{_s(stray)} {_some(stray)}")]
    found = []
    for key in touched:
        members = _members(key, groups, hostvars)
        read = hostvars[key].get("hyperpod_node_count")
        if read is not None and len(members) - 1 < int(read):
            found.append(_sliced(f"Cluster {key} has {read} nodes, and the inventory of this run {len(members) - 1} of them"))
    if found:
        return found
    missing = {key: [host for host in _members(key, groups, hostvars) if host not in run] for key in touched}
    if asked.without_nodes:
        missing = {key: [host for host in hosts if host == key] for key, hosts in missing.items()}
    if not any(missing.values()):
        return []
    told = " and ".join(
        f"{len(hosts)} of the {len(_members(key, groups, hostvars))} hosts of cluster {key}"
        for key, hosts in missing.items()
        if hosts
    )
    return [
        f"--limit: {asked.limit} is not allowed; it leaves out {told}, and a cluster is looked at and changed as a whole. "
        f"Use --limit {','.join(map(group_of, touched))} or -e {ONLY}={','.join(touched)}."
    ]


def _sliced(what: str) -> str:
    return f"{what}: it was cut after it was read, as job slicing in AWX does. Run it over the whole inventory, as one slice."


def _no_cluster(groups: Groups, asked: Asked) -> str:
    others = [key for key in groups.get(CLUSTERS, ()) if key not in groups.get(SLURM, ())]
    told = "The inventory has no Slurm cluster, so nothing was looked at."
    if others:
        told += f" {_some(others)} {'is' if len(others) == 1 else 'are'} no Slurm cluster{_s(others)}."
    told += _failures(asked)
    if asked.read:
        return f"{told} Read: {' / '.join(asked.read)}."
    sources = ", ".join(map(str, asked.sources)) or "none"
    return (
        f"{told} No source of the plugin mlfleet.hyperpod.hyperpod was read (sources: {sources}); name one with -i, or as "
        "inventory in ansible.cfg."
    )


def _failures(asked: Asked) -> str:
    return f" Could not be read: {'; '.join(asked.failures)}." if asked.failures else ""


def _nothing_left(clusters: t.Sequence[str], asked: Asked) -> str:
    by = [f"--limit {asked.limit}"] if asked.limit else []
    by += [f"{ONLY}={','.join(keys_of(asked.only))}"] if keys_of(asked.only) else []
    limits = ", ".join(f"{key} (--limit {group_of(key)})" for key in sorted(clusters))
    return f"{' and '.join(by) or 'The run'} leaves no Slurm cluster, so nothing was looked at; the inventory has {limits}."


def _some(names: t.Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _s(names: t.Sized) -> str:
    return "" if len(names) == 1 else "s"
