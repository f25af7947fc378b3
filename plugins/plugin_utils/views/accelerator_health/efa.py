# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The security groups of nodes with EFA devices."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators import security_groups
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from . import seen


@view
def efa_groups(variables: Variables) -> list[str]:
    """IDs of the security groups of nodes with EFA devices."""
    return sorted({each for ids in _efa_sets(variables) for each in ids})


def set_up(variables: Variables) -> dict[str, list[str]]:
    read = plain((variables.get("__accelerator_health_security_groups") or {}).get("security_groups") or [])
    lacking = {ids: (names, security_groups.lacking(ids, read)) for ids, names in _efa_sets(variables).items()}
    return {security_groups.sentence(names, ids, ways): names for ids, (names, ways) in lacking.items() if ways}


def _efa_sets(variables: Variables) -> dict[tuple[str, ...], list[str]]:
    """Instance groups whose instance type has EFA devices, keyed by the security groups of their nodes."""
    of_cluster = plain(variables["hyperpod_run"]["cluster"])
    found: dict[tuple[str, ...], list[str]] = {}
    for group in of_cluster["groups"]:
        own = of_cluster["security_groups"] if group["security_groups"] is None else group["security_groups"]
        if own and seen.expected(variables, group["instance_type"])["efa_devices"]:
            found.setdefault(tuple(own), []).append(group["name"])
    return found
