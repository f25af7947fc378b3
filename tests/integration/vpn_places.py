"""Calls at which tests kill runs of the playbook client_vpn or drop replies, and objects that a run creates."""

from __future__ import annotations

import json
import re
import typing as t

from harness import World
from mishaps import ALWAYS

DECLARED = ("-e", json.dumps({"client_vpn_client_cidr": "172.20.0.0/20", "client_vpn_poll_interval": 1}))
OURS = "mlfleet/hyperpod/client-vpn"
# Operations at which runs are killed, and how many runs: an early one that killed all runs would let none get further.
PLACES: dict[str, tuple[int, dict[str, t.Any]]] = {
    operation: (times, {"operation": operation})
    for operation, times in {
        "CreateSecret": 1,
        "PutSecretValue": 1,
        "ImportCertificate": 1,
        "CreateLogGroup": 1,
        "PutRetentionPolicy": 1,
        "CreateSecurityGroup": 1,
        "CreateClientVpnEndpoint": ALWAYS,
        "AssociateClientVpnTargetNetwork": 1,
        "AuthorizeClientVpnIngress": ALWAYS,
        "ImportClientVpnClientCertificateRevocationList": ALWAYS,
    }.items()
}
LOCK = {"PutParameter", "DeleteParameters", "AddTagsToResource"}


def secrets(world: World) -> set[str]:
    """Our secrets, without the prefix and the id of the VPC, which differs in each world."""
    names = [each["Name"] for each in world.aws("secretsmanager").list_secrets()["SecretList"]]
    return {re.sub(rf"^{OURS}/vpc-[0-9a-f]+/", "", name) for name in names if name.startswith(OURS)}


def our_groups(world: World) -> list[str]:
    groups = world.aws("ec2").describe_security_groups()["SecurityGroups"]
    return [group["GroupName"] for group in groups if group["GroupName"].startswith("mlfleet-client-vpn-")]
