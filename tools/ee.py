# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the execution environment (extensions/ee) from the lab's Debian tree and this tree's archive: `make ee`.

It differs from the definition in the parts that need a registry, Galaxy or AWS: the base image, the collections (ours from the
archive, amazon.aws from the package `ansible`), and the Session Manager plugin, which the tests provide.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import typing as t
from pathlib import Path

import yaml

REPO = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPO / "tests"))

from lab.hosts import rootfs  # noqa: E402
from lab.names import cache_folder  # noqa: E402

HOME = cache_folder() / "ee"
TREE = HOME / "tree"
"""The finished image as a folder: the campaign runs it without a container engine."""
DEFINITION = REPO / "extensions/ee/execution-environment.yml"
BASE, IMAGE = "localhost/lab-debian:1", "localhost/mlfleet-hyperpod-ee:1"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def lab_definition(definition: t.Mapping[str, t.Any], *, archive: str, ansible: str) -> dict[str, t.Any]:
    """The definition for a machine that can reach package indexes only. ``ansible`` is the pinned community package."""
    steps = definition["additional_build_steps"]
    dependencies = definition["dependencies"]
    return {
        **definition,
        "images": {"base_image": {"name": BASE}},
        "dependencies": {
            **dependencies,
            "ansible_core": {"package_pip": ansible},
            "galaxy": {"collections": [{"name": f"archives/{archive}", "type": "file"}]},
        },
        "additional_build_files": [{"src": archive, "dest": "archives"}],
        "additional_build_steps": {
            "prepend_base": steps["prepend_base"],
            "prepend_galaxy": ["COPY _build/archives/ archives/"],
        },
    }


def main() -> None:
    work = HOME / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    version = yaml.safe_load((REPO / "galaxy.yml").read_text(encoding="utf-8"))["version"]  # the folder may have older archives
    archive = REPO / f".cache/mlfleet-hyperpod-{version}.tar.gz"
    shutil.copy(archive, work)
    _context(work, archive.name)
    buildah = _Buildah(work)
    buildah.base(rootfs.ensure(print))
    buildah.build(work / "context")
    buildah.unpack(TREE)
    print(f"Execution environment {IMAGE}: {TREE}")


def _context(work: Path, archive: str) -> None:
    python = HOME / "venv"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python], check=True)
    pip: list[str | Path] = [python / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--requirement", REPO / "requirements/ee.txt"], check=True)
    lock = (REPO / "requirements/lock-python-3.12.txt").read_text(encoding="utf-8").split("\n")
    ansible = next(line for line in lock if line.startswith("ansible=="))
    definition = lab_definition(yaml.safe_load(DEFINITION.read_text(encoding="utf-8")), archive=archive, ansible=ansible)
    (work / "execution-environment.yml").write_text(yaml.safe_dump(definition, sort_keys=False), encoding="utf-8")
    create: list[str | Path] = [python / "bin/ansible-builder", "create", "--output-filename", "Containerfile"]
    subprocess.run(create, cwd=work, check=True, stdout=subprocess.DEVNULL)


class _Buildah:
    """buildah with separate storage in the cache; chroot isolation needs no daemon and no control groups."""

    def __init__(self, work: Path) -> None:
        self._policy = work / "policy.json"
        self._policy.write_text('{"default": [{"type": "insecureAcceptAnything"}]}', encoding="utf-8")
        self._pip = work / "pip.conf"
        kept = "[install]\nignore-installed = true\n"  # because pip can't remove the packages of Debian
        self._pip.write_text(f"[global]\ncert = /run/machine-certificates.crt\n{kept}", encoding="utf-8")
        storage = work / "storage.conf"
        folders = f'runroot = "{HOME}/run"\ngraphroot = "{HOME}/graph"\n'
        storage.write_text(f'[storage]\ndriver = "overlay"\n{folders}', encoding="utf-8")
        self._environment = {**os.environ, "CONTAINERS_STORAGE_CONF": str(storage)}

    def base(self, tree: Path) -> None:
        """Create the base image from the lab's tree, with the archive keys for its apt."""
        container = self._run("from", "--signature-policy", self._policy, "scratch")
        folder = Path(self._run("mount", container))
        _copy(tree, folder)
        sources = folder / "etc/apt/sources.list"
        text = sources.read_text(encoding="utf-8")
        options = text[text.index("[") : text.index("]") + 1]
        sources.write_text(text.replace(options, f"[signed-by={KEYRING}]"), encoding="utf-8")
        self._run("umount", container)
        self._run("commit", "--signature-policy", self._policy, "--quiet", "--rm", container, BASE)

    def build(self, context: Path) -> None:
        mounts = [f"{CERTIFICATES}:/run/machine-certificates.crt:ro", f"{self._pip}:/etc/pip.conf:ro"]
        options: list[str | Path] = ["--isolation", "chroot", "--pull-never", "--format", "docker"]
        options += ["--signature-policy", self._policy]
        options += [part for mount in mounts for part in ("--volume", mount)]
        options += ["--build-arg", "ANSIBLE_GALAXY_CLI_COLLECTION_OPTS=--offline", "--tag", IMAGE]
        argv: list[str | Path] = ["buildah", "build", *options, "--file", context / "Containerfile", context]
        log = HOME / "build.log"
        with open(log, "w", encoding="utf-8") as out:
            done = subprocess.run(argv, env=self._environment, stdout=out, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            lines = log.read_text(encoding="utf-8").split("\n")
            sys.exit("\n".join([*lines[-20:], f"The build failed (log: {log})."]))

    def unpack(self, tree: Path) -> None:
        container = self._run("from", "--signature-policy", self._policy, "--pull-never", IMAGE)
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        _copy(Path(self._run("mount", container)), tree)
        self._run("rm", container)

    def _run(self, *arguments: str | Path) -> str:
        argv = ["buildah", *arguments]
        return subprocess.run(argv, env=self._environment, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def _copy(source: Path, target: Path) -> None:
    tar: list[str | Path] = ["tar", "-C", source, "--one-file-system", "--exclude=./dev/*", "-c", "."]
    with subprocess.Popen(tar, stdout=subprocess.PIPE) as reading:
        subprocess.run(["tar", "-C", target, "-x"], stdin=reading.stdout, check=True)
    if reading.returncode:
        sys.exit(f"{source} could not be copied.")


if __name__ == "__main__":
    main()
