# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An observed EKS cluster: the fields of a reply, and the conclusions from them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.model import Issue
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.model import Cluster, Desired

from .clusters import ANSWER, ARN, described


def test_every_field_of_an_answer_is_read() -> None:
    found = Cluster.from_api(described(health={"issues": [{"code": "A", "message": "b\x1b"}, {}]}))
    assert (found.arn, found.status, found.version, found.token, found.tags) == (ARN, "ACTIVE", "1.34", "token", {"a": "b"})
    assert (found.endpoint, found.authority, found.vpc_id, found.security_group) == ("https://x", "pem", "vpc-1", "sg-2")
    assert found.issues == (Issue("A", "b?"), Issue("Unknown", "")) and found.settings["role_arn"] == "role"
    assert found.described == "ACTIVE (A: b?; Unknown)" and found.unsupported == ()


def test_a_new_cluster_has_empty_fields() -> None:
    found = Cluster.from_api({"arn": ARN})
    assert (found.status, found.version, found.token, found.endpoint, found.authority, found.vpc_id) == ("", "", "", "", None, "")
    assert (found.described, found.issues, found.tags, found.is_open) == ("in an unknown status", (), {}, None)
    assert Cluster(ARN, "", "", found.settings) == found


@pytest.mark.parametrize(
    ("more", "is_open"),
    [
        ({}, False),
        ({"publicAccessCidrs": ["0.0.0.0/0"]}, True),
        ({"publicAccessCidrs": ["203.0.113.0/24", "::/0"]}, True),
        ({"publicAccessCidrs": []}, True),
        ({"publicAccessCidrs": ["0.0.0.0/0"], "endpointPublicAccess": False}, False),
        ({"endpointPublicAccess": None}, None),
    ],
)
def test_an_api_server_is_open_if_all_addresses_can_reach_it(more: dict[str, t.Any], is_open: bool | None) -> None:
    assert Cluster.from_api(described(**more)).is_open is is_open


@pytest.mark.parametrize(
    ("status", "busy"),
    [("ACTIVE", False), ("FAILED", False), ("CREATING", True), ("UPDATING", True), ("DELETING", True), ("PENDING", True), ("NEW", True)],
)
def test_a_status_that_eks_changes_is_busy(status: str, busy: bool) -> None:
    assert Cluster.from_api(described(status=status)).is_busy is busy


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"computeConfig": {"enabled": True}}, ("EKS Auto Mode (computeConfig)",)),
        ({"computeConfig": {"enabled": False}, "remoteNetworkConfig": {"remoteNodeNetworks": []}}, ()),
        ({"remoteNetworkConfig": {"remoteNodeNetworks": [{"cidrs": ["10.0.0.0/8"]}]}}, ("hybrid nodes (remoteNetworkConfig)",)),
        ({"remoteNetworkConfig": {"remotePodNetworks": [{"cidrs": ["10.0.0.0/8"]}]}}, ("hybrid nodes (remoteNetworkConfig)",)),
        ({"outpostConfig": {"outpostArns": ["arn"]}}, ("an Outpost (outpostConfig)",)),
        ({"connectorConfig": {"provider": "GKE"}}, ("EKS Connector (connectorConfig)",)),
    ],
)
def test_unsupported_properties_are_recognized(more: dict[str, t.Any], expected: tuple[str, ...]) -> None:
    assert Cluster.from_api(described(**more)).unsupported == expected


def test_values_are_found_by_option() -> None:
    found = Cluster.from_api(ANSWER)
    assert (found.value("version"), found.value("logging"), found.value("none")) == ("1.34", ("api",), None)


def test_newer_parameters_depend_on_the_options() -> None:
    least = Desired("ml").newer_parameters
    assert "deletionProtection" not in least["UpdateClusterConfig"] and least["UpdateClusterVersion"] == []
    more = Desired("ml", settings={"deletion_protection": False}, accept_insights=("a",)).newer_parameters
    assert "deletionProtection" in more["UpdateClusterConfig"] and "deletionProtection" in more["CreateCluster"]
    assert more["UpdateClusterVersion"] == ["force"] and set(more) == set(least)
