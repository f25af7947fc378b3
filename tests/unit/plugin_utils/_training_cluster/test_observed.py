# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The resources of the cluster by kind and name."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import (
    CLUSTER,
    ENDPOINT,
    ENTRY,
    NAT_GATEWAY,
    SUBNET,
    VPC,
    Observed,
)


def resource(kind: str, name: str = "ml", *, ours: bool = True, status: str = "", **more: t.Any) -> dict[str, t.Any]:
    return {"kind": kind, "name": name, "id": f"{kind}-{name}", "ours": ours, "status": status, **more}


@pytest.mark.parametrize(
    ("kind", "status", "usable"),
    [
        (NAT_GATEWAY, "available", True),
        (NAT_GATEWAY, "deleting", False),
        (NAT_GATEWAY, "failed", False),
        (ENDPOINT, "expired", False),
        (VPC, "deleted", False),
        (SUBNET, "deleted", True),
    ],
)
def test_a_resource_that_must_be_created_again_is_not_observed(kind: str, status: str, usable: bool) -> None:
    assert bool(Observed([resource(kind, status=status)]).of(kind)) is usable


def test_a_resource_of_ours_comes_before_one_with_the_same_name() -> None:
    theirs, ours = resource(VPC, ours=False), resource(VPC)
    observed = Observed([theirs, ours, resource(VPC, "other")])
    assert observed.named(VPC, "ml") == ours and observed.named(VPC, "none") is None
    assert Observed([theirs]).named(VPC, "ml") == theirs and Observed([theirs]).ours(VPC) == []


def test_an_access_entry_is_found_by_the_arn_of_its_principal() -> None:
    entry = resource(ENTRY, "people", id="arn:aws:iam::111111111111:role/people")
    assert Observed([entry]).named(ENTRY, entry["id"]) == entry and Observed([entry]).named(ENTRY, "people") is None


@pytest.mark.parametrize(("resources", "foreign"), [([], False), ([resource(CLUSTER)], False), ([resource(CLUSTER, ours=False)], True)])
def test_a_cluster_of_someone_else(resources: list[dict[str, t.Any]], foreign: bool) -> None:
    observed = Observed(resources)
    assert observed.foreign is foreign and (observed.cluster is None) is (not resources)
