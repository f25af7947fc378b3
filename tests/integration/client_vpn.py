"""Client VPN in tests: remove it from an account, read the logs of its OpenVPN servers, make certificates."""

from __future__ import annotations

import datetime
import typing as t

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from lab.cli import world
from lab.names import Paths

LOG_GROUPS = "/mlfleet/"


def empty_account(profile: str, eventually: t.Callable[[t.Callable[[], t.Any]], t.Any]) -> None:
    """Remove all endpoints, certificates and log groups of this collection."""
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
    for listed in acm.list_certificates()["CertificateSummaryList"]:
        arn = listed["CertificateArn"]
        eventually(lambda arn=arn: acm.delete_certificate(CertificateArn=arn))
    for group in logs.describe_log_groups(logGroupNamePrefix=LOG_GROUPS)["logGroups"]:
        logs.delete_log_group(logGroupName=group["logGroupName"])


def server_log(paths: Paths) -> str:
    """Logs of all OpenVPN servers of this lab, oldest first."""
    logs = sorted((paths.state / "vpn").glob("*/log"), key=lambda path: path.stat().st_mtime)
    return "\n".join(path.read_text(errors="replace") for path in logs)


def certificate(name: str, kind: str = "RSA_2048", *, authority: bool = False) -> tuple[bytes, bytes]:
    """A self-signed certificate and its key in PEM. ``kind`` is ACM's name of the key algorithm."""
    curve, _sign, bits = kind.partition("_")
    key = ec.generate_private_key(ec.SECP256R1()) if curve == "EC" else rsa.generate_private_key(65537, int(bits))
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    return made.public_bytes(encoding), key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, plain)
