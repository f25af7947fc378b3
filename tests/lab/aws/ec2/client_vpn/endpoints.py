# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Client VPN endpoints of one account and region: the effect of operations on the records.

As in AWS: the first association fixes the VPC. Each association adds a route to each current network of the VPC; these
routes cannot be deleted, and they are removed with the association, as are routes added by requests. After the last
association the endpoint is ``pending-associate``. A deleted endpoint is listed for a while and uses its certificates until
then. A new revocation list, other DNS servers and, with a split tunnel, other routes end all connections.

Settings: ``client_vpn_seconds`` (0.5), the duration of transitional states; ``client_vpn_interface_seconds`` (0.5), that of an
interface after its association; ``client_vpn_linger_seconds`` (2), how long a deleted endpoint is listed.

AWS does not document missing log streams; here they are created with the first line.
"""

from __future__ import annotations

import copy
import threading
import time
import typing as t

from cryptography import x509
from moto.acm.models import acm_backends
from moto.logs.models import logs_backends

from ... import cloud, request
from ...delays import Delay
from . import checks
from .networks import TargetNetworks
from .state import Endpoint, Status, is_deleted, new_id, now

ENDPOINTS = 5  # the quota of a region
CONCURRENT = 10  # the quota of concurrent operations of an endpoint
DEFAULTS: dict[str, t.Any] = {
    "TransportProtocol": "udp",
    "VpnPort": 443,
    "SplitTunnel": False,
    "SelfServicePortal": "enabled",
    "SessionTimeoutHours": 24,
    "DisconnectOnSessionTimeout": True,
    "ClientConnectOptions": {"Enabled": False},
    "ClientLoginBannerOptions": {"Enabled": False},
    "ClientRouteEnforcementOptions": {"Enforced": False},
    "EndpointIpAddressType": "ipv4",
    "TrafficIpAddressType": "ipv4",
    "DnsServers": [],
}
MODIFIABLE = (
    "ServerCertificateArn",
    "ConnectionLogOptions",
    "VpnPort",
    "Description",
    "SplitTunnel",
    "SelfServicePortal",
    "ClientConnectOptions",
    "SessionTimeoutHours",
    "ClientLoginBannerOptions",
    "ClientRouteEnforcementOptions",
    "DisconnectOnSessionTimeout",
)


class ClientVpn(TargetNetworks):
    """The caller must hold ``lock`` during every method."""

    def __init__(self, ec2: t.Any) -> None:
        self.ec2 = ec2
        self.lock = threading.RLock()
        self.endpoints: dict[str, Endpoint] = {}
        self.tokens: dict[tuple[str, str], tuple[dict[str, t.Any], dict[str, t.Any]]] = {}
        self.leaving: list[tuple[str, Delay]] = []

    # Finding

    def endpoint(self, endpoint_id: str, *, changing: bool = False) -> Endpoint:
        """The endpoint; with ``changing``, busy endpoints and those in deletion are refused as in AWS."""
        found = self.endpoints.get(endpoint_id)
        if found is None or (changing and found.status.code == "deleted"):
            checks.refuse("InvalidClientVpnEndpointId.NotFound", f"Endpoint {endpoint_id} does not exist")
        if changing and found.status.code == "deleting":
            checks.refuse("IncorrectState", f"Endpoint {endpoint_id} is being deleted")
        if changing and sum(status.goal is not None for status in found.statuses) >= CONCURRENT:
            checks.refuse(
                "ConcurrentMutationLimitExceeded",
                "Cannot initiate another change for this endpoint at this time. Please try again later.",
            )
        return found

    def certificate(self, arn: str) -> t.Any:
        """The certificate in ACM."""
        try:
            return acm_backends[self.ec2.account_id][self.ec2.region_name]._certificates[arn]
        except KeyError:
            checks.invalid(f"Certificate {arn} does not exist")

    def users_of(self, certificate: str) -> list[str]:
        """ARNs of the endpoints that use a certificate, including those in deletion."""
        return [
            endpoint.arn
            for endpoint in list(self.endpoints.values())
            if endpoint.status.code != "deleted" and certificate in endpoint.certificates
        ]

    def once(self, params: dict[str, t.Any], work: t.Callable[..., dict[str, t.Any]]) -> dict[str, t.Any]:
        """The reply to a request; a request with the same ClientToken has no effect and gets the first reply."""
        token = params.pop("ClientToken", None)
        key = (request.current().operation, token or "")
        if token and key in self.tokens:
            first, answer = self.tokens[key]
            if first != params:
                checks.refuse("IdempotentParameterMismatch", "The token was used with other parameters before")
            return copy.deepcopy(answer)
        original = copy.deepcopy(params)
        answer = work(**params)
        if token:
            self.tokens[key] = (original, copy.deepcopy(answer))
        return answer

    # Endpoints

    def create(self, *, tags: dict[str, str], wanted: dict[str, t.Any]) -> Endpoint:
        """A new endpoint without target networks."""
        options = {**copy.deepcopy(DEFAULTS), **copy.deepcopy(wanted)}
        groups, vpc_id = options.pop("SecurityGroupIds", []), options.pop("VpcId", None)
        checks.options(options)
        checks.client_cidr(options.get("ClientCidrBlock"))
        checks.dns_servers(options["DnsServers"])
        checks.authentication(options["AuthenticationOptions"])
        self._check_certificates(options)
        self._check_log(options["ConnectionLogOptions"])
        if sum(one.status.code != "deleted" for one in self.endpoints.values()) >= ENDPOINTS:
            checks.refuse("ClientVpnEndpointLimitExceeded", f"The limit of {ENDPOINTS} Client VPN endpoints is reached")
        groups = self.groups_for(vpc_id, groups)
        found = new_id("endpoint")
        home = f"{self.ec2.region_name}:{self.ec2.account_id}"
        endpoint = Endpoint(
            id=found,
            arn=f"arn:{self.ec2.partition}:ec2:{home}:client-vpn-endpoint/{found}",
            dns_name=f"{found}.prod.clientvpn.{self.ec2.region_name}.amazonaws.com",
            options=options,
            created=now(),
            status=Status("pending-associate"),
            vpc_id=vpc_id,
            security_groups=groups,
        )
        self.endpoints[found] = endpoint
        self.ec2.create_tags([found], tags)
        return endpoint

    def modify(self, endpoint: Endpoint, wanted: dict[str, t.Any]) -> None:
        """Change the modifiable settings, after all of them were checked."""
        changes = {name: value for name, value in wanted.items() if name in MODIFIABLE}
        checks.options(wanted)
        servers = endpoint.options["DnsServers"]
        if "DnsServers" in wanted:
            named = wanted["DnsServers"]
            servers = named.get("CustomDnsServers", []) if named.get("Enabled", True) else []
            checks.dns_servers(servers)
        if "ServerCertificateArn" in changes:
            self._check_certificates({**endpoint.options, **changes})
        self._check_log(changes.get("ConnectionLogOptions", {}))
        if "SecurityGroupIds" in wanted:
            self.apply_groups(endpoint, wanted.get("VpcId"), wanted["SecurityGroupIds"])
        split = endpoint.options["SplitTunnel"] != changes.get("SplitTunnel", endpoint.options["SplitTunnel"])
        if split or servers != endpoint.options["DnsServers"]:
            endpoint.resets += 1
        endpoint.options.update(copy.deepcopy(changes))
        endpoint.options["DnsServers"] = list(servers)

    def delete(self, endpoint: Endpoint) -> None:
        """Start the deletion of an endpoint without target networks."""
        if any(one.status.code != "association-failed" for one in endpoint.associations.values()):
            checks.refuse("DependencyViolation", f"Endpoint {endpoint.id} has target networks: disassociate them first")
        endpoint.status.begin("deleting", "deleted", "pending-associate")

    def import_crl(self, endpoint: Endpoint, pem: str) -> None:
        """Replace the list; when it is active it is enforced, and all connections are ended."""
        checks.revocation_list(pem, self.client_authorities(endpoint))
        endpoint.crl = pem
        endpoint.crl_status.begin("pending", "active", "pending")

    def client_authorities(self, endpoint: Endpoint) -> list[x509.Certificate]:
        """Certificates that verify those of clients: of an authority, or of a server's chain."""
        found: list[x509.Certificate] = []
        for way in endpoint.options["AuthenticationOptions"]:
            arn = way.get("MutualAuthentication", {}).get("ClientRootCertificateChainArn")
            if arn:
                bundle = self.certificate(arn)
                found += [x509.load_pem_x509_certificate(bundle.cert)] if _is_authority(bundle.cert) else []
                found += x509.load_pem_x509_certificates(bundle.imported_chain) if bundle.imported_chain else []
        return found

    def _check_certificates(self, options: dict[str, t.Any]) -> None:
        arn = options["ServerCertificateArn"]
        checks.server_certificate(arn, self.certificate(arn).cert)
        for way in options["AuthenticationOptions"]:
            root = way.get("MutualAuthentication", {}).get("ClientRootCertificateChainArn")
            if root:
                self.certificate(root)

    def _check_log(self, log: dict[str, t.Any]) -> None:
        group = log.get("CloudwatchLogGroup")
        if log.get("Enabled") and group not in logs_backends[self.ec2.account_id][self.ec2.region_name].groups:
            checks.invalid(f"CloudWatch Logs log group {group} does not exist")

    # Time

    def settle(self) -> None:
        """Complete all transitions that are due."""
        for endpoint in list(self.endpoints.values()):
            self._settle(endpoint)
        for interface, delay in list(self.leaving):
            if delay.is_over:
                self.leaving.remove((interface, delay))
                self.ec2.release_network_interface(interface)

    def _settle(self, endpoint: Endpoint) -> None:
        carried, pushed = bool(endpoint.usable), endpoint.pushed
        for association in list(endpoint.associations.values()):
            if association.status.settle():
                self.association_arrived(endpoint, association)
        for part in [*endpoint.rules, *endpoint.routes]:
            part.status.settle()
        endpoint.rules = [rule for rule in endpoint.rules if not is_deleted(rule.status)]
        endpoint.routes = [route for route in endpoint.routes if not is_deleted(route.status)]
        if endpoint.crl_status.settle():
            endpoint.crl_in_force = endpoint.crl
            endpoint.resets += 1
        if carried and endpoint.options["SplitTunnel"] and endpoint.pushed != pushed:
            endpoint.resets += 1
        if endpoint.status.settle() and endpoint.status.code == "deleted":
            endpoint.deleted, endpoint.gone_since = now(), time.monotonic()
        elif endpoint.status.goal is None and endpoint.gone_since is None:
            endpoint.status.code = "available" if endpoint.usable else "pending-associate"
        lingers = cloud.current().settings["client_vpn_linger_seconds"]
        if endpoint.gone_since is not None and time.monotonic() - endpoint.gone_since >= lingers:
            del self.endpoints[endpoint.id]
            self.ec2.tags.pop(endpoint.id, None)

    def release(self, interface_id: str) -> None:
        """Release an interface some time after its association."""
        self.leaving.append((interface_id, Delay("client_vpn_interface_seconds")))


def _is_authority(pem: bytes) -> bool:
    try:
        return x509.load_pem_x509_certificate(pem).extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        return False
