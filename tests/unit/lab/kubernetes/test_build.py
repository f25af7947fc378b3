# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import pytest
from lab.kubernetes import build
from lab.names import LabError


def test_programs_of_the_given_folder_are_used_and_a_missing_one_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(build.FOLDER, str(tmp_path))
    for program in build.PROGRAMS:
        with pytest.raises(LabError, match=f"has no program .*{program}"):
            build.built()
        (tmp_path / program).touch(0o755)
    (tmp_path / build.ETCD).touch(0o755)
    assert build.built() == build.ensure(lambda text: None) == tmp_path
    assert build.etcd_of(tmp_path) == tmp_path / build.ETCD


def test_etcd_of_debian_is_used_if_the_folder_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, cache = tmp_path / "given", tmp_path / "cache"
    given.mkdir()
    monkeypatch.setenv(build.FOLDER, str(given))
    monkeypatch.setenv("MLFLEET_HYPERPOD_CACHE", str(cache))
    for program in build.PROGRAMS:
        (given / program).touch(0o755)
    with pytest.raises(LabError, match="make kubernetes, outside of the lab"):
        build.built()
    etcd = build.etcd_of(given)
    assert etcd.parent.parent == cache
    etcd.parent.mkdir(parents=True)
    etcd.touch(0o755)
    assert build.built() == build.ensure(lambda text: None) == given


@pytest.mark.parametrize(("printed", "version"), [("Kubernetes v1.20.2", (1, 20)), ("Kubernetes v1.34.1-eks-1", (1, 34))])
def test_the_version_is_read_from_the_program(tmp_path: Path, printed: str, version: tuple[int, int]) -> None:
    program = tmp_path / "kube-apiserver"
    program.write_text(f"#!/bin/sh\necho '{printed}'\n")
    program.chmod(0o755)
    assert build.version(tmp_path) == version
    program.write_text("#!/bin/sh\necho nothing\n")
    with pytest.raises(LabError, match="--version prints no version: 'nothing'"):
        build.version(tmp_path)


def test_a_lab_without_programs_names_the_command_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(build.FOLDER, raising=False)
    monkeypatch.setenv("MLFLEET_HYPERPOD_CACHE", str(tmp_path))
    with pytest.raises(LabError, match="make kubernetes, outside of the lab"):
        build.built()
    folder = tmp_path / f"kubernetes-{build.recipe_hash()}"
    folder.mkdir()
    (folder / build.ETCD).touch(0o755)
    assert build.built() == folder


def test_a_given_folder_may_lack_the_kubelet(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="has no program kubelet, so no node can run its Pods"):
        build.kubelet_of(tmp_path)
    (tmp_path / build.KUBELET).touch(0o755)
    assert build.kubelet_of(tmp_path) == tmp_path / build.KUBELET
