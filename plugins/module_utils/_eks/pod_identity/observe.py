# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads pod identity associations."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..common import NOT_FOUND, found
from .model import Association, Desired, State


class Observer:
    def __init__(self, eks: Api, desired: Desired) -> None:
        self.eks = eks
        self.desired = desired

    def __call__(self) -> State:
        """The association. With ``state=absent``, a cluster that does not exist has none. Otherwise the error is raised."""
        try:
            return State(self.look())
        except AwsError as error:
            if self.desired.present or error.code != NOT_FOUND:
                raise
            return State()

    def look(self) -> Association | None:
        desired = self.desired
        listed = listing(self.eks, desired.cluster, namespace=desired.namespace, serviceAccount=desired.account)
        return next(iter(listed), None)


def listing(eks: Api, cluster: str, **wanted: str) -> t.Iterator[Association]:
    """The associations of a cluster.

    :param wanted: the namespace and the service account, to list only their associations.
    :raises AwsError: also if the cluster does not exist.
    """
    about = f"pod identity associations of EKS cluster {cluster}"
    for each in eks.pages("ListPodIdentityAssociations", "associations", about=about, clusterName=cluster, **wanted):
        about = f"pod identity association {each['namespace']}/{each['serviceAccount']} of EKS cluster {cluster}"
        named = {"clusterName": cluster, "associationId": each["associationId"]}
        answer = found(eks, "DescribePodIdentityAssociation", about=about, **named)
        if answer is not None:
            yield Association.from_api(answer["association"])
