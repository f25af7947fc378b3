# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_access_entry_info against the simulated API."""

from __future__ import annotations

import pytest
from simulated.shape import reads

pytestmark = pytest.mark.slow

PRINCIPALS = [f"arn:aws:iam::111111111111:role/{name}" for name in ("a", "b", "c")]
VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"


def test_entries_over_all_pages(eks_cluster):
    for principal in PRINCIPALS:
        eks_cluster.eks.create_access_entry(clusterName=eks_cluster.name, principalArn=principal)
    scope = {"type": "namespace", "namespaces": ["a"]}
    eks_cluster.eks.associate_access_policy(clusterName=eks_cluster.name, principalArn=PRINCIPALS[0], policyArn=VIEW, accessScope=scope)
    eks_cluster.control("settings", {"page_size": 1})
    found = reads(eks_cluster, "eks_access_entry_info", eks_cluster=eks_cluster.name)["eks_access_entries"]
    assert [each["principal_arn"] for each in found if each["principal_arn"] in PRINCIPALS] == PRINCIPALS
    only = reads(eks_cluster, "eks_access_entry_info", eks_cluster=eks_cluster.name, principal_arn=PRINCIPALS[0])["eks_access_entries"]
    assert [each["access_policies"] for each in only] == [[{"policy": VIEW, "namespaces": ["a"]}]]
    none = reads(eks_cluster, "eks_access_entry_info", eks_cluster=eks_cluster.name, principal_arn=f"{PRINCIPALS[0]}0")
    assert none["eks_access_entries"] == []


def test_bad_input_is_refused(eks_cluster):
    for wrong, message in (
        ({"principal_arn": "a"}, "principal_arn: 'a'"),
        ({"eks_cluster": "none"}, "ListAccessEntries for access entries of EKS cluster none failed"),
    ):
        refused = eks_cluster.run("eks_access_entry_info", **{"eks_cluster": eks_cluster.name, **wrong})
        assert refused["failed"] and message in refused["msg"], refused
