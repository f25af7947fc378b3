"""Client VPN in tests: empty an account of it, and read what the OpenVPN servers of endpoints say."""

from __future__ import annotations

import typing as t

from lab import world
from lab.names import Paths

LOG_GROUPS = "/mlfleet/"


def empty_account(profile: str, eventually: t.Callable[[t.Callable[[], t.Any]], t.Any]) -> None:
    """No endpoint, no certificate, no log group of ours."""
    ec2, acm, logs = (world.client(service, profile) for service in ("ec2", "acm", "logs"))
    endpoints = [
        each["ClientVpnEndpointId"]
        for each in ec2.describe_client_vpn_endpoints()["ClientVpnEndpoints"]
        if each["Status"]["Code"] not in ("deleting", "deleted")
    ]
    for endpoint in endpoints:
        found = ec2.describe_client_vpn_target_networks(ClientVpnEndpointId=endpoint)["ClientVpnTargetNetworks"]
        for network in found:
            if network["Status"]["Code"] not in ("disassociating", "disassociated"):
                which = {"ClientVpnEndpointId": endpoint, "AssociationId": network["AssociationId"]}
                eventually(lambda which=which: ec2.disassociate_client_vpn_target_network(**which))
        eventually(lambda endpoint=endpoint: ec2.delete_client_vpn_endpoint(ClientVpnEndpointId=endpoint))
    for certificate in acm.list_certificates()["CertificateSummaryList"]:
        arn = certificate["CertificateArn"]
        eventually(lambda arn=arn: acm.delete_certificate(CertificateArn=arn))
    for group in logs.describe_log_groups(logGroupNamePrefix=LOG_GROUPS)["logGroups"]:
        logs.delete_log_group(logGroupName=group["logGroupName"])


def server_log(paths: Paths) -> str:
    """What all OpenVPN servers of this lab have said, the oldest first."""
    logs = sorted((paths.state / "vpn").glob("*/log"), key=lambda path: path.stat().st_mtime)
    return "\n".join(path.read_text(errors="replace") for path in logs)
