# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of a launch template."""

from __future__ import annotations

import typing as t

from ..._core.times import iso_time
from .checks import efa_allowed
from .layout import layout
from .model import CAPACITY_BLOCK, Desired, Reservation, State

CAPACITY_TYPES = {CAPACITY_BLOCK: "CAPACITY_BLOCK"}
"""EKS's names of market types."""
ON_DEMAND = "ON_DEMAND"


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    template, names = state.template, {"name": desired.name, "eks_cluster": desired.cluster}
    if template is None:
        return {"efa_launch_template": {"exists": False, **names}}
    have = template.settings
    efa = sum(each.efa for each in have.interfaces)
    source = layout(state.type, efa=desired.efa).source if state.type else ""
    return {
        "efa_launch_template": {
            "exists": True,
            **names,
            "launch_template_id": template.id,
            "version": template.default.number,
            "instance_type": have.instance_type,
            "network_interface_count": len(have.interfaces),
            "efa_interface_count": efa,
            "efa_source": source,
            "efa_traffic_allowed": efa_allowed(state) if efa else None,
            "security_group_ids": list(have.security_groups),
            "capacity_type": CAPACITY_TYPES.get(have.market, ON_DEMAND),
            "capacity_reservation": _reservation(state.reservation) if have.reservation else None,
            "placement_group": have.placement_group,
            "placement_group_state": state.placement_group.state if state.placement_group else "",
            "image_id": have.image,
            "device_name": have.device,
            "volume_size": have.volume_size,
            "volume_kms_key_id": have.volume_kms_key,
            "metadata_hop_limit": have.hop_limit,
            "user_data": have.user_data,
            "instance_tags": dict(have.instance_tags),
            "tags": dict(template.tags),
        }
    }


def _reservation(found: Reservation | None) -> dict[str, t.Any] | None:
    if found is None:
        return None
    return {
        "id": found.id,
        "type": found.type,
        "instance_type": found.instance_type,
        "state": found.state,
        "availability_zone": found.zone,
        "availability_zone_id": found.zone_id,
        "start": iso_time(found.start),
        "end": iso_time(found.end),
        "total_instance_count": found.total,
        "available_instance_count": found.available,
    }
