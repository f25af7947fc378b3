# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes on which a volume can be used."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.volume import described, unusable_on

ZONE = "topology.kubernetes.io/zone"
NODES = {"a": {ZONE: "us-west-2a", "size": "5"}, "b": {ZONE: "us-west-2b"}, "c": {}}


def needs(operator: str, *values: str, key: str = ZONE) -> dict[str, t.Any]:
    return {"key": key, "operator": operator, **({"values": [*values]} if values else {})}


def volume(*terms: t.Sequence[dict[str, t.Any]]) -> dict[str, t.Any]:
    return {"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [*each]} for each in terms]}}}}


@pytest.mark.parametrize(
    ("found", "names"),
    [
        ({"spec": {}}, ""),
        ({"spec": {"nodeAffinity": {"required": None}}}, ""),
        (volume([needs("In", "us-west-2a")]), "bc"),
        (volume([needs("In", "us-west-2a", "us-west-2b")]), "c"),
        (volume([needs("In", "us-west-2a")], [needs("In", "us-west-2b")]), "c"),
        (volume([needs("In", "us-west-2a"), needs("Exists", key="size")]), "bc"),
        (volume([needs("In", "us-west-2b"), needs("Exists", key="size")]), "abc"),
        (volume([needs("NotIn", "us-west-2a")]), "a"),
        (volume([needs("DoesNotExist", key="size")]), "a"),
        (volume([needs("Gt", "4", key="size")]), "bc"),
        (volume([needs("Gt", "5", key="size")]), "abc"),
        (volume([needs("Lt", "6", key="size")]), "bc"),
        (volume([needs("Lt", "x", key="size")]), "abc"),
        (volume([needs("Like", "us-*")]), ""),
        (volume([]), "abc"),
    ],
)
def test_nodes_outside_the_affinity_are_named(found: dict[str, t.Any], names: str) -> None:
    assert unusable_on(found, NODES) == [*names]


def test_a_volume_may_be_on_one_node() -> None:
    field = {"key": "metadata.name", "operator": "In", "values": ["b"]}
    found = {"spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchFields": [field]}]}}}}
    assert unusable_on(found, NODES) == ["a", "c"] and described(found) == "metadata.name In b"


def test_the_affinity_is_described() -> None:
    assert described(volume([needs("In", "a", "b"), needs("Exists", key="x")], [needs("In", "\x1b")])) == f"{ZONE} In a, b and x Exists or {ZONE} In ?"
    assert len(described(volume([needs("In", "a" * 1000)]))) == 200
