# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The names of a cluster's load balancer, target group and security group, and the rules for such names."""

from __future__ import annotations

import hashlib
import re

from .._core.failure import refuse_option

_NAME = re.compile(r"(?!internal-)[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?")
_KEY_LENGTH = 16


def balancer_name(key: str, arn: str) -> str:
    """The name of a cluster's load balancer and target group, with at most 28 of the 32 allowed characters.

    The hash distinguishes clusters whose keys begin with the same characters, and clusters of two accounts with the same key.
    """
    return "hp-" + _suffix(key, arn)


def security_group_name(key: str, arn: str) -> str:
    """The name of the security group of a cluster's load balancer."""
    return "mlfleet-hyperpod-" + _suffix(key, arn)


def check_name(option: str, name: str) -> str:
    """The name, if it is valid for a load balancer and a target group."""
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
    """``<key>-<hash>`` in characters that the name of a load balancer may contain."""
    readable = re.sub(r"[^A-Za-z0-9-]", "-", key)[:_KEY_LENGTH].strip("-")
    digest = hashlib.sha256(arn.encode()).hexdigest()[:8]
    return "-".join(part for part in (readable, digest) if part)
