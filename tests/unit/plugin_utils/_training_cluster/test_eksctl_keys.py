# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of an eksctl file's keys fit together."""

from __future__ import annotations

import re

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.eksctl_keys import (
    FIXED,
    KEYS,
    REFUSED,
    WITHOUT_EFFECT,
)

OF_CLUSTER = (
    *("apiVersion", "kind", "metadata", "upgradePolicy", "kubernetesNetworkConfig", "autoModeConfig", "remoteNetworkConfig", "iam"),
    *("iamIdentityMappings", "identityProviders", "accessConfig", "vpc", "addons", "addonsConfig", "privateCluster", "nodeGroups"),
    *("managedNodeGroups", "fargateProfiles", "availabilityZones", "localZones", "cloudWatch", "secretsEncryption", "gitops"),
    *("karpenter", "outpost", "controlPlaneScalingConfig", "zonalShiftConfig", "kubeAPIServerConfig", "kubeSchedulerConfig"),
    *("kubeControllerManagerConfig", "capabilities"),
)
"""The keys of a ClusterConfig in eksctl 0.230."""


def parent(path: str) -> str:
    return path.rpartition(".")[0]


def test_each_key_of_a_cluster_is_known_or_refused_by_name() -> None:
    assert {*KEYS[""], *(each for each in REFUSED if "." not in each)} == {*OF_CLUSTER}


@pytest.mark.parametrize("table", [FIXED, WITHOUT_EFFECT], ids=["fixed", "without effect"])
def test_keys_with_special_values_are_known(table: dict[str, object]) -> None:
    assert [each for each in table if each.rpartition(".")[2] not in KEYS[parent(each)]] == []


def test_no_refused_key_is_known() -> None:
    assert [each for each in REFUSED if parent(each) not in KEYS or each.rpartition(".")[2] in KEYS[parent(each)]] == []


def test_no_key_is_in_two_tables() -> None:
    assert FIXED.keys() & WITHOUT_EFFECT.keys() == set()


def test_each_object_is_below_a_key_of_another_object() -> None:
    inner = [path for path in KEYS if path and path != "vpc.subnets.entry"]
    assert [path for path in inner if KEYS[parent(path)].get(path.rpartition(".")[2]) not in ("object", "objects")] == []


def test_reasons_are_clauses() -> None:
    reasons = [*(why for why, _next in REFUSED.values()), *(why for _values, why in FIXED.values()), *WITHOUT_EFFECT.values()]
    assert [each for each in reasons if not re.match(r"[a-zA-Z]", each) or each.endswith(".")] == []
