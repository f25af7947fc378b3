# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_pod_identity_association_info against the simulated API."""

from __future__ import annotations

import pytest
from simulated.shape import reads

pytestmark = pytest.mark.slow

ROLE = "arn:aws:iam::111111111111:role/hyperpod-pods-research"
MODULE = "eks_pod_identity_association_info"


def test_associations_over_all_pages(eks_cluster):
    for namespace, account in (("b", "train"), ("a", "train"), ("a", "look")):
        eks_cluster.eks.create_pod_identity_association(
            clusterName=eks_cluster.name, namespace=namespace, serviceAccount=account, roleArn=ROLE
        )
    eks_cluster.control("settings", {"page_size": 1})

    def found(**wanted):
        listed = reads(eks_cluster, MODULE, eks_cluster=eks_cluster.name, **wanted)["eks_pod_identity_associations"]
        return [(each["namespace"], each["service_account"]) for each in listed]

    assert found() == [("a", "look"), ("a", "train"), ("b", "train")]
    assert found(namespace="a") == [("a", "look"), ("a", "train")]
    assert found(service_account="train", namespace="b") == [("b", "train")]


def test_bad_input_is_refused(eks_cluster):
    for wrong, message in (
        ({"namespace": "A"}, "namespace: 'A'"),
        ({"service_account": "A"}, "service_account: 'A'"),
        ({"eks_cluster": "none"}, "for pod identity associations of EKS cluster none failed"),
    ):
        refused = eks_cluster.run(MODULE, **{"eks_cluster": eks_cluster.name, **wrong})
        assert refused["failed"] and message in refused["msg"], refused
