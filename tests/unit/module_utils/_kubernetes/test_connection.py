# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From what EKS tells of a cluster to its API server."""

from __future__ import annotations

import base64
import typing as t
from pathlib import Path

import certifi
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import Kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import connect_eks

AUTHORITY = {"data": base64.b64encode(Path(certifi.where()).read_bytes()).decode()}


class Module:
    """What ``connect_eks`` uses of Ansible's module."""

    def __init__(self, tmpdir: Path, **clients: t.Any) -> None:
        self.tmpdir = str(tmpdir)
        self.clients = clients

    def client(self, service: str, **_config: t.Any) -> t.Any:
        return self.clients[service]


def connected(stubbed: t.Any, tmp_path: Path, **told: t.Any) -> Kubernetes:
    (eks, answers), (sts, _none) = stubbed("eks"), stubbed("sts")
    answers.add_response("describe_cluster", {"cluster": {"name": "pods", **told}}, {"name": "pods"})
    return connect_eks(Module(tmp_path, eks=eks, sts=sts), "pods")


def test_an_api_server_and_how_to_log_in_there(stubbed: t.Any, tmp_path: Path) -> None:
    access = {"authenticationMode": "CONFIG_MAP"}
    found = connected(stubbed, tmp_path, status="ACTIVE", endpoint="https://x.example", certificateAuthority=AUTHORITY, accessConfig=access)
    assert found.configuration.host == "https://x.example" and "ConfigMap aws-auth" in found.login
    assert found.configuration.api_key["authorization"].startswith("Bearer k8s-aws-v1.")


def test_a_cluster_that_is_being_made(stubbed: t.Any, tmp_path: Path) -> None:
    with pytest.raises(Failure, match="EKS cluster pods has no API server: its status is CREATING"):
        connected(stubbed, tmp_path, status="CREATING")
