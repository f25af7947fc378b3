# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EC2 of moto, with Client VPN, complete launch templates, and the dependencies of AWS among groups, interfaces and subnets.

Without hosts, ``POST /lab/vpn-connect {"endpoint_id": …, "common_name": …, "serial": …}`` connects a client.
"""

from __future__ import annotations

import dataclasses
import typing as t

SETTINGS: dict[str, t.Any] = {
    "capacity_reservations": {},
    "client_vpn_interface_seconds": 0.5,
    "client_vpn_linger_seconds": 2.0,
    "client_vpn_seconds": 0.5,
    "launch_template_lag_seconds": 0.2,
    "launch_template_versions": 10_000,
    "network_card_interface_types": True,
}


def install(this_cloud: t.Any) -> None:
    """Replace moto's backend of EC2, and let the tunnels follow its state."""
    from moto.ec2 import utils
    from moto.ec2.models import ec2_backends

    from .. import cloud
    from .client_vpn.follow import VpnFollower
    from .models import Ec2

    cloud.SETTINGS.update(SETTINGS)
    for name, value in SETTINGS.items():
        this_cloud.settings.setdefault(name, value)
    utils.EC2_RESOURCE_TO_PREFIX["client-vpn-endpoint"] = "cvpn"
    utils.EC2_PREFIX_TO_RESOURCE["cvpn"] = "client-vpn-endpoint"
    utils.EC2_PREFIX_TO_RESOURCE["eipalloc"] = "elastic-ip"
    ec2_backends.backend = Ec2
    this_cloud.tunnels = _tunnels(this_cloud)
    this_cloud.vpn_follower = VpnFollower(this_cloud)
    this_cloud.vpn_follower.start()


def _tunnels(this_cloud: t.Any) -> t.Any:
    from .. import cloud
    from ..control import routes
    from .client_vpn.memory import MemoryTunnels

    if not isinstance(this_cloud.network, cloud.NoNetwork):
        from lab.vpn.tunnels import VpnServers

        return VpnServers(this_cloud.paths, this_cloud.network)
    memory = MemoryTunnels()

    def connect(_cloud: t.Any, body: dict[str, t.Any], _query: t.Any) -> t.Any:
        made = memory.connect(**body)
        return dataclasses.asdict(made) if made else None

    routes.ROUTES[("POST", "/lab/vpn-connect")] = connect
    return memory
