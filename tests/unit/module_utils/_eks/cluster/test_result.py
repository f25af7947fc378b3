# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Return values of an EKS cluster."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.model import Cluster, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.result import result, to_result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.versions import Version

from .clusters import ARN, described

EXPECTED = {
    "name": "ml",
    "arn": ARN,
    "status": "ACTIVE",
    "issues": ["A: b"],
    "version": "1.34",
    "endpoint": "https://x",
    "certificate_authority": "pem",
    "vpc": {
        "vpc_id": "vpc-1",
        "subnets": ["subnet-1", "subnet-2"],
        "security_groups": ["sg-1"],
        "cluster_security_group": "sg-2",
        "endpoint_public_access": True,
        "endpoint_private_access": True,
        "public_access_cidrs": ["203.0.113.0/24"],
        "open_to_internet": False,
    },
    "encryption_key_arn": None,
    "tags": {"a": "b"},
    "role_arn": "role",
    "authentication_mode": "API_AND_CONFIG_MAP",
    "service_ipv4_cidr": "172.20.0.0/16",
    "support_type": "EXTENDED",
    "logging": ["api"],
    "deletion_protection": False,
}
CLUSTER = Cluster.from_api(described(health={"issues": [{"code": "A", "message": "b"}]}))


def test_a_cluster_is_returned_with_the_support_of_its_version() -> None:
    found = result(Desired("ml"), State(CLUSTER, (Version("1.34", "EXTENDED_SUPPORT", "a", "b"),)))
    support = {"status": "extended", "end_of_standard_support": "a", "end_of_extended_support": "b"}
    assert found == {"eks_cluster": {"exists": True, **EXPECTED, "support": support}}
    assert result(Desired("ml"), State(CLUSTER))["eks_cluster"]["support"]["status"] == "unknown"


def test_a_missing_cluster_is_returned() -> None:
    assert result(Desired("ml"), State()) == {"eks_cluster": {"exists": False, "name": "ml"}}


def test_fields_that_a_cluster_in_creation_lacks_are_null_or_empty() -> None:
    found = to_result("ml", Cluster.from_api({"arn": ARN}))
    assert found.keys() == EXPECTED.keys() and found["vpc"].keys() == EXPECTED["vpc"].keys()  # type: ignore[attr-defined]
    empty = {name: value for name, value in {**found, **found["vpc"]}.items() if value is not None and name != "vpc"}
    lists: dict[str, list[str]] = {name: [] for name in ("issues", "subnets", "security_groups", "public_access_cidrs", "logging")}
    assert empty == {"name": "ml", "arn": ARN, "tags": {}, "deletion_protection": False, **lists}
