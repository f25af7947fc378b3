# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Docker, Podman and Buildah: where the program is, its commands, and its environment."""

from __future__ import annotations

import json
import os
import shutil
import typing as t
from dataclasses import dataclass

from ..._core.failure import Refused
from .model import Source

PROGRAMS = ("docker", "podman", "buildah")
"""In the order of ``builder=auto``."""
AUTO = "auto"
_KEPT = (
    *("PATH", "HOME", "TMPDIR", "XDG_RUNTIME_DIR", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
    *("DOCKER_HOST", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "STORAGE_DRIVER", "BUILDAH_ISOLATION"),
    *("CONTAINERS_CONF", "CONTAINERS_REGISTRIES_CONF", "CONTAINERS_STORAGE_CONF"),
)
"""Variables that the program gets from the module's environment. Credentials of AWS are not among them."""


@dataclass(frozen=True)
class Builder:
    """A program, and a private folder for the logins."""

    name: str
    path: str
    """Absolute path."""
    folder: str = ""

    @property
    def _authfile(self) -> list[str]:
        return [] if self.name == "docker" else ["--authfile", os.path.join(self.folder, "auth.json")]

    def login(self, host: str) -> list[str]:
        """Reads the password from standard input."""
        return [self.path, "login", *self._authfile, "--username", "AWS", "--password-stdin", host]

    def build(self, source: Source, reference: str) -> list[str]:
        """Pulls base images if the registry has newer ones. Docker and Podman cache layers without an option."""
        arguments = [each for name, value in sorted(source.build_args.items()) for each in ("--build-arg", f"{name}={value}")]
        layers = ["--layers"] if self.name == "buildah" else []
        about = ["--platform", source.platform, "--file", source.containerfile, "--tag", reference]
        return [self.path, "build", *self._authfile, "--pull", *layers, *about, *arguments, "."]

    def push(self, reference: str) -> list[str]:
        return [self.path, "push", *self._authfile, reference]

    def environment(self, variables: t.Mapping[str, str]) -> dict[str, str]:
        """The whole environment of the program.

        ``HOME`` stays, because rootless Podman keeps the images there. Docker reads logins from ``DOCKER_CONFIG`` only.
        Attestations would turn the image into a list of manifests.
        """
        docker = {"DOCKER_CONFIG": self.folder, "BUILDKIT_PROGRESS": "plain", "BUILDX_NO_DEFAULT_ATTESTATIONS": "1"}
        kept = {name: variables[name] for name in _KEPT if name in variables}
        return {**kept, "LC_ALL": "C.UTF-8", **(docker if self.name == "docker" else {})}

    def prepare(self, hosts: t.Iterable[str]) -> None:
        """Write the file for Docker's logins. Without entries in the file, Docker may save a login in the user's password store."""
        if self.name == "docker":
            with open(os.path.join(self.folder, "config.json"), "x", encoding="utf-8", opener=_private) as stream:
                json.dump({"auths": {host: {} for host in hosts}}, stream)


def find(wanted: str, variables: t.Mapping[str, str]) -> Builder:
    """The program in an absolute folder of ``PATH``.

    :raises Refused: if it is not installed.
    """
    folders = [folder for folder in variables.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(folder)]
    for name in PROGRAMS if wanted == AUTO else (wanted,):
        path = shutil.which(name, path=os.pathsep.join(folders))
        if path is not None:
            return Builder(name, path)
    missing = "none of docker, podman and buildah is" if wanted == AUTO else f"{wanted} is not"
    text = f"builder: {missing} in the absolute folders of PATH on the control node. Install docker, podman or buildah."
    raise Refused(text, option="builder")


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
