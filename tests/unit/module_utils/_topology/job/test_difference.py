# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import copy
import json

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.difference import LONGEST, MOST, difference, masked

TOKEN = "hf_very_secret"


def manifest(**container):
    own = {"name": "pytorch", "command": ["torchrun", "--nnodes=2", "train.py"], **container}
    return {"kind": "PyTorchJob", "spec": {"containers": [{"name": "side", "image": "a"}, own]}}


def env(value=TOKEN):
    return [{"name": "HF_HOME", "value": "/fsx"}, {"name": "HF_TOKEN", "value": value}]


@pytest.mark.parametrize(
    ("wanted", "live", "expected"),
    [
        (
            {"command": ["torchrun", "--nnodes=4", "train.py"]}, {},
            "spec.containers[pytorch].command[1] is '--nnodes=2' and would be '--nnodes=4'",
        ),
        ({"command": ["torchrun"]}, {}, "spec.containers[pytorch].command has 3 elements and would have 1"),
        ({"name": "other"}, {}, "spec.containers[1].name is 'pytorch' and would be 'other'"),
        ({"env": env("hf_new")}, {"env": env()}, "spec.containers[pytorch].env[HF_TOKEN].value differs"),
        ({"env": env()[1:]}, {"env": env()}, "spec.containers[pytorch].env has 2 elements and would have 1"),
        ({"env": [{"name": "HF_TOKEN"}]}, {"env": env()[1:]}, "the existing job has fields that the manifest no longer has"),
        (
            {"env": env()}, {},
            "spec.containers[pytorch].env is missing and would be "
            "[{'name': 'HF_HOME', 'value': '...'}, {'name': 'HF_TOKEN', 'value': '...'}]",
        ),
        ({"env": "none"}, {"env": env()}, "'value': '...'}] and would be 'none'"),
        ({"limits": {"gpu": 8}, "args": [], "labels": {}}, {"limits": {"gpu": "8"}}, "the existing job has fields that the manifest no longer has"),
        ({"image": "a\x1b[31m"}, {"image": "b"}, "is 'b' and would be 'a\\x1b[31m'"),
    ],
)  # fmt: skip
def test_the_difference_is_described_without_secrets(wanted, live, expected):
    described = difference(manifest(**wanted), manifest(**live))
    assert described.endswith(expected) and described.count(" and would ") <= 1
    assert TOKEN not in described and "hf_new" not in described


def test_a_long_text_is_shown_from_its_first_difference():
    script = "x" * 500
    described = difference(manifest(args=[f"{script}--lr=1"]), manifest(args=[f"{script}--lr=2"]))
    assert described == f"spec.containers[pytorch].args[0] is …'{'x' * 15}--lr=2' and would be …'{'x' * 15}--lr=1'"
    assert len(difference(manifest(args=["y" * 500]), manifest(args=["z" * 500]))) < 2 * LONGEST + 100


def test_many_differences_are_counted():
    wanted, live = ({str(number): each for number in range(MOST + 3)} for each in (1, 2))
    assert difference(wanted, live).endswith(", and 3 more") and difference(wanted, live).count(" would ") == MOST


def test_values_of_environment_variables_are_masked_and_nothing_else():
    of_secret = {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "keys", "key": "a"}}}
    applied = {"kubectl.kubernetes.io/last-applied-configuration": TOKEN, "value": "stays", "env": "prod"}
    given = {"metadata": {"annotations": applied}, "spec": {"trainer": {"env": [*env(), of_secret]}, "tolerations": [{"value": "a"}]}}
    before = copy.deepcopy(given)
    found = masked(given)
    assert TOKEN not in json.dumps(found) and given == before
    assert found["spec"]["trainer"]["env"] == [{"name": "HF_HOME", "value": "..."}, {"name": "HF_TOKEN", "value": "..."}, of_secret]
    assert found["spec"]["tolerations"] == [{"value": "a"}] and found["metadata"]["annotations"]["value"] == "stays"
    assert found["metadata"]["annotations"]["env"] == "prod"


@pytest.mark.parametrize(("length", "whole"), [(LONGEST, True), (LONGEST + 1, False)])
def test_a_text_is_shown_completely_up_to_a_length(length: int, whole: bool) -> None:
    described = difference({"a": "x" * (length - 1) + "y"}, {"a": "x" * (length - 1) + "z"})
    assert described.startswith("a is 'xx" if whole else "a is …'xx")
    assert difference({"a": "b" * (LONGEST - 2)}, {"a": 1}) == f"a is 1 and would be '{'b' * (LONGEST - 2)}'"
    assert difference({"a": "b" * (LONGEST - 1)}, {"a": 1}) == f"a is 1 and would be '{'b' * (LONGEST - 1)}…"
    assert (MOST, LONGEST) == (10, 120)


def test_the_kind_is_no_difference() -> None:
    nothing = "the existing job has fields that the manifest no longer has"
    assert difference({"apiVersion": "v2", "kind": "B", "a": 1}, {"apiVersion": "v1", "kind": "A", "a": 1}) == nothing


@pytest.mark.parametrize(("wanted", "live", "same"), [("8", 8, True), (True, "True", False), ([], None, False), ({"a": 1}, "x", False)])
def test_numbers_and_their_text_are_equal(wanted: object, live: object, same: bool) -> None:
    assert (difference({"a": wanted}, {"a": live}) == "the existing job has fields that the manifest no longer has") is same
    assert difference({"a": [], "b": {}, "c": None}, {}) == "the existing job has fields that the manifest no longer has"
