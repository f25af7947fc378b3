# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An EKS cluster: whether it has an API server, and advice for callers without access."""

from __future__ import annotations

import base64
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.eks import api_server

AUTHORITY = {"data": base64.b64encode(b"pem").decode()}


def cluster(**more: t.Any) -> dict[str, t.Any]:
    return {"name": "pods", "status": "ACTIVE", "endpoint": "https://x", "certificateAuthority": AUTHORITY, **more}


def test_the_endpoint_and_its_authority_are_read() -> None:
    found = api_server(cluster())
    assert (found.host, found.authority) == ("https://x", b"pem")


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"status": "CREATING", "endpoint": None, "certificateAuthority": None}, "CREATING"),
        ({"status": "CREATING", "certificateAuthority": {}}, "CREATING"),
        ({"status": "FAILED", "endpoint": ""}, "FAILED"),
        ({"status": None, "endpoint": None}, "unknown"),
    ],
)
def test_a_cluster_without_an_api_server_is_reported_with_its_status(more: dict[str, t.Any], status: str) -> None:
    answer = {name: value for name, value in cluster(**more).items() if value is not None}
    with pytest.raises(Failure, match=f"^EKS cluster pods has no API server; the cluster's status is {status}. If the status is CREATING"):
        api_server(answer)


@pytest.mark.parametrize("mode", ["API", "API_AND_CONFIG_MAP", None])
def test_unknown_callers_are_advised_to_create_an_access_entry(mode: str | None) -> None:
    login = api_server(cluster(accessConfig={"authenticationMode": mode})).login
    assert "requires an access entry for the caller. Run aws eks create-access-entry --cluster-name pods" in login


def test_the_advice_follows_the_authentication_mode() -> None:
    login = api_server(cluster(accessConfig={"authenticationMode": "CONFIG_MAP"})).login
    assert "by ConfigMap aws-auth only (authenticationMode CONFIG_MAP)" in login and "requires an access entry" not in login
    assert login.index("mapRoles of aws-auth") < login.index("update-cluster-config --name pods") < login.index("create-access-entry")
