# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways by which the holder of policies becomes an administrator through at most two roles, found with the evaluator.

A way to a role is to create it, to replace its trust policy, to assume it, or to pass it to a service that runs code of the holder.
A role gives more rights if it is an administrator, or if the holder may write policies into it that no boundary of ours limits. The
second role is one that the boundary itself allows.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, replace

from .asked import Permission
from .policy import Statement, allows, many

ACCOUNT = "111111111111"
BOUNDARY = f"arn:aws:iam::{ACCOUNT}:policy/mlfleet-hyperpod-boundary"
OTHER_BOUNDARY = f"arn:aws:iam::{ACCOUNT}:policy/others"
ROLES = 2
"""Maximum number of roles of a way."""
HOLDER, SAGEMAKER, HYPERPOD, PODS = "holder", "sagemaker.amazonaws.com", "hyperpod.sagemaker.amazonaws.com", "pods.eks.amazonaws.com"
EC2, EKS = "ec2.amazonaws.com", "eks.amazonaws.com"
SERVICES = (SAGEMAKER, HYPERPOD, PODS, EC2, "lambda.amazonaws.com", EKS)
WRITES: tuple[tuple[str, dict[str, str]], ...] = (
    ("PutRolePolicy", {}),
    ("AttachRolePolicy", {"iam:PolicyARN": "arn:aws:iam::aws:policy/AdministratorAccess"}),
)
OF_USERS_AND_POLICIES = {
    "user/administrator": ("AttachUserPolicy", "CreateAccessKey", "CreateLoginProfile", "PutUserPolicy", "UpdateLoginProfile"),
    "group/administrators": ("AddUserToGroup", "AttachGroupPolicy", "PutGroupPolicy"),
    "policy/mlfleet-hyperpod-boundary": ("CreatePolicyVersion", "DeletePolicy", "SetDefaultPolicyVersion"),
    "policy/hyperpod-login-access": ("CreatePolicyVersion", "SetDefaultPolicyVersion"),
}


@dataclass(frozen=True)
class Role:
    name: str
    trusts: tuple[str, ...]
    boundary: str | None = None
    of_an_administrator: bool = False

    @property
    def arn(self) -> str:
        return f"arn:aws:iam::{ACCOUNT}:role/{self.name}"


THERE = (
    Role("Administrator", ("people",), of_an_administrator=True),
    Role("hyperpod-administrator", (SAGEMAKER, HYPERPOD, PODS), of_an_administrator=True),
    Role("hyperpod-eks-administrator", (EKS, EC2, PODS), of_an_administrator=True),
    Role("hyperpod-login-access", (HOLDER,)),
    Role("mlfleet-login-access", (HOLDER,)),
    Role("hyperpod-nodes-before", (SAGEMAKER,)),
    Role("hyperpod-nodes", (SAGEMAKER,), BOUNDARY),
    Role("hyperpod-karpenter-before", (HYPERPOD,)),
    Role("hyperpod-karpenter-abc123def456", (HYPERPOD,), BOUNDARY),
    Role("hyperpod-pods-research", (PODS,)),
    Role("hyperpod-eks/before-nodes", (EC2,)),
    Role("hyperpod-eks/ml-us-west-2-cluster", (EKS,), BOUNDARY),
    Role("hyperpod-eks/ml-us-west-2-nodes", (EC2,), BOUNDARY),
    Role("hyperpod-eks/ml-us-west-2-vpc-cni", (PODS,), BOUNDARY),
)
"""Roles of an account. The holder has one of the two that the documentation names; ``...before...`` have no boundary."""


@dataclass(frozen=True)
class Holder:
    statements: tuple[Statement, ...]

    def may(self, action: str, resource: str, context: t.Mapping[str, str] | None = None) -> bool:
        return allows(self.statements, Permission(action, resource, context or {}))

    def on(self, action: str, role: Role, context: t.Mapping[str, str] | None = None) -> bool:
        bounded = {"iam:PermissionsBoundary": role.boundary} if role.boundary else {}
        return self.may(f"iam:{action}", role.arn, {**bounded, **(context or {})})


def ways(statements: t.Iterable[Statement], boundary: t.Iterable[Statement], *, roles: int = ROLES) -> list[str]:
    """The ways as sentences; none if the holder stays within the statements and the boundary.

    :param boundary: statements of ``BOUNDARY``.
    """
    holder, limit = Holder(tuple(statements)), tuple(boundary)
    found = [
        f"iam:{action} on {path}"
        for path, actions in OF_USERS_AND_POLICIES.items()
        for action in actions
        if holder.may(f"iam:{action}", f"arn:aws:iam::{ACCOUNT}:{path}")
    ]
    for how, role in _reached(holder):
        if role.of_an_administrator:
            found.append(f"{how}: {role.name} is an administrator's")
        for written in _writable(holder, role):
            if written.boundary != BOUNDARY:
                found.append(f"{how}: {role.name} takes any policy")
            elif roles > 1:
                found += [f"{how}: {role.name}, then {way}" for way in ways(limit, limit, roles=roles - 1)]
    return sorted(set(found))


def _reached(holder: Holder) -> t.Iterator[tuple[str, Role]]:
    for role in THERE:
        if HOLDER in role.trusts:
            yield "is", role
        if holder.may("sts:AssumeRole", role.arn):
            yield "assumes", role
        if holder.on("UpdateAssumeRolePolicy", role):
            yield "replaces the trust policy of", role
        for service in SERVICES:
            if service in role.trusts and holder.on("PassRole", role, {"iam:PassedToService": service}):
                yield f"passes to {service}", role
    for name in sorted(_names(holder)):
        for boundary in (None, BOUNDARY, OTHER_BOUNDARY):
            made = Role(name, (HOLDER,), boundary)
            if holder.on("CreateRole", made):
                yield "creates", made


def _names(holder: Holder) -> set[str]:
    """Names of roles that the statements allow to create, from their patterns."""
    patterns = [many(each["Resource"]) for each in holder.statements if "Resource" in each]
    return {"new", *(pattern.rpartition(":role/")[2].replace("*", "new") for each in patterns for pattern in each if ":role/" in pattern)}


def _writable(holder: Holder, role: Role) -> set[Role]:
    """The role with each boundary that it can have after the holder has written a policy into it."""
    writable = [each for each in _bounded(holder, role) if any(holder.on(write, each, context) for write, context in WRITES)]
    return {bounded for each in writable for bounded in _bounded(holder, each)}


def _bounded(holder: Holder, role: Role) -> set[Role]:
    """The role with its boundary, and with all boundaries that the holder may set in one or more steps."""
    found, left = {role}, [role]
    while left:
        each = left.pop()
        given = [replace(each, boundary=boundary) for boundary in (BOUNDARY, OTHER_BOUNDARY)]
        nexts = {bounded for bounded in given if holder.on("PutRolePermissionsBoundary", bounded)}
        if each.boundary and holder.on("DeleteRolePermissionsBoundary", each):
            nexts.add(replace(each, boundary=None))
        left += nexts - found
        found |= nexts
    return found
