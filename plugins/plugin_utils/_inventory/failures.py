# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences about failed reads, with the next step."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.nearest import nearest, some_of

from .sources import Account

HINTS = {
    "NoRegionError": "no Region is set; set regions in the source, or region in the profile",
    "NoCredentialsError": "set profile in the source to a profile of your AWS configuration, or set credentials in the environment",
}
"""The next step, keyed by the name of botocore's exception."""


@dataclass(frozen=True)
class Failure:
    """A part of the source that could not be read. ``cluster`` is empty for a whole account or Region."""

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
    """Why a cluster was not found. ``there``: the clusters that the credentials can list in the searched Regions."""
    meant = nearest(name, there)
    return f"no such cluster exists{f'; did you mean {meant}?' if meant else '.'} The credentials can list: {some_of(there)}"


def of_another_account(name_or_arn: str, caller: str) -> str:
    """The reason if a cluster's ARN belongs to a different account from the caller's; otherwise empty."""
    arn = ClusterArn.parse(name_or_arn) if name_or_arn.startswith("arn:") else None
    if arn is None or caller in ("", arn.account):
        return ""
    return f"the ARN belongs to account {arn.account}, but the credentials belong to {caller}; use a profile of {arn.account}"


def without_client(error: Exception, profile: str | None, profiles: t.Collection[str]) -> str:
    """Why no client could be created, from botocore's message. ``profiles``: the profiles in the AWS configuration."""
    name = type(error).__name__
    if name == "ProfileNotFound" and profile is not None:
        meant = nearest(profile, profiles)
        return f"{error}{f'; did you mean {meant}?' if meant else ''} (profiles of the AWS configuration: {some_of(profiles)})"
    return HINTS.get(name, str(error))


def of_call(error: Exception) -> str:
    """Why a call failed, with the next step if the call never reached AWS."""
    hint = HINTS.get(type(getattr(error, "exception", None)).__name__)
    return f"{error}; {hint}" if hint else str(error)
