# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads objects of a file: unknown, refused and fixed keys, kinds of values, and the paths in messages."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import eksctl_reader as reader

GROUP = "managedNodeGroups"


def test_values_without_effect_and_empty_values_are_left_out() -> None:
    given = {"name": "a", "instancePrefix": "b", "volumeType": "gp3", "labels": {}, "subnets": None, "ami": "", "minSize": 0}
    assert reader.read(given, "f.g", GROUP) == {"name": "a", "minSize": 0}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"nam": "a"}, "f.g.nam: unknown; did you mean name? Allowed: name, amiFamily"),
        ({"na\x1b[31mme": "a"}, "f.g.na?[31mme: unknown"),
        ({"n" * 500: "a"}, f"f.g.{'n' * 100}: unknown"),
        ({5: "a"}, "f.g.5: unknown"),
        ({"ami": "ami-1"}, "f.g.ami: 'ami-1' is not allowed: the nodes use EKS's images with Amazon Linux 2023. Allowed: no value."),
        ({"volumeType": "gp2"}, "f.g.volumeType: 'gp2' is not allowed: the root volumes are gp3 volumes. Allowed: gp3."),
        ({"volumeEncrypted": False}, "f.g.volumeEncrypted: False is not allowed: the root volumes are always encrypted. Allowed: true."),
        ({"name": 5}, "f.g.name: 5 is not allowed. Allowed: a text, in quotes if YAML reads it as a number."),
        ({"name": ["\x1b"]}, "f.g.name: ['\\x1b'] is not allowed."),
        ({"minSize": "2"}, "f.g.minSize: '2' is not allowed. Allowed: a whole number."),
        ({"minSize": True}, "f.g.minSize: True is not allowed. Allowed: a whole number."),
        ({"spot": 1}, "f.g.spot: 1 is not allowed. Allowed: true and false."),
        ({"subnets": "a"}, "f.g.subnets: 'a' is not allowed. Allowed: a list of texts."),
        ({"subnets": [1]}, "f.g.subnets: [1] is not allowed. Allowed: a list of texts."),
        ({"taints": {"a": "b"}}, "f.g.taints: {'a': 'b'} is not allowed. Allowed: a list of objects."),
        ({"iam": []}, "f.g.iam: [] is not allowed. Allowed: an object."),
        ([], "f.g: [] is not allowed. Allowed: an object with name, amiFamily"),
    ],
)
def test_a_refusal_names_the_path_of_the_key(given: t.Any, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        reader.read(given, "f.g", GROUP)
    assert str(refused.value).startswith(sentence)


def test_a_refused_key_without_a_value_is_accepted() -> None:
    assert reader.read({"ami": None, "securityGroups": {}, "asgSuspendProcesses": []}, "f.g", GROUP) == {}


def test_a_gathering_caller_gets_all_refusals_and_the_valid_values() -> None:
    found: list[reader.Object] = []
    given = {"name": "a", "ami": "b", "spot": "c", "minSize": 1}
    assert len(refusals(lambda: found.append(reader.read(given, "f", GROUP)))) == 2
    assert found[0] == {"name": "a", "minSize": 1}
    assert [name for name in ("name", "spot", "maxSize") if found[0].lacks(name)] == ["maxSize"]


def test_objects_inside_objects_have_their_own_keys() -> None:
    values = reader.read({"iam": {"withAddonPolicies": {"ebs": True, "xRay": False}}}, "f.g", GROUP)
    role = reader.inside(values, "iam", "f.g", GROUP)
    assert reader.inside(role, "withAddonPolicies", "f.g.iam", f"{GROUP}.iam") == {"ebs": True}
    assert reader.inside(values, "placement", "f.g", GROUP) == {}


def test_keys_without_effect_are_listed_with_their_paths_and_reasons() -> None:
    document = {"iam": {"withOIDC": True}, "managedNodeGroups": [{"name": "a"}, {"efaEnabled": True, "instancePrefix": None}]}
    found = reader.without_effect(document)
    assert list(found) == ["iam.withOIDC", "managedNodeGroups[1].efaEnabled"]
    assert found["iam.withOIDC"] == "add-ons get their permissions from EKS Pod Identity, which requires no OIDC provider"
