# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the CRL of an endpoint, and the connections to the endpoint."""

from __future__ import annotations

from ..._aws.client import Api
from ..connections import observe as connections
from ..pki.crypto import NotReadable, read_crl
from ..pki.values import Crl
from .model import Desired, State

EXPORT = "ExportClientVpnClientCertificateRevocationList"


def observe(ec2: Api, desired: Desired) -> State:
    """The observed state. Connections are read only if the CRL differs."""
    if not desired.endpoint:
        return State()
    crl = exported(ec2, desired)[0]
    same = crl is not None and desired.crl is not None and crl.content == desired.crl.content
    return State(crl, () if same else connections.observe(ec2, desired.endpoint).active)


def exported(ec2: Api, desired: Desired) -> tuple[Crl | None, str]:
    """The CRL of the endpoint, and its status."""
    answer = ec2.call(EXPORT, about=desired.resource, ClientVpnEndpointId=desired.endpoint)
    pem, status = answer.get("CertificateRevocationList") or "", answer.get("Status", {}).get("Code", "")
    try:
        return (read_crl(pem) if pem.strip() else None), status
    except NotReadable:
        return None, status
