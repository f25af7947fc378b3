# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The access review of Kubernetes, and invalid options."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.permissions import Permission, Subject, ask, desired

NONE = {"api_group": None, "subresource": None, "namespace": None}
FULL = {"verb": "get", "resource": "pods", "api_group": "apps", "subresource": "log", "namespace": "a"}


class ApiServer:
    """Gives the same answer to each review."""

    def __init__(self, **status: t.Any) -> None:
        self.status = status
        self.created: list[tuple[str, t.Any]] = []

    def create(self, path: str, body: t.Any) -> t.Any:
        self.created.append((path, body))
        return {"status": self.status}


def wanted(**given: t.Any) -> t.Any:
    return desired({"user": "ann", "groups": ["a"], "permissions": [{"verb": "list", "resource": "nodes", **NONE}], **given})


def test_missing_fields_are_empty() -> None:
    assert wanted() == (Subject("ann", ("a",)), [Permission("list", "nodes", "", "", "")])
    assert wanted(permissions=[FULL])[1] == [Permission(**FULL)] and Permission("list", "nodes") == wanted()[1][0]


@pytest.mark.parametrize(
    ("status", "allowed", "reason"),
    [({"allowed": True, "reason": "a\x1b"}, True, "a?"), ({"allowed": False}, False, ""), ({}, False, "")],
)
def test_a_review_is_sent_and_returned(status: dict[str, t.Any], allowed: bool, reason: str) -> None:
    server = ApiServer(**status)
    assert ask(t.cast(t.Any, server), Subject("ann", ("a", "b")), Permission(**FULL)) == {**FULL, "allowed": allowed, "reason": reason}
    attributes = {"verb": "get", "resource": "pods", "group": "apps", "subresource": "log", "namespace": "a"}
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": "ann", "groups": ["a", "b"], "resourceAttributes": attributes},
    }
    assert server.created == [("/apis/authorization.k8s.io/v1/subjectaccessreviews", body)]


REFUSED = [
    ({"user": ""}, "user", "the user name in Kubernetes"),
    ({"permissions": []}, "permissions", "permissions: missing"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
