# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the tunnels follow the endpoints of the simulated API, and write their connection logs."""

from __future__ import annotations

import json
import logging
import threading
import time
import typing as t

from cryptography.hazmat.primitives.serialization import Encoding
from lab.vpn.view import EndpointView

from .state import Endpoint

LOG = logging.getLogger(__name__)
SECONDS = 0.25


def view(vpn: t.Any, endpoint: Endpoint) -> EndpointView | None:
    """The endpoint for its tunnels; None if clients cannot connect. The caller must hold the lock."""
    if not endpoint.usable or endpoint.status.code in ("deleting", "deleted"):
        return None
    server = vpn.certificate(endpoint.options["ServerCertificateArn"])
    authorities = [one.public_bytes(Encoding.PEM).decode() for one in vpn.client_authorities(endpoint)]
    return EndpointView(
        endpoint_id=endpoint.id,
        dns_name=endpoint.dns_name,
        vpc_id=endpoint.vpc_id or "",
        server_certificate=server.cert.decode(),
        server_key=server.key.decode(),
        server_chain=server.imported_chain.decode(),
        client_ca="".join(authorities) or None,
        client_cidr=endpoint.options["ClientCidrBlock"],
        transport=endpoint.options["TransportProtocol"],
        port=endpoint.options["VpnPort"],
        split_tunnel=endpoint.options["SplitTunnel"],
        dns_servers=tuple(endpoint.options["DnsServers"]),
        interfaces=tuple((one.address, one.prefix_length) for one in endpoint.usable),
        routes=tuple(sorted(endpoint.pushed)),
        allowed=tuple(
            sorted(
                rule.cidr
                for rule in endpoint.rules
                if rule.group is None and rule.status.code in ("active", "revoking")
            )
        ),
        crl=endpoint.crl_in_force,
        resets=endpoint.resets,
    )


class VpnFollower:
    """A thread that completes due transitions of the endpoints and passes each to the tunnels."""

    def __init__(self, this_cloud: t.Any) -> None:
        self.this_cloud = this_cloud
        self.wake = threading.Event()
        self.errors: dict[str, str] = {}
        self.carried: set[str] = set()
        this_cloud.tunnels.on_event = self.log

    def start(self) -> None:
        threading.Thread(target=self._run, name="vpn-follower", daemon=True).start()

    def _run(self) -> None:
        while True:
            self.wake.wait(SECONDS)
            self.wake.clear()
            self.once()

    def once(self) -> None:
        """Pass each endpoint to the tunnels once. Failures (its VPC has no bridge yet) are retried."""
        views: dict[str, EndpointView] = {}
        for vpn in _stores():
            with vpn.lock:
                vpn.settle()
                for endpoint in list(vpn.endpoints.values()):
                    self._guarded(endpoint.id, _collect, vpn, endpoint, views)
        for endpoint_id in self.carried - set(views):
            self._guarded(endpoint_id, self.this_cloud.tunnels.remove, endpoint_id)
        self.carried = set(views)
        for endpoint_id, shown in views.items():
            self._guarded(endpoint_id, self.this_cloud.tunnels.sync, shown)

    def _guarded(self, endpoint_id: str, work: t.Callable[..., None], *arguments: t.Any) -> None:
        try:
            work(*arguments)
            self.errors.pop(f"{endpoint_id} {work.__name__}", None)
        except Exception as error:  # one endpoint must not stop the others
            if self.errors.get(f"{endpoint_id} {work.__name__}") != str(error):
                LOG.warning("endpoint %s: %s", endpoint_id, error)
            self.errors[f"{endpoint_id} {work.__name__}"] = str(error)

    def log(self, endpoint_id: str, event: dict[str, t.Any]) -> None:
        """Write a line to the connection log of an endpoint, if it has one."""
        from moto.logs.models import logs_backends

        for vpn in _stores():
            endpoint = vpn.endpoints.get(endpoint_id)
            options = endpoint.options["ConnectionLogOptions"] if endpoint else {}
            logs = logs_backends[vpn.ec2.account_id][vpn.ec2.region_name]
            group = options.get("CloudwatchLogGroup")
            if options.get("Enabled") and group in logs.groups:
                stream = options.get("CloudwatchLogStream") or f"{endpoint_id}-{vpn.ec2.region_name}"
                logs.ensure_log_stream(group, stream)
                line = {"timestamp": int(time.time() * 1000), "message": json.dumps(event)}
                logs.put_log_events(group, stream, [line])


def _collect(vpn: t.Any, endpoint: Endpoint, views: dict[str, EndpointView]) -> None:
    shown = view(vpn, endpoint)
    if shown is not None:
        views[endpoint.id] = shown


def _stores() -> list[t.Any]:
    from moto.ec2.models import ec2_backends

    return [backend.client_vpn for regions in list(ec2_backends.values()) for backend in list(regions.values())]
