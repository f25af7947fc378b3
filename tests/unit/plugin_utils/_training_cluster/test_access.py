# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access of principals to the cluster."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.access import differences, policies_of, undeclared
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import Declared, Network
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import Observed

ARN = "arn:aws:eks::aws:cluster-access-policy/"
EDIT, VIEW, ADMIN = "AmazonEKSEditPolicy", "AmazonEKSViewPolicy", "AmazonEKSClusterAdminPolicy"
TEAM = {"principal_arn": "arn:team", "policy": EDIT, "namespaces": ["a", "b"]}


def declared(admins: tuple[str, ...] = ("arn:admin",), teams: tuple[dict[str, t.Any], ...] = (TEAM,)) -> Declared:
    return Declared("ml", Network("", (), "", "10.0.0.0/16", ""), (), (), {}, admins, teams)


def entry(principal: str, *policies: tuple[str, list[str]], ours: bool = True) -> dict[str, t.Any]:
    associated = [{"policy": f"{ARN}{name}", "namespaces": namespaces} for name, namespaces in policies]
    details = {"type": "STANDARD", "username": "", "access_policies": associated}
    return {"kind": "eks_access_entry", "id": principal, "name": "x", "ours": ours, "status": "", "details": details}


def test_administrators_and_teams() -> None:
    assert policies_of(declared()) == {"arn:admin": [{"policy": ADMIN}], "arn:team": [{"policy": EDIT, "namespaces": ["a", "b"]}]}


@pytest.mark.parametrize(
    ("there", "changes"),
    [
        ([(EDIT, ["b", "a"])], []),
        ([(VIEW, ["a"])], [f"adds {EDIT} in a, b", f"removes {VIEW} in a"]),
        ([(EDIT, [])], [f"changes {EDIT} to {EDIT} in a, b"]),
        ([(EDIT, ["a", "b", "c"])], [f"changes {EDIT} in a, b, c to {EDIT} in a, b"]),
        ([(ADMIN, []), (EDIT, ["a", "b"])], [f"removes {ADMIN}"]),
    ],
)
def test_an_entry_of_ours_gets_exactly_the_declared_policies(there: list[tuple[str, list[str]]], changes: list[str]) -> None:
    assert differences(entry("arn:team", *there), policies_of(declared())["arn:team"]) == changes


def test_the_entry_of_someone_else_keeps_its_policies() -> None:
    theirs = entry("arn:team", (ADMIN, []), ours=False)
    assert differences(theirs, policies_of(declared())["arn:team"]) == [f"adds {EDIT} in a, b"]


def test_only_our_entries_are_undeclared() -> None:
    entries = [entry("arn:admin"), entry("arn:former"), entry("arn:theirs", ours=False)]
    assert [each["id"] for each in undeclared(declared(), Observed(entries))] == ["arn:former"]
