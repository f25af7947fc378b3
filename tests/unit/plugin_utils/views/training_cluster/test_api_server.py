# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Kubernetes API in check mode."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import api_server

from .given import CALLER, cluster, resource, variables

ME = f"arn:aws:iam::111111111111:role/{CALLER}"
ADMIN_POLICY = {"policy": "AmazonEKSClusterAdminPolicy", "namespaces": []}


def entry(*policies: dict[str, t.Any]) -> dict[str, t.Any]:
    return {**resource("eks_access_entry", CALLER, access_policies=list(policies)), "id": ME}


def made(*options: str) -> dict[str, t.Any]:
    return {"__training_cluster_made_cluster": {"changes": [{"field": each} for each in options]}}


@pytest.mark.parametrize(
    ("there", "changes", "check", "opens_later"),
    [
        (entry(ADMIN_POLICY), made("logging"), True, False),
        (entry(ADMIN_POLICY), made("public_access_cidrs"), True, True),
        (entry(ADMIN_POLICY), made("public_access_cidrs"), False, False),
        (entry(), made(), True, True),
        (None, made(), True, True),
        (None, made(), False, False),
    ],
)
def test_errors_are_tolerated_only_before_a_change_of_the_access(
    there: dict[str, t.Any] | None, changes: dict[str, t.Any], check: bool, opens_later: bool
) -> None:
    given = variables(cluster(), *([there] if there else []), check=check, admins=[ME], **changes)
    assert api_server.api_server(given).opens_later is opens_later


def test_an_entry_of_somebody_else_does_not_matter() -> None:
    other = "arn:aws:iam::111111111111:role/other"
    given = variables(cluster(), entry(ADMIN_POLICY), check=True, admins=[ME, other])
    assert api_server.api_server(given).opens_later is False


def test_objects_that_could_not_be_read_are_reported() -> None:
    assert api_server.api_server(variables(cluster(), __training_cluster_made_plugins={"failed": False})).unread == []
    failed = {"failed": True, "msg": "The API server refused the token."}
    more = {f"__training_cluster_{name}": failed for name in ("made_plugins", "made_objects", "drained_groups")}
    (found,) = api_server.api_server(variables(cluster(), **more)).unread
    assert (found["kind"], found["code"]) == ("note", "training-cluster-unforeseen")
    assert "did not compare device plugins, the volume and the claim, the nodes of groups to remove, because" in found["text"]
    assert "(The API server refused the token)" in found["text"]
