# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal of a cluster."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import Observed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.removal import ORDER, note_of, removal

EVERYTHING = tuple(dict.fromkeys(ORDER))


def resource(kind: str, name: str = "ml", *, ours: bool = True, status: str = "", **details: t.Any) -> dict[str, t.Any]:
    return {"kind": kind, "name": name, "ours": ours, "status": status, "details": details}


def kinds(found: t.Iterable[t.Mapping[str, t.Any]]) -> list[str]:
    return [each["kind"] for each in found]


def test_resources_are_removed_before_those_that_they_use() -> None:
    found = kinds(removal(Observed([resource(kind) for kind in reversed(EVERYTHING)]), logs=False).removed)
    for first, then in (
        ("file_system", "security_group"),
        ("eks_nodegroup", "launch_template"),
        ("eks_nodegroup", "eks_cluster"),
        ("eks_cluster", "iam_role"),
        ("nat_gateway", "elastic_ip"),
        ("nat_gateway", "subnet"),
        ("subnet", "route_table"),
        ("security_group", "eks_cluster"),
        ("security_group", "vpc"),
        ("internet_gateway", "vpc"),
    ):
        assert found.index(first) < found.index(then), (first, then)
    assert found[-1] == "vpc"


def test_only_our_resources_are_removed() -> None:
    ours, theirs = resource("iam_role", "a"), resource("iam_role", "b", ours=False)
    found = removal(Observed([ours, theirs]), logs=False)
    assert (found.removed, found.stays, found.of("iam_role"), found.of("vpc")) == ((ours,), (theirs,), [ours], [])


def test_parts_of_the_cluster_go_with_it() -> None:
    parts = [resource("eks_addon"), resource("eks_access_entry", ours=False)]
    assert kinds(removal(Observed([resource("eks_cluster"), *parts]), logs=False).removed) == ["eks_cluster"]
    assert removal(Observed([resource("eks_cluster"), *parts]), logs=False).stays == ()
    theirs = removal(Observed([resource("eks_cluster", ours=False), *parts]), logs=False)
    assert (kinds(theirs.removed), kinds(theirs.stays)) == (["eks_addon"], ["eks_cluster", "eks_access_entry"])


def test_log_groups_are_removed_on_request_only() -> None:
    logs = [resource("log_group", ours=False)]
    assert kinds(removal(Observed(logs), logs=True).removed) == ["log_group"]
    assert kinds(removal(Observed(logs), logs=False).stays) == ["log_group"]
    theirs = removal(Observed([resource("eks_cluster", ours=False), *logs]), logs=True)
    assert (kinds(theirs.removed), kinds(theirs.stays)) == ([], ["eks_cluster", "log_group"])


def test_associations_of_an_add_on_go_with_it() -> None:
    own, of_addon = resource("eks_pod_identity_association"), resource("eks_pod_identity_association", "b", owner_arn="arn:addon")
    found = removal(Observed([resource("eks_cluster", ours=False), own, of_addon]), logs=False)
    assert found.removed == (own,)


@pytest.mark.parametrize(
    ("found", "skip", "note"),
    [
        (resource("file_system", deployment_type="SCRATCH_2"), False, "all its data is lost"),
        (resource("file_system", deployment_type="PERSISTENT_2"), True, "all its data is lost"),
        (resource("file_system", deployment_type="PERSISTENT_2"), False, "FSx keeps a final backup, which you must remove yourself"),
        (resource("vpc"), True, ""),
    ],
)
def test_lost_data_is_named(found: dict[str, t.Any], skip: bool, note: str) -> None:
    assert note_of(found, skip_final_backup=skip) == note
