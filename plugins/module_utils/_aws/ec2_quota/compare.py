# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The comparison of the plan and the use with the quotas."""

from __future__ import annotations

import collections
import typing as t

from .codes import EKS_CLUSTERS, ELASTIC_IPS, NAT_GATEWAYS, VPCS, Counted, codes, covering, described, family
from .model import RESOURCES, VCPUS, Instances, Kind, Planned, State, Use


def compare(planned: Planned, state: State) -> list[Use]:
    """The quotas that the plan uses."""
    counted = (
        (VPCS, state.vpcs, planned.vpcs),
        (ELASTIC_IPS, state.elastic_ips, planned.elastic_ips),
        (EKS_CLUSTERS, state.eks_clusters, planned.eks_clusters),
    )
    return [
        *_instances(planned.instances, state),
        *(_resources(state, each, used, count) for each, used, count in counted if count),
        *(
            _resources(state, NAT_GATEWAYS, state.nat_gateways.get(zone, 0), count, zone=zone)
            for zone, count in sorted(planned.nat_gateways.items())
        ),
    ]


def _resources(state: State, counted: Counted, used: int, planned: int, *, zone: str = "") -> Use:
    quota = counted.known(state.quotas)
    why = "" if quota is not None else _unlisted([counted.code], state, f'the name "{counted.name}"')
    name = quota.name if quota is not None else counted.name
    return Use(name, RESOURCES, used, planned, quota, zone=zone, why=why)


def _instances(planned: Instances, state: State) -> list[Use]:
    groups: dict[str, list[Kind]] = collections.defaultdict(list)
    for kind in sorted({*planned, *state.instances}):
        quota = covering(*kind, state.quotas)
        groups[quota.name if quota is not None else described(*kind)].append(kind)
    return [_vcpus(name, kinds, planned, state) for name, kinds in groups.items() if any(kind in planned for kind in kinds)]


def _vcpus(name: str, kinds: list[Kind], planned: Instances, state: State) -> Use:
    """The use of the quota of these types. A type that EC2 does not describe makes the counts too low."""
    used, wanted = (
        sum(counts.get(kind, 0) * state.vcpus.get(kind[0], 0) for kind in kinds) for counts in (state.instances, planned)
    )
    missing = [kind[0] for kind in kinds if kind[0] not in state.vcpus]
    quota = covering(*kinds[0], state.quotas)
    why = ""
    if missing:
        why = (
            f"EC2 does not describe {', '.join(dict.fromkeys(missing))} in this Region, so the number of vCPUs is unknown. "
            "Check the instance type and the Region."
        )
    elif quota is None:
        why = _no_quota(next(kind for kind in kinds if kind in planned), state)
    types = tuple(dict.fromkeys(kind[0] for kind in kinds if kind in planned))
    return Use(name, VCPUS, used, wanted, quota, instance_types=types, known=not missing, why=why)


def _no_quota(kind: Kind, state: State) -> str:
    wanted = codes(*kind)
    if not wanted:
        return f"No quota is known for {kind[0]} in the market {kind[1]}. Check the quotas of Amazon EC2 in Service Quotas."
    return _unlisted(wanted, state, f"a name that covers family {family(kind[0])} and {kind[0]}")


def _unlisted(wanted: t.Sequence[str], state: State, expected: str) -> str:
    names = [f'{code} "{state.quotas[code].name}"' for code in wanted if code in state.quotas]
    found = f"Service Quotas lists {', '.join(names)}" if names else f"Service Quotas does not list {', '.join(wanted)}"
    return f"{found}. Expected: {expected}. Check the quota in Service Quotas."
