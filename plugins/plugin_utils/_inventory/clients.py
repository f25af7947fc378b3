# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS clients for each profile and Region.

amazon.aws's base class for inventory plugins supports one set of credentials. An inventory source of this collection may name many
profiles.
"""

from __future__ import annotations

import typing as t

try:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
except ImportError:
    boto3 = None

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import COLLECTION_VERSION
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod

from .discovery import NoClient
from .failures import without_client


class Clients:
    """One session for each profile, and one client for each profile and Region."""

    def __init__(self, *, threads: int) -> None:
        if boto3 is None:
            raise Refused("The Python that runs Ansible has no boto3. Install boto3.")
        self._sessions: dict[str | None, t.Any] = {}
        self._config = Config(
            retries={"mode": "standard", "max_attempts": 10},
            max_pool_connections=threads * threads,
            user_agent_extra=f"mlfleet.hyperpod/{COLLECTION_VERSION}",
        )

    def connect(self, profile: str | None, region: str | None) -> HyperPod:
        """
        :raises NoClient: if the profile does not exist, or no Region is set.
        """
        try:
            if profile not in self._sessions:
                self._sessions[profile] = boto3.session.Session(profile_name=profile)
            return HyperPod(self._sessions[profile].client("sagemaker", region_name=region, config=self._config))
        except (BotoCoreError, ValueError) as error:
            raise NoClient(without_client(error, profile, boto3.session.Session().available_profiles)) from error

    def caller(self, profile: str | None, region: str | None) -> str:
        """The account of the credentials; empty if AWS does not return it."""
        try:
            client = self._sessions[profile].client("sts", region_name=region, config=self._config)
            return str(client.get_caller_identity()["Account"])
        except (BotoCoreError, ClientError):
            return ""
