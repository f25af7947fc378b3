# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of add-ons."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import Desired, Identity
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.options import desired

ROLE = "arn:aws:iam::111111111111:role/cni"
PARAMS: dict[str, t.Any] = {
    "eks_cluster": "pods",
    "name": "vpc-cni",
    "state": "present",
    "version": "default",
    "upgrade": False,
    "configuration": None,
    "service_account_role_arn": None,
    "pod_identity_associations": None,
    "namespace": None,
    "resolve_conflicts": "NONE",
    "preserve": False,
    "wait_for": "active",
    "tags": None,
    "purge_tags": True,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given}, "us-west-2")


def identity(account: str = "node", role: str = ROLE) -> dict[str, str]:
    return {"service_account": account, "role_arn": role}


def test_omitted_options_are_left_alone() -> None:
    assert wanted() == Desired("pods", "vpc-cni")


def test_all_options_are_read() -> None:
    found = wanted(
        state="absent",
        version="v1.6.1-eksbuild.1",
        upgrade=True,
        configuration="a: 1",
        service_account_role_arn=ROLE,
        pod_identity_associations=[identity("node"), identity("controller")],
        namespace="kube-system",
        resolve_conflicts="PRESERVE",
        preserve=True,
        wait_for="installed",
        tags={"a": "b"},
        purge_tags=False,
    )
    assert found == Desired(
        cluster="pods",
        name="vpc-cni",
        present=False,
        version="v1.6.1-eksbuild.1",
        upgrade=True,
        configuration={"a": 1},
        role=ROLE,
        identities=(Identity("controller", ROLE), Identity("node", ROLE)),
        namespace="kube-system",
        resolve_conflicts="PRESERVE",
        preserve=True,
        tags={"a": "b"},
        purge_tags=False,
        wait_for="installed",
    )


@pytest.mark.parametrize("given", [{"a": 1}, '{"a": 1}', "a: 1"])
def test_configurations_are_parsed(given: t.Any) -> None:
    assert wanted(configuration=given).configuration == {"a": 1}


def test_empty_values_are_applied() -> None:
    found = wanted(configuration={}, service_account_role_arn="", pod_identity_associations=[], version="latest")
    assert (found.configuration, found.role, found.identities, found.version) == ({}, "", (), "latest")


REFUSED = [
    ({"name": "-a"}, "name", "the name of an add-on"),
    ({"name": "a" * 101}, "name", "the name of an add-on"),
    ({"version": "1.6.1"}, "version", "default, latest, or a version such as"),
    ({"version": "newest"}, "version", "default, latest, or a version such as"),
    ({"namespace": "A"}, "namespace", "the name of a Kubernetes namespace"),
    ({"service_account_role_arn": "cni"}, "service_account_role_arn", "the ARN of an IAM role"),
    ({"pod_identity_associations": [identity("A")]}, "pod_identity_associations.service_account", "the name of a Kubernetes service account"),
    ({"pod_identity_associations": [identity(role="cni")]}, "pod_identity_associations.role_arn", "the ARN of an IAM role"),
    ({"pod_identity_associations": [identity(), identity()]}, "pod_identity_associations.service_account", "given more than once"),
    ({"configuration": "a: [1"}, "configuration", "a mapping, or a mapping as JSON or YAML text"),
    ({"configuration": "text"}, "configuration", "a mapping, or a mapping as JSON or YAML text"),
    ({"configuration": [1]}, "configuration", "a mapping, or a mapping as JSON or YAML text"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
