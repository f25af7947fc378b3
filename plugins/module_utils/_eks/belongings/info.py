# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lists the resources of a cluster. No service is optional: a failed call fails the module, because a plan needs all resources."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.client import Api
from ..._core.failure import refuse_option
from ..._kubernetes.eks import cluster_name
from ..common import arn_of
from . import ec2, eks, fsx, hyperpod, iam, load_balancers, logs, network
from .blockers import blockers
from .model import Owner, in_order


def info(service: t.Callable[[str], Api], params: t.Mapping[str, t.Any], region: str | None) -> dict[str, t.Any]:
    """
    :param service: returns the client of a service.
    :raises Refused: for an invalid name, and for a cluster of another Region or account.
    """
    name, of_ec2 = cluster_name(params["eks_cluster"], region), service("ec2")
    caller = service("sts").call("GetCallerIdentity", about="the caller")
    owner = Owner(name, arn_of(name, caller["Account"], of_ec2), caller["Account"])
    _check_account(owner, params["eks_cluster"])
    file_systems = fsx.read(service("fsx"), of_ec2, owner)
    resources = in_order(
        (
            *eks.read(service("eks"), owner),
            *iam.read(service("iam"), owner),
            *ec2.read(of_ec2, owner),
            *file_systems.resources,
            *logs.read(service("logs"), owner),
            *load_balancers.read(service("resourcegroupstaggingapi"), owner),
        )
    )
    around = network.read(of_ec2, owner, resources)
    goes = any(each.kind == "eks_cluster" and each.ours for each in resources)
    on_cluster = hyperpod.read(service("sagemaker"), owner) if goes else []
    return {
        "eks_cluster_arn": owner.arn,
        "account": owner.account,
        "caller_arn": caller["Arn"],
        "resources": [each.to_result() for each in resources],
        "blockers": [dataclasses.asdict(each) for each in blockers(owner, resources, around, file_systems.others, on_cluster)],
    }


def _check_account(owner: Owner, given: str) -> None:
    if given.startswith("arn:") and given != owner.arn:
        refuse_option("eks_cluster", given, f"an EKS cluster of account {owner.account}", "it is in another account")
