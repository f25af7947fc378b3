# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The causes for each observation of the role, its policies and its entry, and nothing for nodes that have everything."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.causes import findings
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.model import Role, Unread

from .seen import DENIED, Case, assert_found, network, seen

CASES: list[Case] = [
    ("everything", {}, [], []),
    ("no role", {"role": Role("nodes", exists=False)}, ["role nodes does not exist"], []),
    (
        "no policy",
        {"role": Role("nodes")},
        ["nodes lacks AmazonEKSWorkerNodePolicy (it has no", "lacks AmazonEC2ContainerRegistryPullOnly"],
        [],
    ),
    ("read only registry", {"role": Role("nodes", policies=("AmazonEC2ContainerRegistryReadOnly", "AmazonEKSWorkerNodePolicy"))}, [], []),
    ("administrator", {"role": Role("nodes", policies=("AdministratorAccess",)), "cni_role": False}, [], []),
    ("own policies", {"role": Role("nodes", others=("mine",))}, [], ["whether mine of role nodes", "AmazonEC2ContainerRegistryPullOnly"]),
    ("no role of the CNI", {"cni_role": False}, ["lacks AmazonEKS_CNI_Policy"], []),
    ("unread role of the CNI", {"cni_role": DENIED}, [], ["could not read it (AccessDenied)"]),
    ("no entry", {"entry": None}, ["has no access entry in EKS cluster ml, whose authentication mode is API"], []),
    ("no entry with aws-auth", {"entry": None, **network(mode="API_AND_CONFIG_MAP")}, [], ["whether ConfigMap aws-auth maps"]),
    ("an entry of people", {"entry": "STANDARD"}, ["has type STANDARD"], []),
    ("an unread cluster", {"cluster": DENIED}, [], ["could not read it"]),
    ("an unread template", {"template": DENIED}, [], ["could not read it"]),
    ("an unread role and entry", {"role": DENIED, "entry": Unread("entry", "Throttling")}, [], ["could not read it", "could not read entry"]),
]


@pytest.mark.parametrize(("changed", "causes", "unknown"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_causes(changed: dict[str, t.Any], causes: list[str], unknown: list[str]) -> None:
    assert_found(findings(seen(changed)), causes, unknown)
