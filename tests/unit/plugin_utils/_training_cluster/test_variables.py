# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that are lists or objects: what the modules of the run define, they define here too."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.rules import THROUGHPUTS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import variables


def test_the_run_sets_the_network_of_the_file_system() -> None:
    assert {"subnet_id", "security_group_ids"} & variables.STORAGE.keys() == set()
    assert {"storage_capacity", "deployment_type", "efa", "metadata_iops"} < variables.STORAGE.keys()


@pytest.mark.parametrize(("kind", "throughput"), [(kind, each) for kind, values in THROUGHPUTS.items() for each in values])
def test_each_throughput_of_fsx_is_valid(kind: str, throughput: int) -> None:
    given = {"storage_capacity": 2400, "deployment_type": kind, "per_unit_throughput": throughput}
    assert refusals(variables.check_file_system, "option", given) == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"per_unit_throughput": 33}, "option.per_unit_throughput: 33 is not allowed: deployment_type is PERSISTENT_2. Allowed: 125, 250"),
        ({"per_unit_throughput": 125, "efa": "yes"}, "option.efa: 'yes' is not allowed. Allowed: true and false."),
        ({"per_unit_throughput": 125, "backup_retention_days": 91}, "option.backup_retention_days: 91 is not allowed. Allowed: 0 to 90."),
        ({"deployment_type": "SCRATCH_2", "efa": True, "metadata_iops": 1500}, "option.efa: True is not allowed: deployment_type is SCRATCH_2"),
        ({"per_unit_throughput": 125, "compression": "LZ5"}, "option.compression: 'LZ5' is not allowed. Allowed: NONE, LZ4."),
        ({"per_unit_throughput": True}, "option.per_unit_throughput: True is not allowed. Allowed: a whole number."),
    ],
)
def test_a_refused_setting_of_the_file_system_has_its_path(given: dict[str, t.Any], sentence: str) -> None:
    found = refusals(variables.check_file_system, "option", {"storage_capacity": 2400, **given})
    assert any(each.startswith(sentence) for each in found), found


@pytest.mark.parametrize("repository", ["aa", "a-b/c_d/e.f", "a" * 256])
@pytest.mark.parametrize("tag", ["v1", "_", "A.b-c", "x" * 128])
def test_names_of_ecr(repository: str, tag: str) -> None:
    assert refusals(variables.check_image, "option", {"repository": repository, "tag": tag, "context": "/a"}) == []


@pytest.mark.parametrize("repository", ["a", "a" * 257, "a//b", "/aa", "aa/", "a..b", "a b"])
@pytest.mark.parametrize("tag", ["", ".a", "-a", "x" * 129, "source-a", "a b"])
def test_invalid_names_of_ecr(repository: str, tag: str) -> None:
    assert len(refusals(variables.check_image, "option", {"repository": repository, "tag": tag or "-", "context": "/a"})) == 2


@pytest.mark.parametrize(("path", "wrong"), [("a/b", 0), ("a..b", 0), ("..a", 0), ("../a", 1), ("a/../b", 1), ("a/..", 1), ("/a", 1), ("", 1)])
def test_the_containerfile_is_inside_the_folder(path: str, wrong: int) -> None:
    given = {"repository": "aa", "tag": "v1", "context": "/a", "containerfile": path}
    assert len(refusals(variables.check_image, "option", given)) == wrong


@pytest.mark.parametrize(("price", "wrong"), [(0, 0), ("12.5", 0), (1e9, 0), (-0.01, 1), ("nan", 1), ("inf", 1)])
def test_prices(price: t.Any, wrong: int) -> None:
    assert len(refusals(variables.check_cost, "option", price)) == wrong


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"nvidia": "mirror.example/nvidia:v0.20.0", "efa": f"efa@sha256:{64 * 'a'}"}, ""),
        ({"nvidia": "nvidia:latest"}, "option.nvidia: 'nvidia:latest' is not allowed. Allowed: an image with a tag other than latest"),
        ({"efa": "efa"}, "option.efa: 'efa' is not allowed"),
        ({"efa": 1}, "option.efa: 1 is not allowed"),
        ({"neuron": "neuron:v1"}, "option.neuron: "),
    ],
)
def test_images_of_device_plugins_do_not_move(given: dict[str, t.Any], sentence: str) -> None:
    found = refusals(variables.check_plugin_images, "option", given)
    assert [each.startswith(sentence) for each in found] == [True] * bool(sentence), found
