# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.builders import Builder, find
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.model import Source

SOURCE = Source("/context", "Containerfile", {"B": "2", "A": "x y"}, "linux/amd64", (), "0")


def install(folder: Path, *names: str) -> str:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("")
        (folder / name).chmod(0o755)
    return str(folder)


@pytest.mark.parametrize(("installed", "found"), [(("podman", "buildah"), "podman"), (("buildah",), "buildah"), (("buildah", "docker"), "docker")])
def test_the_first_program_is_used(tmp_path: Path, installed: tuple[str, ...], found: str) -> None:
    folder = install(tmp_path / "bin", *installed)
    assert find("auto", {"PATH": f"/nonexistent:{folder}"}) == Builder(found, f"{folder}/{found}")
    assert find("buildah", {"PATH": folder}).name == "buildah" if "buildah" in installed else True


@pytest.mark.parametrize("path", ["", ".", "bin", "/nonexistent"])
def test_programs_in_relative_folders_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    install(tmp_path / "bin", "docker")
    monkeypatch.chdir(tmp_path / "bin" if path == "." else tmp_path)
    with pytest.raises(Refused, match="Install docker, podman or buildah"):
        find("auto", {"PATH": path})


def test_commands_of_buildah_and_podman() -> None:
    buildah, podman = (Builder(name, f"/usr/bin/{name}", "/private") for name in ("buildah", "podman"))
    assert buildah.login("host") == ["/usr/bin/buildah", "login", "--authfile", "/private/auth.json", "--username", "AWS", "--password-stdin", "host"]
    arguments = ["--platform", "linux/amd64", "--file", "Containerfile", "--tag", "host/a:b", "--build-arg", "A=x y", "--build-arg", "B=2", "."]
    assert buildah.build(SOURCE, "host/a:b") == ["/usr/bin/buildah", "build", "--authfile", "/private/auth.json", "--pull", "--layers", *arguments]
    assert podman.build(SOURCE, "host/a:b") == ["/usr/bin/podman", "build", "--authfile", "/private/auth.json", "--pull", *arguments]
    assert podman.push("host/a:b") == ["/usr/bin/podman", "push", "--authfile", "/private/auth.json", "host/a:b"]


def test_docker_uses_a_private_configuration(tmp_path: Path) -> None:
    docker = Builder("docker", "/usr/bin/docker", str(tmp_path))
    assert docker.login("host") == ["/usr/bin/docker", "login", "--username", "AWS", "--password-stdin", "host"]
    assert docker.push("host/a:b") == ["/usr/bin/docker", "push", "host/a:b"]
    assert docker.environment({})["DOCKER_CONFIG"] == str(tmp_path)
    docker.prepare(["one", "two"])
    file = tmp_path / "config.json"
    assert json.loads(file.read_text()) == {"auths": {"one": {}, "two": {}}} and stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_environment_has_known_variables_only(tmp_path: Path) -> None:
    given = {"PATH": "/bin", "HOME": "/root", "https_proxy": "http://proxy", "AWS_SECRET_ACCESS_KEY": "x", "LD_PRELOAD": "x", "DOCKER_CONFIG": "x"}
    environment = Builder("podman", "/usr/bin/podman", str(tmp_path)).environment(given)
    assert environment == {"PATH": "/bin", "HOME": "/root", "https_proxy": "http://proxy", "LC_ALL": "C.UTF-8"}
    Builder("podman", "/usr/bin/podman", str(tmp_path)).prepare(["one"])
    assert os.listdir(tmp_path) == []
