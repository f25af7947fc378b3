# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The observed resources."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import Observed


def resource(kind: str, name: str = "ml", *, ours: bool = True, status: str = "") -> dict[str, t.Any]:
    return {"kind": kind, "name": name, "id": f"id of {name}", "ours": ours, "status": status}


def test_a_resource_of_ours_is_preferred() -> None:
    theirs, ours = resource("vpc", ours=False), resource("vpc")
    found = Observed([theirs, ours])
    assert (found.named("vpc", "ml"), found.ours("vpc"), found.of("vpc")) == (ours, [ours], [theirs, ours])
    assert found.named("vpc", "other") is None


def test_an_access_entry_is_found_by_its_principal() -> None:
    entry = resource("eks_access_entry", "platform")
    found = Observed([entry])
    assert (found.named("eks_access_entry", "id of platform"), found.named("eks_access_entry", "platform")) == (entry, None)


def test_resources_that_must_be_created_again_are_left_out() -> None:
    gone = [resource("nat_gateway", status=status) for status in ("deleted", "deleting", "failed")]
    pending = resource("nat_gateway", status="pending")
    assert Observed([*gone, resource("vpc_endpoint", status="rejected"), pending]).resources == (pending,)


def test_nat_gateways_that_ec2_is_deleting_are_kept_apart() -> None:
    leaving = resource("nat_gateway", status="deleting")
    others = [resource("nat_gateway", status="deleted"), resource("nat_gateway", ours=False, status="deleting")]
    assert Observed([*others, leaving, resource("vpc_endpoint", status="deleting")]).leaving == (leaving,)


def test_a_cluster_without_the_tag_belongs_to_someone_else() -> None:
    assert Observed([resource("eks_cluster", ours=False)]).foreign
    assert not Observed([resource("eks_cluster")]).foreign and not Observed([]).foreign
    assert Observed([]).cluster is None
