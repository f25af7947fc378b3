# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job in a file: how it is parsed, and the files that are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.source import manifest_of, text_of

JOB = "kind: PyTorchJob\nmetadata: {name: a, created: 2026-01-01}\n"
SERVICE = "kind: Service\n"
BOMB = "a0: &a0 [" + ",".join(["x"] * 10) + "]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 7))


def test_a_file_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "job.yaml.j2"
    path.write_text("---\n" + JOB + "note: \"{{ lookup('pipe', 'id') }} ${HOME}\"\n---\n")
    expected = {"kind": "PyTorchJob", "metadata": {"name": "a", "created": "2026-01-01"}, "note": "{{ lookup('pipe', 'id') }} ${HOME}"}
    assert manifest_of("src", str(path)) == expected


@pytest.mark.parametrize("name", ["job.json", "job.yaml", "job"])
def test_json_is_parsed_regardless_of_name_and_indentation(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{\n\t"kind": "Job",\n\t"spec":\t{"a": 1e3}\n}\n')
    assert manifest_of("src", str(tmp_path / name)) == {"kind": "Job", "spec": {"a": 1000.0}}


def test_a_json_file_is_not_parsed_as_yaml(tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text("kind: Job\n")
    with pytest.raises(Refused) as refused:
        manifest_of("src", str(tmp_path / "job.json"))
    assert str(refused.value) == f"src: {tmp_path}/job.json can't be used: it is not JSON: line 1: Expecting value."


def test_times_stay_text(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text("kind: Job\na: 2024-01-01T00:00:00Z\nb: 12:30:45\n2024-01-01: {c: 2001-12-14t21:59:43.10-05:00}\n")
    expected = {"kind": "Job", "a": "2024-01-01T00:00:00Z", "b": "12:30:45", "2024-01-01": {"c": "2001-12-14t21:59:43.10-05:00"}}
    assert manifest_of("src", str(tmp_path / "job.yaml")) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{SERVICE}---\n{JOB}", "with Service, PyTorchJob is not allowed: it has 2 documents. Allowed: a file with only the PyTorchJob; split"),
        (f"{JOB}---\n{JOB}---\n7", "with PyTorchJob, PyTorchJob, an object without a kind is not allowed: it has 3 documents. Allowed: a file with one job;"),
        ("", "which is empty, is not allowed"),
        ("just text", "with an object without a kind is not allowed. Allowed: a file with one job in JSON or YAML"),
        ("a: [", "can't be used: it is not YAML (line 1)"),
        (BOMB, "can't be used: it is larger than 1024 KiB after its aliases are expanded"),
        ("a: &a [*a]", "can't be used: one of its aliases contains itself"),
        ("[" * 1000, "can't be used: it is nested too deeply"),
        ("a: " + "9" * 5000, "can't be used: it has an invalid value"),
        ("a: !!binary aGk=", "can't be used: it has the tag !!binary (line 1), for which JSON has no value."),
        ('{"a": ' * 400 + "1" + "}" * 400, "can't be used: it is nested too deeply"),
        ('{"a": 1e999}', "is not allowed. Allowed: YAML that JSON can express"),
        (f"{JOB}kind: Pod\n", "can't be used: it has the key kind twice (line "),
        ('{"kind": "Job", "kind": "Pod"}', "can't be used: it has the key kind twice (line 1)."),
        ('a: {1: b, "1": c}', "can't be used: Kubernetes converts keys to strings, and then the file has the key a.1 twice."),
        ("a: .nan", "is not allowed. Allowed: YAML that JSON can express"),
        ("a: " + "x" * 300_000, "is not allowed: it is larger. Allowed: a file of at most 256 KiB"),
    ],
    ids=lambda each: each[:20],
)
def test_invalid_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "job.yaml"
    path.write_text(text)
    with pytest.raises(Refused) as refused:
        manifest_of("src", str(path))
    assert str(refused.value).startswith(f"src: {path}") and message in str(refused.value), refused.value


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="missing can't be read: No such file or directory"):
        text_of("src", str(tmp_path / "missing"), largest=10)
    with pytest.raises(Refused, match="can't be read: Is a directory"):
        text_of("src", str(tmp_path), largest=10)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refused, match="is not allowed. Allowed: a file"):
        text_of("src", str(tmp_path / "pipe"), largest=10)
    (tmp_path / "binary").write_bytes(b"\xff")
    with pytest.raises(Refused, match="Allowed: a file of text in UTF-8"):
        text_of("src", str(tmp_path / "binary"), largest=10)


def test_small_aliases_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "job.yaml"
    path.write_text("env: &env [{name: A, value: b}]\nkind: Job\nother: *env\nmerged: {<<: {a: 1}, b: 2}\n")
    found = manifest_of("src", str(path))
    assert found["other"] == found["env"] == [{"name": "A", "value": "b"}] and found["merged"] == {"a": 1, "b": 2}
