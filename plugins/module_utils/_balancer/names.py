# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Names of load balancers and target groups, and the names that those of one cluster have."""

from __future__ import annotations

import hashlib
import re

from .._core.failure import refuse_option

_NAME = re.compile(r"(?!internal-)[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?")
_KEY_LENGTH = 16


def balancer_name(key: str, arn: str) -> str:
    """Name of the load balancer and of the target group of one cluster, at most 28 of the 32 characters allowed.

    The hash keeps two clusters apart whose keys begin alike, and the same key in two accounts.
    """
    return "hp-" + _suffix(key, arn)


def security_group_name(key: str, arn: str) -> str:
    """Name of the security group of the load balancer of one cluster."""
    return "mlfleet-hyperpod-" + _suffix(key, arn)


def check_name(option: str, name: str) -> str:
    """The name of a load balancer or target group."""
    if not _NAME.fullmatch(name):
        refuse_option(
            option,
            name,
            "1 to 32 letters, digits and hyphens, with no hyphen at either end and not beginning with internal-",
        )
    return name


def check_reference(option: str, name_or_arn: str) -> str:
    return name_or_arn if name_or_arn.startswith("arn:") else check_name(option, name_or_arn)


def _suffix(key: str, arn: str) -> str:
    """``<key>-<hash>`` with what a load balancer's name may hold."""
    readable = re.sub(r"[^A-Za-z0-9-]", "-", key)[:_KEY_LENGTH].strip("-")
    digest = hashlib.sha256(arn.encode()).hexdigest()[:8]
    return "-".join(part for part in (readable, digest) if part)
