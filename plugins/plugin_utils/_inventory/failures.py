# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences about failed reads, with the next step; pure."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.nearest import nearest, some_of

from .sources import Account

HINTS = {
    "NoRegionError": "no region is set; set regions in the source, or region in the profile",
    "NoCredentialsError": (
        "name a profile of your AWS configuration (profile in the source), or give credentials in the environment"
    ),
}
"""By botocore's exception."""


@dataclass(frozen=True)
class Failure:
    """A part of the source that was not read. ``cluster`` is empty for a whole account or region."""

    account: Account
    region: str | None
    cluster: str
    reason: str

    @property
    def sentence(self) -> str:
        named = f", cluster {self.cluster}" if self.cluster else ""
        return f"{place(self.account, self.region)}{named}: {self.reason}"


def place(account: Account, region: str | None) -> str:
    return f"{account.credentials}, region{'s' if region and ',' in region else ''} {region or 'of the profile'}"


def no_such_cluster(name: str, there: t.Collection[str]) -> str:
    """``there``: the clusters that the credentials can list in the searched regions."""
    meant = nearest(name, there)
    return f"there is no such cluster{f'; did you mean {meant}?' if meant else ';'} There {_are(there)}"


def of_another_account(name_or_arn: str, caller: str) -> str:
    """Empty, unless a cluster's ARN belongs to another account than the caller's."""
    arn = ClusterArn.parse(name_or_arn) if name_or_arn.startswith("arn:") else None
    if arn is None or caller in ("", arn.account):
        return ""
    return f"the ARN is of account {arn.account}, and the credentials are of account {caller}; choose the profile of that account"


def without_client(error: Exception, profile: str | None, profiles: t.Collection[str]) -> str:
    """Why there is no client, from botocore's message; ``profiles`` are those of the AWS configuration."""
    name = type(error).__name__
    if name == "ProfileNotFound" and profile is not None:
        meant = nearest(profile, profiles)
        return f"{error}{f'; did you mean {meant}?' if meant else ''} (profiles of the AWS configuration: {some_of(profiles)})"
    return HINTS.get(name, str(error))


def of_call(error: Exception) -> str:
    """Why a call failed, with the next step if it never reached AWS."""
    hint = HINTS.get(type(getattr(error, "exception", None)).__name__)
    return f"{error}; {hint}" if hint else str(error)


def _are(there: t.Collection[str]) -> str:
    return f"{'is' if len(there) == 1 else 'are'} {some_of(there)}"
