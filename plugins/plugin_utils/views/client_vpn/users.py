# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who has access through the Client VPN of the cluster's VPC."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import client_vpn
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

from .. import Variables, view


@view
def unread_neighbours(variables: Variables) -> list[str]:
    """Hosts of other clusters whose records this run needs but did not read, because of --limit, a lock or a failure."""
    wanted = "users" in variables["client_vpn_reads"]
    return [host for host, other in _neighbours(variables).items() if wanted and _records(other) is None]


@dataclass(frozen=True)
class Users:
    """Users of the endpoint. The endpoint serves all clusters of a VPC, so the other clusters' declarations and records count."""

    present: list[str]
    revoked: list[str]
    offboarded: list[str]
    certified: list[str]
    """Users who get a certificate."""
    lost: list[str]
    """Users whose certificate is revoked and replaced."""


@view
def users(variables: Variables) -> Users:
    others = list(_neighbours(variables).values())
    offboarded = dict(_offboarded(variables, others))
    declared, files = variables["client_vpn_users"], variables["client_vpn_users_files"]
    found = client_vpn.people_of(declared, files, offboarded, others)
    certificates = client_vpn.with_certificates(variables["client_vpn_authentication"])
    return Users(
        present=found["people"],
        revoked=found["revoked"],
        offboarded=list(offboarded),
        certified=found["people"] if certificates else [],
        lost=given_names(variables["client_vpn_revoke"]) if certificates else [],
    )


def _neighbours(variables: Variables) -> dict[str, Variables]:
    """The other Slurm clusters of the same account and Region, keyed by host."""
    groups, here = variables["groups"], variables["inventory_hostname"]
    slurm = set(groups.get("orchestrator_slurm", ()))
    others = {host: variables["hostvars"][host] for host in groups["hyperpod_clusters"] if host in slurm and host != here}
    place = [variables[name] for name in ("hyperpod_account_id", "hyperpod_region")]
    return {host: each for host, each in others.items() if [each.get("hyperpod_account_id"), each.get("hyperpod_region")] == place}


def _records(of: Variables) -> t.Mapping[str, t.Any] | None:
    """The records of operators' decisions about a cluster; None if they were not read."""
    records: t.Mapping[str, t.Any] | None = (of.get("hyperpod_run") or {}).get("records")
    return records


def _offboarded(variables: Variables, neighbours: t.Iterable[Variables]) -> t.Iterator[tuple[str, t.Any]]:
    read = (variables.get("__client_vpn_beside_read") or {}).get("results") or []
    for records in [_records(variables), *map(_records, neighbours), *(each.get("records") for each in read)]:
        yield from ((records or {}).get("offboarded") or {}).items()
