# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Elastic Load Balancing, limited to network load balancers with TCP listeners and ``ip`` targets.

moto supports application load balancers; its differences for network ones are replaced here. Settings:

==================== ======= ================================================================================
health_check_scale   0.05    factor on health check intervals: 10 s become 0.5 s
drain_scale          0.01    factor on deregistration delays: 300 s become 3 s
idle_timeout_scale   1       factor on tcp.idle_timeout.seconds
elb_page_size        400     length of a page if the caller names none
registration_seconds 0       how long a registration takes: initial, no health checks and no traffic; AWS: minutes
deregistration_seconds
                     0       how long a draining target still gets new connections; AWS: minutes
elb_unseen_seconds   5       the first description misses a resource that is younger than this
==================== ======= ================================================================================

Not modelled: cross-zone routing (every address reaches every target in use), client IP preservation, stickiness,
proxy protocol, the state ``unhealthy.draining``, HTTP health checks, other kinds of load balancers and targets.
Without hosts, ``POST /lab/health {"ip": …, "port": …, "answers": false}`` sets whether an address accepts connections.
"""

from __future__ import annotations

import typing as t

SETTINGS = {
    "health_check_scale": 0.05,
    "drain_scale": 0.01,
    "idle_timeout_scale": 1.0,
    "elb_page_size": 400,
    "registration_seconds": 0.0,
    "deregistration_seconds": 0.0,
    "elb_unseen_seconds": 5.0,
}


def install(this_cloud: t.Any) -> None:
    """Replace moto's backend of elbv2, and let the data path follow its state."""
    from moto.elb.models import elb_backends
    from moto.elbv2.models import elbv2_backends

    from .. import cloud
    from ..control import routes
    from .follow import Follower
    from .memory import MemoryBalancers
    from .models import Doorway, NetworkLoadBalancers

    cloud.SETTINGS.update(SETTINGS)
    for name, value in SETTINGS.items():
        this_cloud.settings.setdefault(name, value)
    elb_backends.backend = Doorway
    elbv2_backends.backend = NetworkLoadBalancers
    if isinstance(this_cloud.network, cloud.NoNetwork):
        this_cloud.balancers = memory = MemoryBalancers()

        def answer(_cloud: t.Any, body: dict[str, t.Any], _query: t.Any) -> dict[str, t.Any]:
            memory.answer(body["ip"], int(body["port"]), bool(body["answers"]))
            return body

        routes.ROUTES[("POST", "/lab/health")] = answer
    else:
        from lab.balancer.balancers import Balancers

        this_cloud.balancers = Balancers(this_cloud.paths, this_cloud.network)
    this_cloud.follower = Follower(this_cloud)
    this_cloud.follower.start()
