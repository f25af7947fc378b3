# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of an EKS cluster that are refused."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster import refusals
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.model import Cluster, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.versions import Insight, Version

from .clusters import ARN, described

VERSIONS = (Version("1.35", "STANDARD_SUPPORT"), Version("1.34", "STANDARD_SUPPORT"), Version("1.33", "EXTENDED_SUPPORT"))
PRIVATE = {"endpointPublicAccess": False, "publicAccessCidrs": []}
KEYED = {"encryptionConfig": [{"provider": {"keyArn": "key"}}]}
OFFICE = ("203.0.113.0/24",)


def check(have: dict[str, t.Any], version: str | None = None, insights: tuple[Insight, ...] = (), **settings: t.Any) -> None:
    desired = Desired("ml", version=version, settings=settings)
    cluster = Cluster.from_api(described(**have))
    refusals.check_changes(desired, State(cluster, VERSIONS, insights), cluster)


@pytest.mark.parametrize(
    ("have", "settings"),
    [
        ({}, {}),
        ({}, {"role_arn": "role", "bootstrap_creator_admin": False, "bootstrap_self_managed_addons": True, "encryption_key_arn": "key"}),
        (KEYED, {"encryption_key_arn": "key"}),
        ({"accessConfig": {"authenticationMode": "CONFIG_MAP"}}, {"authentication_mode": "API_AND_CONFIG_MAP", "bootstrap_creator_admin": True}),
        ({}, {"authentication_mode": "API"}),
        ({"accessConfig": {}}, {"authentication_mode": "API"}),
        ({}, {"support_type": "STANDARD"}),
        ({"version": "1.33", "upgradePolicy": {"supportType": "STANDARD"}}, {"support_type": "STANDARD"}),
        ({"version": "1.33"}, {"support_type": "STANDARD", "version": "1.34"}),
        ({"version": "1.20"}, {"support_type": "STANDARD"}),
        ({}, {"endpoint_public_access": False}),
        ({}, {"endpoint_private_access": False}),
        (PRIVATE, {"endpoint_public_access": True, "public_access_cidrs": OFFICE}),
        (PRIVATE, {"public_access_cidrs": ()}),
        ({"publicAccessCidrs": ["0.0.0.0/0"]}, {"endpoint_private_access": False, "endpoint_public_access": True}),
        ({}, {"version": "1.35"}),
    ],
)
def test_possible_changes_are_accepted(have: dict[str, t.Any], settings: dict[str, t.Any]) -> None:
    check(have, **settings)


@pytest.mark.parametrize(
    ("have", "settings", "option", "message"),
    [
        ({}, {"role_arn": "other"}, "role_arn", "has 'role', and EKS cannot change that. Allowed: 'role', or another value"),
        ({}, {"service_ipv4_cidr": "10.9.0.0/16"}, "service_ipv4_cidr", "has '172.20.0.0/16', and EKS cannot change that"),
        ({}, {"bootstrap_creator_admin": True}, "bootstrap_creator_admin", "has False, and EKS cannot change that"),
        (KEYED, {"encryption_key_arn": "other"}, "encryption_key_arn", "has 'key', and EKS cannot change that"),
        ({}, {"authentication_mode": "CONFIG_MAP"}, "authentication_mode", "Allowed: API_AND_CONFIG_MAP, API."),
        (
            {"accessConfig": {"authenticationMode": "CONFIG_MAP"}},
            {"authentication_mode": "API"},
            "authentication_mode",
            "one step at a time: CONFIG_MAP, then API_AND_CONFIG_MAP, then API. Allowed: CONFIG_MAP, API_AND_CONFIG_MAP.",
        ),
        ({"accessConfig": {"authenticationMode": "API"}}, {"authentication_mode": "CONFIG_MAP"}, "authentication_mode", "Allowed: API."),
        ({"version": "1.33"}, {"support_type": "STANDARD"}, "support_type", "Kubernetes 1.33 is in extended support, which EKS cannot"),
        ({"endpointPrivateAccess": False}, {"endpoint_public_access": False}, "endpoint_public_access", "has no other endpoint"),
        (PRIVATE, {"endpoint_private_access": False}, "endpoint_private_access", "has no other endpoint"),
        (PRIVATE, {"public_access_cidrs": OFFICE}, "public_access_cidrs", "has no public access. Allowed: no value."),
        ({}, {"public_access_cidrs": ()}, "public_access_cidrs", "has public access. Allowed: one or more ranges."),
        (PRIVATE, {"endpoint_public_access": True}, "public_access_cidrs", "missing; without it, EKS cluster ml would be open"),
        ({}, {"version": "1.36"}, "version", "EKS upgrades by one minor version at a time"),
        ({}, {"version": "1.35", "insights": (Insight("a", "ERROR"),)}, "version", "is not ready for 1.35: a."),
        ({"status": "FAILED"}, {}, "", "EKS cluster ml is FAILED, and EKS does not repair it: correct the problem and run again, then delete"),
    ],
)
def test_impossible_changes_are_refused_by_name(have: dict[str, t.Any], settings: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused) as refused:
        check(have, **settings)
    assert message in str(refused.value) and refused.value.option == option


def test_insights_matter_only_for_an_upgrade() -> None:
    check({"version": "1.35"}, version="1.35", insights=(Insight("a", "ERROR"),))


def test_a_cluster_of_another_account_is_refused() -> None:
    cluster = Cluster.from_api(described())
    refusals.check_identity(Desired("ml"), cluster)
    refusals.check_identity(Desired("ml", arn=ARN), cluster)
    with pytest.raises(Refused, match=f"has another ARN. Allowed: {ARN}"):
        refusals.check_identity(Desired("ml", arn=ARN.replace("1" * 12, "2" * 12)), cluster)


def test_changes_of_unsupported_clusters_are_refused_with_their_names() -> None:
    auto = Cluster.from_api(described(computeConfig={"enabled": True}, outpostConfig={"outpostArns": []}))
    changes = (Change("update", "EKS cluster ml", "logging"), Change("delete", "EKS cluster ml"))
    refusals.check_supported(Desired("ml"), auto, ())
    refusals.check_supported(Desired("ml"), Cluster.from_api(described()), (Step("A", {}, changes),))
    with pytest.raises(Refused) as refused:
        refusals.check_supported(Desired("ml"), auto, (Step("A", {}, changes),))
    uses = "EKS cluster ml uses EKS Auto Mode (computeConfig) and an Outpost (outpostConfig)"
    assert f"{uses}, and this module does not change such a cluster: logging, delete." in str(refused.value)


def test_protected_and_used_clusters_are_not_removed() -> None:
    free, protected = Cluster.from_api(described()), Cluster.from_api(described(deletionProtection=True))
    off = Desired("ml", present=False, settings={"deletion_protection": False})
    refusals.check_removal(Desired("ml", present=False), State(free), free)
    refusals.check_removal(off, State(protected), protected)
    for settings in ({}, {"deletion_protection": True}):
        with pytest.raises(Refused, match="deletion_protection: True is not allowed: EKS cluster ml is protected against deletion"):
            refusals.check_removal(Desired("ml", present=False, settings=settings), State(protected), protected)
    with pytest.raises(Refused, match="EKS cluster ml still has node group a, Fargate profile b. Delete them first."):
        refusals.check_removal(off, State(protected, dependents=("node group a", "Fargate profile b")), protected)
