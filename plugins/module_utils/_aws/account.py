# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks that the credentials belong to the intended account.

With credentials of the wrong account, a run would create resources there. So this check precedes every other call.
"""

from __future__ import annotations

import re

from .._core.arn import ClusterArn
from .._core.failure import Refused, refuse_option
from .client import Api


def check_account(sts: Api, expected: str, *, profile: str | None = None) -> str:
    """The caller's account, if it is the expected one. ``expected`` is the ARN of a cluster or the ID of an account.

    :raises Refused: if the accounts differ; the message names both accounts and the profile.
    """
    if expected.startswith("arn:"):
        wanted, subject = ClusterArn.parse(expected).account, f"cluster {expected} is in account"
    elif re.fullmatch(r"[0-9]{12}", expected):
        wanted, subject = expected, "the expected account is"
    else:
        refuse_option("expected_account", expected, "an account ID of 12 digits, or the ARN of a cluster")
    caller = sts.call("GetCallerIdentity", about="the caller")
    if caller["Account"] != wanted:
        source = f"profile {profile}" if profile else "the default credential chain"
        raise Refused(
            f"Credentials of {source} belong to account {caller['Account']}, but {subject} {wanted}. "
            f"Nothing was read or changed. Use a profile of account {wanted}."
        )
    return caller["Account"]


def check_region(arn: ClusterArn, region: str | None) -> None:
    """
    :raises Refused: if ``region`` is not the cluster's Region.
    """
    if region != arn.region:
        refuse_option("region", region, arn.region, f"cluster {arn.text} is in {arn.region}")
