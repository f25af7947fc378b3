# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions of AWS for requests on Client VPN endpoints, with a refusal for each."""

from __future__ import annotations

import ipaddress
import typing as t

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from moto.ec2.exceptions import EC2ClientError

KEY_SIZES = (1024, 2048)
PORTS = (443, 1194)
HOURS = (8, 10, 12, 24)
LONGEST_BANNER = 1400
LONGEST_DESCRIPTION = 255
CRL_ENTRIES = 20_000


def refuse(code: str, message: str) -> t.NoReturn:
    raise EC2ClientError(code, message)


def invalid(message: str) -> t.NoReturn:
    refuse("InvalidParameterValue", message)


def missing(parameter: str) -> t.NoReturn:
    refuse("MissingParameter", f"The request must contain the parameter {parameter}")


def network(text: str, parameter: str) -> ipaddress.IPv4Network:
    """The IPv4 network of a parameter, without host bits."""
    try:
        return ipaddress.IPv4Network(text)
    except ValueError:
        invalid(f"Value ({text}) for parameter {parameter} is invalid. This is not a valid CIDR block.")


def options(wanted: dict[str, t.Any]) -> None:
    """Check members that CreateClientVpnEndpoint and ModifyClientVpnEndpoint share."""
    if wanted.get("VpnPort", 443) not in PORTS:
        invalid(f"Value ({wanted['VpnPort']}) for parameter VpnPort is invalid. Valid ports are 443 and 1194.")
    if wanted.get("SessionTimeoutHours", 24) not in HOURS:
        invalid(f"Value ({wanted['SessionTimeoutHours']}) for parameter SessionTimeoutHours is invalid.")
    if len(wanted.get("Description", "")) > LONGEST_DESCRIPTION:
        invalid("The description is longer than 255 characters.")
    banner = wanted.get("ClientLoginBannerOptions", {})
    if banner.get("Enabled") and not 0 < len(banner.get("BannerText", "")) <= LONGEST_BANNER:
        invalid("An enabled login banner needs a text of 1 to 1400 characters.")
    log = wanted.get("ConnectionLogOptions", {})
    if log.get("Enabled") and not log.get("CloudwatchLogGroup"):
        missing("CloudwatchLogGroup")
    if wanted.get("TransitGatewayConfiguration") or wanted.get("DevicePostureOptions"):
        raise NotImplementedError("transit gateways and device posture are not simulated")


def dns_servers(servers: list[str]) -> None:
    if len(servers) > 2:
        invalid("A Client VPN endpoint can have up to two DNS servers.")
    for server in servers:
        try:
            ipaddress.ip_address(server)
        except ValueError:
            invalid(f"Value ({server}) for parameter DnsServers is invalid.")


def client_cidr(text: str | None) -> None:
    if not text:
        missing("ClientCidrBlock")
    size = network(text, "ClientCidrBlock").prefixlen
    if not 12 <= size <= 22:
        invalid(f"Client CIDR block {text} must have a size of at least /22 and must not be greater than /12.")


def authentication(ways: list[dict[str, t.Any]]) -> None:
    """Check for one type of authentication, or certificates together with another type."""
    needed = {
        "certificate-authentication": ("MutualAuthentication", "ClientRootCertificateChainArn"),
        "directory-service-authentication": ("ActiveDirectory", "DirectoryId"),
        "federated-authentication": ("FederatedAuthentication", "SAMLProviderArn"),
    }
    kinds = [way.get("Type") for way in ways]
    together = len(kinds) == 2 and len(set(kinds)) == 2 and "certificate-authentication" in kinds
    if len(kinds) != 1 and not together:
        invalid(f"The authentication types {', '.join(map(str, kinds))} cannot be combined.")
    for way in ways:
        structure, member = needed.get(way.get("Type"), ("", ""))
        if not way.get(structure, {}).get(member):
            missing(member or "Type")


def server_certificate(arn: str, pem: bytes) -> None:
    """Check the rules of AWS: RSA of 1024 or 2048 bits, and a domain name as common name or subject alternative name."""
    certificate = x509.load_pem_x509_certificate(pem)
    key = certificate.public_key()
    if not isinstance(key, RSAPublicKey) or key.key_size not in KEY_SIZES:
        invalid(f"Certificate {arn} has an unsupported key; only RSA keys of 1024 and 2048 bits are supported")
    if not any("." in name for name in names(certificate)):
        invalid(f"Certificate {arn} does not have a domain")


def names(certificate: x509.Certificate) -> list[str]:
    """The common name and the alternative DNS names."""
    found = [str(one.value) for one in certificate.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)]
    try:
        alternative = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return found
    return found + alternative.get_values_for_type(x509.DNSName)


def revocation_list(pem: str, issuers: list[x509.Certificate]) -> None:
    """Check that a client authority signed the list, and that it is not too long."""
    try:
        found = x509.load_pem_x509_crl(pem.encode())
    except ValueError:
        invalid("The certificate revocation list is not PEM-encoded or is not valid.")
    if len(found) > CRL_ENTRIES:
        refuse("ClientVpnCertificateRevocationListLimitExceeded", f"More than {CRL_ENTRIES} entries")
    if not any(found.is_signature_valid(issuer.public_key()) for issuer in issuers):  # type: ignore[arg-type]
        invalid("The certificate revocation list is not signed by the client root certificate.")
