# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From an EKS cluster's description to its API server."""

from __future__ import annotations

import base64
import typing as t
from pathlib import Path

import certifi
import kubernetes
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import connection
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import Kubernetes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.connection import connect_eks, connect_kubernetes

AUTHORITY = {"data": base64.b64encode(Path(certifi.where()).read_bytes()).decode()}


class Module:
    """The part of AnsibleModule that ``connect_eks`` uses."""

    def __init__(self, tmpdir: Path, **clients: t.Any) -> None:
        self.tmpdir = str(tmpdir)
        self.clients = clients
        self.params: dict[str, t.Any] = {}


@pytest.fixture(autouse=True)
def stubs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "connect", lambda module, service: Api(module.clients[service]))


def connected(stubbed: t.Any, tmp_path: Path, **described: t.Any) -> Kubernetes:
    (eks, answers), (sts, _none) = stubbed("eks"), stubbed("sts")
    answers.add_response("describe_cluster", {"cluster": {"name": "pods", **described}}, {"name": "pods"})
    return connect_eks(Module(tmp_path, eks=eks, sts=sts), "pods")


def test_a_connection_has_server_and_login(stubbed: t.Any, tmp_path: Path) -> None:
    access = {"authenticationMode": "CONFIG_MAP"}
    found = connected(stubbed, tmp_path, status="ACTIVE", endpoint="https://x.example", certificateAuthority=AUTHORITY, accessConfig=access)
    assert found.configuration.host == "https://x.example" and "ConfigMap aws-auth" in found.login
    assert found.configuration.api_key["authorization"].startswith("Bearer k8s-aws-v1.")


def test_a_cluster_in_creation_is_an_error(stubbed: t.Any, tmp_path: Path) -> None:
    with pytest.raises(Failure, match="EKS cluster pods has no API server; the cluster's status is CREATING"):
        connected(stubbed, tmp_path, status="CREATING")


def test_an_api_server_that_would_get_no_credentials_is_refused(
    stubbed: t.Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package release that expects the token under another key."""
    monkeypatch.setattr(kubernetes, "__version__", "99.1.0")
    monkeypatch.setattr(kubernetes.client.Configuration, "auth_settings", lambda _configuration: {})
    with pytest.raises(Failure, match="kubernetes 99.1.0 sends no Authorization header"):
        connected(stubbed, tmp_path, status="ACTIVE", endpoint="https://x.example", certificateAuthority=AUTHORITY)


@pytest.mark.parametrize("version", ["36.0.0", "36.0.1"])
def test_a_release_of_the_package_that_sends_no_credentials_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(kubernetes, "__version__", version)
    with pytest.raises(Failure, match=f"kubernetes {version} .*kubernetes-client/python issue 2582.*!=36.0.0"):
        connect_eks(Module(tmp_path), "pods")


KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: here, user: here}}]
clusters: [{name: here, cluster: {server: "https://x.example"}}]
users: [{name: here, user: USER}]
"""


@pytest.mark.parametrize(("user", "refused"), [("{token: secret}", True), ("{}", False)])
def test_a_kubeconfig_whose_token_would_not_be_sent_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user: str, refused: bool
) -> None:
    """A kubeconfig without a token may use a client certificate."""
    monkeypatch.setattr(kubernetes.client.Configuration, "auth_settings", lambda _configuration: {})
    file = tmp_path / "config"
    file.write_text(KUBECONFIG.replace("USER", user))
    module = Module(tmp_path)
    module.params = {"eks_cluster": None, "kubeconfig": str(file), "context": None}
    if refused:
        with pytest.raises(Failure, match="sends no Authorization header"):
            connect_kubernetes(module)
    else:
        assert connect_kubernetes(module).configuration.host == "https://x.example"
