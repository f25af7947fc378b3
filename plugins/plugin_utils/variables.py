# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that are set but never used. If a misspelled name were ignored, the default would apply silently. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.nearest import nearest

PREFIXES = (
    *("hyperpod_", "login_balancer_", "login_nodes_", "host_keys_", "node_access_", "access_report_", "client_vpn_"),
    *("offboarding_", "offboard_", "adoption_", "karpenter_", "accelerator_health_", "topology_job_"),
    *("task_governance_", "training_cluster_", "events_", "fleet_report_"),
)
"""Prefixes of variables for this collection."""
MISSPELT, REST = 0.92, 0.85
"""Minimum similarity of a misspelled name, for the whole name and for the part after our prefix."""


OF_ONE_CLUSTER = frozenset({"hyperpod_clusters"}).union(
    name for name in known_variables.OF_INVENTORY if name.startswith("hyperpod_cluster_")
)
"""Variables that an operator may give with -e to select a cluster, although -e sets them for every cluster."""


def misspelt(names: t.Collection[str], extra: t.Collection[str]) -> list[str]:
    """Sentences about misspelled names, and about names that select no cluster or have no effect. ``extra``: names that were given
    with -e.

    Variables for one run, and variables of roles such as ``run`` and ``status``, have common names. Therefore only names in
    ``extra`` are compared with them.
    """
    chosen = [
        f"{name} selects no cluster, because -e sets the variable for all clusters. Use -e hyperpod_only=KEY,KEY instead."
        for name in sorted(OF_ONE_CLUSTER.intersection(extra))
    ]
    ignored = [
        f"{name} has no effect in the inventory. Give it with -e, or set {option} under [hyperpod] in ansible.cfg."
        for name in known_variables.OF_RUN
        for option in (name.removeprefix("hyperpod_"),)
        if name in names and name not in extra
    ]
    return [*chosen, *ignored] + [
        f"{name} is not a variable of mlfleet.hyperpod; did you mean {meant}? Correct the name or remove the variable."
        for name in _unknown(names)
        if (meant := _meant(name, given=name in extra))
    ]


def unknown(names: t.Iterable[str], extra: t.Collection[str]) -> list[str]:
    """A sentence about the other unknown names with our prefixes."""
    found = [name for name in _unknown(names) if name.startswith(PREFIXES) and not _meant(name, given=name in extra)]
    return [f"Unknown variables with a prefix of mlfleet.hyperpod: {', '.join(found)}"] if found else []


def _unknown(names: t.Iterable[str]) -> list[str]:
    known = {*known_variables.of_people(), *known_variables.OF_INVENTORY, *known_variables.PASSED}
    ours = ("hyperpod_internal_", "ansible_", "_")
    return sorted({name for name in names if name not in known and not name.startswith(ours)})


def _meant(name: str, *, given: bool) -> str | None:
    known = sorted(known_variables.of_people())
    meant = next((each for each in known if _one_slip(name, each)), None) or _alike(name, known)
    for_clusters = known_variables.of_roles() | {*known_variables.SETTINGS}
    of_others = meant is not None and (meant not in for_clusters or not meant.startswith(PREFIXES))
    return None if of_others and not given else meant


def _one_slip(name: str, meant: str) -> bool:
    """Whether the names differ by one wrong letter or two swapped letters. The similarity would miss this in short names."""
    wrong = [index for index, pair in enumerate(zip(name, meant)) if pair[0] != pair[1]]
    if len(name) != len(meant) or not wrong:
        return False
    first, last = wrong[0], wrong[-1] + 1
    if last - first == 1:
        return (name[first] + meant[first]).isalpha()
    return last - first == 2 and name[first:last] == meant[first:last][::-1]


def _alike(name: str, known: t.Sequence[str]) -> str | None:
    meant = nearest(name, known, likeness=MISSPELT)
    if meant is None or (name.startswith(f"{meant}_") and name != f"{meant}_"):
        return None  # users may build hyperpod_users from hyperpod_users_a and others
    prefix = next((prefix for prefix in PREFIXES if name.startswith(prefix) and meant.startswith(prefix)), "")
    rest = nearest(name.removeprefix(prefix), [meant.removeprefix(prefix)], likeness=REST)
    return meant if rest is not None else None
