# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kubeconfig that uses a credential program, loaded by the package that kubernetes.core uses."""

from __future__ import annotations

import base64
import sys
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import eks_token
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.eks_kubeconfig import kubeconfig
from kubernetes import client, config

CLUSTER = {"name": "pods", "endpoint": "https://ABC.gr7.us-west-2.eks.amazonaws.com", "certificate_authority": base64.b64encode(b"PEM").decode()}
WHERE: dict[str, t.Any] = {"cluster": CLUSTER, "region": "us-west-2", "python": sys.executable}


def program(made: dict[str, t.Any]) -> dict[str, t.Any]:
    ((user,),) = [made["users"]]
    return dict(user["user"]["exec"])


def test_the_user_of_the_kubeconfig_is_the_program() -> None:
    made = program(kubeconfig(**WHERE, profile="ops", state_dir="~/.mlfleet"))
    (path, *arguments) = made["args"]
    assert made["command"] == sys.executable and Path(path) == Path(eks_token.__file__).absolute()
    options = eks_token.parse(arguments)
    assert vars(options) == {"cluster": "pods", "region": "us-west-2", "profile": "ops", "state_dir": str(Path("~/.mlfleet").expanduser())}
    assert eks_token.parse(program(kubeconfig(**WHERE, profile="", state_dir="/x"))["args"][1:]).profile is None


def test_the_package_logs_in_with_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "not-a-secret")
    made = kubeconfig(**WHERE, profile="", state_dir=str(tmp_path))
    read = client.Configuration()
    t.cast(t.Any, config).load_kube_config_from_dict(made, client_configuration=read)
    assert read.host == CLUSTER["endpoint"] and Path(str(read.ssl_ca_cert)).read_bytes() == b"PEM"
    assert str(read.auth_settings()["BearerToken"]["value"]).startswith("Bearer k8s-aws-v1.")
    assert len(list((tmp_path / "eks-tokens").iterdir())) == 1
