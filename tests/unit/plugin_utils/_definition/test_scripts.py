# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lifecycle scripts are uploaded to the one place that the groups name, and never from outside their folder."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.scripts import Script, Scripts, scripts_of


def defined(*uris: str | None) -> dict[str, t.Any]:
    return {"instance_groups": [{"name": "a", "life_cycle_config": {"source_s3_uri": uri} if uri else None} for uri in uris]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "utils").mkdir()
    (tmp_path / "on_create.sh").write_text("true\n")
    (tmp_path / "utils/a.py").write_text("pass\n")
    return tmp_path


@pytest.mark.parametrize(("uri", "prefix"), [("s3://sagemaker-x/ml/src/", "ml/src/"), ("s3://sagemaker-x/ml", "ml/"), ("s3://sagemaker-x", "")])
def test_each_file_becomes_an_object(folder: Path, uri: str, prefix: str) -> None:
    found = scripts_of("d", str(folder), defined(uri, None, uri), None)
    files = [Script(name, src=str(folder / name)) for name in ("on_create.sh", "utils/a.py")]
    assert found == Scripts("sagemaker-x", prefix, files)


def test_given_parameters_replace_those_in_the_folder(folder: Path) -> None:
    (folder / "provisioning_parameters.json").write_text("{}")
    *_files, last = scripts_of("d", str(folder), defined("s3://sagemaker-x"), {"version": "1.0.0"}).scripts
    assert last == Script("provisioning_parameters.json", content='{\n  "version": "1.0.0"\n}\n')
    assert len(_files) == 2
    assert len(scripts_of("d", str(folder), defined("s3://sagemaker-x"), None).scripts) == 3


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        (defined(), "d: all groups must have the same source_s3_uri, but they have none."),
        (
            defined("s3://sagemaker-b", "s3://sagemaker-a"),
            "d: all groups must have the same source_s3_uri, but they have s3://sagemaker-a, s3://sagemaker-b.",
        ),
        (defined("s3://code/x"), "instance_groups: 's3://code/x' is not allowed. Allowed: a source_s3_uri that begins with s3://sagemaker-."),
    ],
)
def test_groups_must_name_a_single_place(folder: Path, definition: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        scripts_of("d", str(folder), definition, None)
    assert str(refused.value) == message


@pytest.mark.parametrize("event", ["on_create", "on_init_complete"])
def test_a_folder_without_the_script_of_a_group_is_refused(folder: Path, event: str) -> None:
    definition = defined("s3://sagemaker-x", "s3://sagemaker-x")
    for group, name in zip(definition["instance_groups"], ("utils/a.py", "on_creat.sh")):
        group["life_cycle_config"][event] = name
    with pytest.raises(Refused) as refused:
        scripts_of("d", str(folder), definition, None)
    assert str(refused.value) == (
        f"d: {str(folder)!r} is not allowed: on_creat.sh, the {event} of instance group a, is missing; the folder has on_create.sh. "
        "Allowed: a folder with the scripts of all groups."
    )


@pytest.mark.parametrize(("content", "message"), [('{"a":\n}', "line 2, a: Expecting value"), ("[]", "it contains a list")])
def test_parameters_in_the_folder_must_be_one_object_of_json(folder: Path, content: str, message: str) -> None:
    (folder / "provisioning_parameters.json").write_text(content)
    with pytest.raises(Refused, match="provisioning_parameters.json") as refused:
        scripts_of("d", str(folder), defined("s3://sagemaker-x"), None)
    assert message in str(refused.value)
    assert len(scripts_of("d", str(folder), defined("s3://sagemaker-x"), {"version": "1.0.0"}).scripts) == 3


@pytest.mark.parametrize(
    ("worker", "message"),
    [
        ({"instance_group_name": "a"}, r"worker_groups\[0\].partition_name: missing; it must be the name of the Slurm partition"),
        ({"instance_group_name": "a", "partition_name": 5}, r"worker_groups\[0\].partition_name: 5 is not allowed"),
        ({"partition_name": "p"}, r"worker_groups\[0\].instance_group_name: missing"),
        ("a", r"worker_groups\[0\]: 'a' is not allowed"),
    ],
)
def test_worker_groups_in_the_folder_need_a_partition(folder: Path, worker: t.Any, message: str) -> None:
    (folder / "provisioning_parameters.json").write_text(json.dumps({"own_field": 1, "worker_groups": [worker]}))
    with pytest.raises(Refused, match=message):
        scripts_of("d", str(folder), defined("s3://sagemaker-x"), None)


def test_parameters_in_the_folder_may_have_additional_fields(folder: Path) -> None:
    worker = {"instance_group_name": "a", "partition_name": "p", "own": 1}
    for given in ({"own_field": 1}, {"own_field": 1, "worker_groups": [worker]}):
        (folder / "provisioning_parameters.json").write_text(json.dumps(given))
        assert len(scripts_of("d", str(folder), defined("s3://sagemaker-x"), None).scripts) == 3


def test_a_link_out_of_the_folder_is_refused(folder: Path) -> None:
    (folder / "utils/key").symlink_to("/etc/hostname")
    with pytest.raises(Refused, match="utils/key' is not allowed: it is a link to a file outside of the folder"):
        scripts_of("d", str(folder), defined("s3://sagemaker-x"), None)


def test_a_missing_or_empty_folder_is_refused(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "none", "a folder with scripts."), (tmp_path, "it is empty")):
        with pytest.raises(Refused, match=why):
            scripts_of("d", str(path), defined("s3://sagemaker-x"), None)
