# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Statuses of Client VPN endpoints and their parts in EC2."""

from __future__ import annotations

from .._aws.statuses import Statuses

WITHOUT_NETWORK, AVAILABLE, DELETED = "pending-associate", "available", "deleted"
ENDPOINT = Statuses(
    "ec2",
    "ClientVpnEndpointStatusCode",
    settled=(WITHOUT_NETWORK, AVAILABLE, DELETED),
    busy=("pending", "deleting"),
)
ASSOCIATED, ASSOCIATION_FAILED = "associated", "association-failed"
NETWORK = Statuses(
    "ec2",
    "AssociationStatusCode",
    settled=(ASSOCIATED, "disassociated"),
    busy=("associating", "disassociating"),
    failed=(ASSOCIATION_FAILED,),
)
ACTIVE = "active"
RULE = Statuses(
    "ec2",
    "ClientVpnAuthorizationRuleStatusCode",
    settled=(ACTIVE,),
    busy=("authorizing", "revoking"),
    failed=("failed",),
)
ROUTE = Statuses(
    "ec2", "ClientVpnRouteStatusCode", settled=(ACTIVE,), busy=("creating", "deleting"), failed=("failed",)
)
REVOCATION_LIST = Statuses("ec2", "ClientCertificateRevocationListStatusCode", settled=(ACTIVE,), busy=("pending",))
CONNECTION = Statuses(
    "ec2",
    "ClientVpnConnectionStatusCode",
    settled=(ACTIVE, "terminated"),
    busy=("terminating",),
    failed=("failed-to-terminate",),
)
CUT = ("terminating", "terminated")
"""A connection with any other status may still carry traffic."""
