# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Shared by the modules for EKS: the cluster's ARN, errors, roles, and steps whose reply was lost."""

from __future__ import annotations

import re
import typing as t

from .._aws.client import Api, AwsError
from .._aws.statuses import Statuses
from .._core.failure import LostRace, refuse_option
from .._core.plan import Step

Answer = t.Mapping[str, t.Any]
NOT_FOUND = "ResourceNotFoundException"
IN_USE = "ResourceInUseException"
"""The error code if the object already exists, or while EKS is changing it."""
UPDATE = Statuses("eks", "UpdateStatus", settled=("Successful",), busy=("InProgress",), failed=("Failed", "Cancelled"))
"""The statuses of an update of a cluster, a node group or an add-on."""
TAG_OPTIONS: dict[str, t.Any] = {
    "tags": {"type": "dict", "aliases": ["resource_tags"]},
    "purge_tags": {"type": "bool", "default": True},
}
"""For ``argument_spec``."""
_ROLE = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+")


def found(eks: Api, operation: str, *, about: str, **arguments: t.Any) -> Answer | None:
    """The answer; None if the object or its cluster does not exist."""
    try:
        return eks.call(operation, about=about, **arguments)
    except AwsError as error:
        if error.code == NOT_FOUND:
            return None
        raise


def arn_of(name: str, account: str, api: Api) -> str:
    """The ARN of an EKS cluster, which is known before the cluster exists. ``api`` is a client in its Region."""
    meta = api.client.meta
    return f"arn:{meta.partition}:eks:{meta.region_name}:{account}:cluster/{name}"


def check_role(option: str, value: str) -> str:
    if not _ROLE.fullmatch(value):
        refuse_option(option, value, "the ARN of an IAM role such as arn:aws:iam::111111111111:role/hyperpod-pods")
    return value


class Applier:
    """Applies steps that EKS completes immediately.

    :param made: checks whether the object of a create step exists as desired, because the reply to our own call can get lost.
    """

    def __init__(self, eks: Api, about: str, *, made: t.Callable[[], bool]) -> None:
        self.eks = eks
        self.about = about
        self.made = made

    def __call__(self, step: Step) -> None:
        try:
            self.eks.call(step.operation, about=self.about, **step.arguments)
        except AwsError as error:
            if step.operation.startswith(("Delete", "Disassociate")) and error.code == NOT_FOUND:
                return
            if not step.operation.startswith("Create") or error.code != IN_USE:
                raise
            if not self.made():
                raise LostRace from None
