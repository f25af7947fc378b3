# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired association from a module\'s options."""

from __future__ import annotations

import typing as t

from ..._aws.tags import desired_tags
from ..._core.failure import refuse_option
from ..._kubernetes.eks import cluster_name
from ..addon.options import check_account, check_namespace
from ..common import check_role
from .model import Desired, parsed


def desired(params: t.Mapping[str, t.Any], region: str | None) -> Desired:
    """:raises Refused: for the first invalid option."""
    roles = {name: params[name] for name in ("role_arn", "target_role_arn")}
    for option, value in roles.items():
        if value is not None:
            check_role(option, value)
    return Desired(
        cluster=cluster_name(params["eks_cluster"], region),
        namespace=check_namespace("namespace", params["namespace"]),
        account=check_account("service_account", params["service_account"]),
        present=params["state"] == "present",
        role=roles["role_arn"],
        target=roles["target_role_arn"],
        without_session_tags=params["disable_session_tags"],
        policy=_policy(params["policy"]),
        tags=desired_tags(params["tags"], cluster_arn=None),
        purge_tags=params["purge_tags"],
    )


def _policy(given: t.Any) -> t.Mapping[str, t.Any] | None:
    if given is None:
        return None
    policy = parsed(given) if isinstance(given, str) else given
    if not isinstance(policy, t.Mapping):
        refuse_option("policy", given, "an IAM policy, as a mapping or as JSON text")
    return policy
