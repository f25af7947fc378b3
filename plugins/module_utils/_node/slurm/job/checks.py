# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks whether Slurm will apply a switch limit. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from ...._core.failure import refuse_option
from .model import NONE, REQUIRED, TREE, Desired, Facts


def check(desired: Desired, facts: Facts) -> tuple[str, ...]:
    """Warnings to show before the job is submitted.

    :raises Refused: if Slurm would ignore a required switch limit.
    """
    if desired.placement == NONE:
        return ()
    if facts.topology == TREE:
        return _capped(desired, facts)
    if desired.leaves == 1:
        return ()  # all nodes are below one leaf switch
    kind = f"a {facts.topology} topology and " if facts.topology else ""
    shown = f"{kind}no tree of switches (TopologyPlugin={facts.plugin or 'none'})"
    ignored = f"Slurm has {shown}, and ignores --switches"
    if not desired.leaves:
        unknown = "The number of leaf switches above the cluster's nodes is also unknown"
        return (f"{ignored}. {unknown}, so the placement of {desired.described} is arbitrary.",)
    many = f"cluster's nodes are below {desired.leaves} leaf switches"
    if desired.placement == REQUIRED:
        allowed = "preferred or none, or topology/tree as TopologyPlugin in slurm.conf with a topology.conf"
        refuse_option("placement", REQUIRED, allowed, f"{ignored}, although the {many}")
    return (f"{ignored}. The {many}, so the placement of {desired.described} is arbitrary.",)


def _capped(desired: Desired, facts: Facts) -> tuple[str, ...]:
    """A warning if ``max_switch_wait`` is less than the job's wait, because Slurm then silently reduces the wait (sbatch(1))."""
    if desired.switches_wait <= facts.max_switch_wait:
        return ()
    line = f"SchedulerParameters=max_switch_wait={desired.switches_wait}"
    return (
        f"Slurm ignores the switch limit of {desired.described} after {facts.max_switch_wait} s instead of "
        f"{desired.switches_wait} s, and then starts the job on any nodes. Set {line} in slurm.conf, and run scontrol reconfigure.",
    )
