# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired access entry from a module\'s options."""

from __future__ import annotations

import re
import typing as t

from ..._aws.tags import desired_tags
from ..._core.checks import check_unique
from ..._core.failure import refuse_option
from ..._kubernetes.eks import cluster_name
from .model import OF_NODES, Desired, Policy

PRINCIPAL = re.compile(r"arn:(aws[a-z-]*):iam::\d{12}:(?:role|user)/[\w+=,.@/-]+")
POLICY_ARN = re.compile(r"arn:aws[a-z-]*:eks::aws:cluster-access-policy/\w+")
POLICY_NAME = re.compile(r"\w+")
NAMESPACE = re.compile(r"[a-z0-9*]([a-z0-9*-]{0,61}[a-z0-9*])?")
"""The form of a namespace in the scope of a policy. In EKS, ``*`` matches any characters."""
RESERVED = ("system:", "eks:", "aws:", "amazon:", "iam:")
"""Prefixes that names of groups and users must not have. Source: EKS User Guide, creating-access-entries."""


def desired(params: t.Mapping[str, t.Any], region: str | None) -> Desired:
    """:raises Refused: for the first invalid option."""
    partition = check_principal(params["principal_arn"])
    groups, policies, username = params["kubernetes_groups"], params["access_policies"], params["username"]
    _check_names(groups, username)
    if params["type"] in OF_NODES:
        check_type(params["type"], params)
    return Desired(
        cluster=cluster_name(params["eks_cluster"], region),
        principal=params["principal_arn"],
        present=params["state"] == "present",
        type=params["type"],
        groups=None if groups is None else tuple(sorted(groups)),
        username=username,
        policies=None if policies is None else _policies(policies, partition),
        purge_policies=params["purge_policies"],
        tags=desired_tags(params["tags"], cluster_arn=None),
        purge_tags=params["purge_tags"],
    )


def check_type(kind: str, given: t.Mapping[str, t.Any]) -> None:
    """:raises Refused: for an option that entries for nodes do not support."""
    for option in ("kubernetes_groups", "username", "access_policies"):
        if given[option]:
            refuse_option(option, given[option], "no value", f"entries of type {kind} are for nodes and do not support this option")


def check_principal(principal: str) -> str:
    """Validate the ARN and return its AWS partition."""
    match = PRINCIPAL.fullmatch(principal)
    if match is None:
        allowed = "the ARN of an IAM role or user such as arn:aws:iam::111111111111:role/people"
        why = "it is the ARN of a session; use the ARN of the role" if ":assumed-role/" in principal else ""
        refuse_option("principal_arn", principal, allowed, why)
    return match[1]


def _check_names(groups: t.Sequence[str] | None, username: str | None) -> None:
    check_unique("kubernetes_groups", groups or ())
    for option, names in (("kubernetes_groups", groups or ()), ("username", () if username is None else (username,))):
        for name in names:
            if not name or name.startswith(RESERVED):
                refuse_option(option, name, f"a name that does not begin with {', '.join(RESERVED)}")


def _policies(given: t.Sequence[t.Mapping[str, t.Any]], partition: str) -> tuple[Policy, ...]:
    policies = [Policy(_policy(each["policy"], partition), _namespaces(each["namespaces"])) for each in given]
    check_unique("access_policies.policy", [each.arn for each in policies])
    return tuple(sorted(policies))


def _policy(name: str, partition: str) -> str:
    """The ARN of a policy, which is given by its name or ARN."""
    if POLICY_NAME.fullmatch(name):
        return f"arn:{partition}:eks::aws:cluster-access-policy/{name}"
    if not POLICY_ARN.fullmatch(name):
        refuse_option("access_policies.policy", name, "the ARN or the name of an EKS access policy, such as AmazonEKSViewPolicy")
    return name


def _namespaces(given: t.Sequence[str] | None) -> tuple[str, ...]:
    option = "access_policies.namespaces"
    if given is None:
        return ()
    if not given:
        refuse_option(option, given, "at least one namespace, or no namespaces option for the whole cluster")
    check_unique(option, given)
    for name in given:
        if not NAMESPACE.fullmatch(name):
            refuse_option(option, name, "the name of a namespace, in which * matches any characters")
    return tuple(sorted(given))
