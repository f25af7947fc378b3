# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of an EKS cluster's settings: reading, comparison, requests, and its agreement with EKS's model."""

from __future__ import annotations

import typing as t

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import knows
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster import fields

ANSWER = {
    "roleArn": "role",
    "resourcesVpcConfig": {
        "subnetIds": ["subnet-2", "subnet-1"],
        "securityGroupIds": ["sg-1"],
        "endpointPublicAccess": True,
        "endpointPrivateAccess": False,
        "publicAccessCidrs": ["203.0.113.0/24"],
    },
    "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
    "logging": {"clusterLogging": [{"types": ["scheduler", "api"], "enabled": True}, {"types": ["audit"], "enabled": False}, {}]},
    "encryptionConfig": [{"resources": ["secrets"], "provider": {"keyArn": "key"}}],
    "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False},
    "upgradePolicy": {"supportType": "STANDARD"},
    "deletionProtection": True,
}
VALUES = {
    "role_arn": "role",
    "service_ipv4_cidr": "172.20.0.0/16",
    "bootstrap_creator_admin": False,
    "bootstrap_self_managed_addons": None,
    "authentication_mode": "API",
    "support_type": "STANDARD",
    "subnet_ids": ("subnet-1", "subnet-2"),
    "security_group_ids": ("sg-1",),
    "endpoint_public_access": True,
    "endpoint_private_access": False,
    "public_access_cidrs": ("203.0.113.0/24",),
    "logging": ("api", "scheduler"),
    "encryption_key_arn": "key",
    "deletion_protection": True,
}


def test_a_reply_is_read() -> None:
    assert fields.observed(ANSWER) == VALUES


def test_missing_values_are_unknown_or_empty() -> None:
    empty = {"subnet_ids": (), "security_group_ids": (), "public_access_cidrs": (), "logging": (), "encryption_key_arn": "", "deletion_protection": False}
    assert fields.observed({}) == {**dict.fromkeys(VALUES), **empty}
    assert fields.observed({"encryptionConfig": [{"resources": ["secrets"]}]})["encryption_key_arn"] == ""


def test_ranges_without_public_access_are_ignored() -> None:
    network = {**ANSWER["resourcesVpcConfig"], "endpointPublicAccess": False}  # type: ignore[dict-item]
    assert fields.observed({**ANSWER, "resourcesVpcConfig": network})["public_access_cidrs"] == ()


def test_given_options_are_sorted_and_omitted_ones_left_out() -> None:
    given = {**dict.fromkeys(VALUES), "logging": ["scheduler", "api"], "subnet_ids": [], "deletion_protection": False}
    assert fields.given(given) == {"logging": ("api", "scheduler"), "subnet_ids": (), "deletion_protection": False}


def test_a_new_cluster_has_safe_defaults() -> None:
    safe = {"authentication_mode": "API", "bootstrap_creator_admin": False, "bootstrap_self_managed_addons": False, "support_type": "STANDARD"}
    assert fields.of_new({}) == safe
    assert fields.of_new({"support_type": "EXTENDED", "logging": ()}) == {**safe, "support_type": "EXTENDED", "logging": ()}


@pytest.mark.parametrize(
    ("want", "options"),
    [
        ({}, []),
        (VALUES, []),
        ({"logging": ()}, ["logging"]),
        ({"support_type": "EXTENDED", "role_arn": "other"}, ["role_arn", "support_type"]),
        ({"bootstrap_self_managed_addons": True}, []),
        ({"bootstrap_creator_admin": True}, ["bootstrap_creator_admin"]),
    ],
)
def test_differences_are_found(want: dict[str, t.Any], options: list[str]) -> None:
    assert [field.option for field in fields.different(VALUES, want)] == options


def test_an_unknown_value_differs_if_eks_can_change_it() -> None:
    have = {**VALUES, "support_type": None, "bootstrap_creator_admin": None}
    want = {"support_type": "STANDARD", "bootstrap_creator_admin": True}
    assert [field.option for field in fields.different(have, want)] == ["support_type"]


def test_a_request_joins_nested_settings() -> None:
    sent = fields.request(fields.TABLE, {**VALUES, "bootstrap_self_managed_addons": True})
    log_setup = [{"types": ["api", "scheduler"], "enabled": True}, {"types": ["audit", "authenticator", "controllerManager"], "enabled": False}]
    network = {**ANSWER["resourcesVpcConfig"], "subnetIds": ["subnet-1", "subnet-2"]}  # type: ignore[dict-item]
    changed = {"logging": {"clusterLogging": log_setup}, "resourcesVpcConfig": network, "bootstrapSelfManagedAddons": True}
    assert sent == {**ANSWER, **changed}


@pytest.mark.parametrize(
    ("types", "setup"),
    [
        ((), [{"types": [*fields.LOG_TYPES], "enabled": False}]),
        (tuple(fields.LOG_TYPES), [{"types": [*fields.LOG_TYPES], "enabled": True}]),
    ],
)
def test_all_log_types_are_sent(types: tuple[str, ...], setup: list[dict[str, t.Any]]) -> None:
    (field,) = (each for each in fields.TABLE if each.option == "logging")
    assert fields.request([field], {"logging": types}) == {"logging": {"clusterLogging": setup}}


@pytest.mark.parametrize("field", fields.TABLE, ids=lambda field: field.option)
def test_every_setting_exists_in_eks(field: fields.Field) -> None:
    model = botocore.session.get_session().get_service_model("eks")
    assert knows(model.operation_model("CreateCluster").input_shape, field.path)
    if field.kind not in (fields.IMMUTABLE, fields.ENCRYPTION):
        assert knows(model.operation_model("UpdateClusterConfig").input_shape, field.path)
    if field is not fields.SELF_MANAGED:
        assert knows(model.operation_model("DescribeCluster").output_shape, ("cluster", *field.path))


def test_the_enumerations_are_those_of_eks() -> None:
    model = botocore.session.get_session().get_service_model("eks")
    assert set(fields.LOG_TYPES) == set(model.shape_for("LogType").enum)
    assert set(fields.MODES) == set(model.shape_for("AuthenticationMode").enum)
    assert {fields.STANDARD, fields.EXTENDED} == set(model.shape_for("SupportType").enum)
    assert {field.kind for field in fields.TABLE} == {*fields.KINDS, fields.IMMUTABLE}
