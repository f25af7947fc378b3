# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads access entries with their policies."""

from __future__ import annotations

from ..._aws.client import Api
from ..._kubernetes.eks import describe
from ..common import found
from .model import Desired, Entry, State


class Observer:
    def __init__(self, eks: Api, desired: Desired) -> None:
        self.eks = eks
        self.desired = desired

    def __call__(self) -> State:
        """The entry, or the authentication mode of the cluster if the entry must be created.

        :raises AwsError: in the second case, also if the cluster does not exist.
        """
        entry = self.look()
        if entry is not None or not self.desired.present:
            return State(entry)
        access = describe(self.eks, self.desired.cluster).get("accessConfig") or {}
        return State(mode=access.get("authenticationMode", ""))

    def look(self) -> Entry | None:
        return look(self.eks, self.desired.cluster, self.desired.principal)


def look(eks: Api, cluster: str, principal: str) -> Entry | None:
    about = f"access entry {principal} of EKS cluster {cluster}"
    named = {"clusterName": cluster, "principalArn": principal}
    answer = found(eks, "DescribeAccessEntry", about=about, **named)
    if answer is None:
        return None
    associated = eks.pages("ListAssociatedAccessPolicies", "associatedAccessPolicies", about=about, **named)
    return Entry.from_api(answer["accessEntry"], associated)
