# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A user's permissions. The API server decides them, because only the API server has all authorization rules."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .._core.failure import Refused, refuse_option
from .._core.text import printable
from .client import Kubernetes

_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


@dataclass(frozen=True)
class Permission:
    """A permission to check. Empty values mean the core group, no subresource and all namespaces, as in SubjectAccessReview."""

    verb: str
    resource: str
    api_group: str = ""
    subresource: str = ""
    namespace: str = ""

    def attributes(self) -> dict[str, str]:
        return {
            "verb": self.verb,
            "resource": self.resource,
            "group": self.api_group,
            "subresource": self.subresource,
            "namespace": self.namespace,
        }


@dataclass(frozen=True)
class Subject:
    user: str
    groups: tuple[str, ...]


def desired(params: t.Mapping[str, t.Any]) -> tuple[Subject, list[Permission]]:
    """:raises Refused: for a missing user, and for an empty list of permissions."""
    if not params["user"]:
        refuse_option("user", params["user"], "the user name in Kubernetes")
    if not params["permissions"]:
        raise Refused("permissions: missing; list at least one permission to check.", option="permissions")
    asked = [Permission(**{name: value or "" for name, value in each.items()}) for each in params["permissions"]]
    return Subject(params["user"], tuple(params["groups"])), asked


def ask(kubernetes: Kubernetes, subject: Subject, permission: Permission) -> dict[str, t.Any]:
    """
    :raises KubernetesError: for example if the caller may not create reviews.
    """
    spec = {"user": subject.user, "groups": list(subject.groups), "resourceAttributes": permission.attributes()}
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
    status = kubernetes.create(_REVIEWS, body)["status"]
    asked = {name: getattr(permission, name) for name in ("verb", "resource", "api_group", "subresource", "namespace")}
    return {**asked, "allowed": bool(status.get("allowed")), "reason": printable(str(status.get("reason", "")))}
