# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook training_cluster creates a repository by community.aws, and builds and pushes an image with the real Buildah."""

from __future__ import annotations

import contextlib
import os
import tempfile
import typing as t
from dataclasses import dataclass
from pathlib import Path

import ansible_collections.amazon
import image_builds
import pytest
import yaml
from lab.aws import permissions
from lab.aws.registry import images, programs, server
from lab.kubernetes.pki import Authority
from lab.names import ACCOUNT, REGION, REGISTRY
from simulated import COLLECTIONS, Simulated, simulated_aws
from simulated.controller import ansible
from steps import step

pytestmark = pytest.mark.slow
REPOSITORY, TAG = "hyperpod-training", "llama"
CONTAINERFILE = f"""FROM {images.BASE}
COPY train.py /train.py
RUN ["/bin/busybox", "sh", "-c", "/bin/busybox wc -c < /train.py > /size"]
"""
BUILDER = f"arn:aws:iam::{ACCOUNT}:role/mlfleet-builder"
AWS_CONFIG = f"""[default]
aws_access_key_id = AKIAEXAMPLE
aws_secret_access_key = example
[profile builder]
role_arn = {BUILDER}
source_profile = default
"""
VARIABLES = {
    "hyperpod_region": REGION,
    "hyperpod_profile": "builder",
    "training_cluster_name": "train",
    "training_cluster_public_access_cidrs": ["203.0.113.0/24"],
    "training_cluster_admins": [BUILDER],
    "training_cluster_system": {},
    "training_cluster_zone": f"{REGION}a",
    "training_cluster_boundary": f"arn:aws:iam::{ACCOUNT}:policy/mlfleet-hyperpod-boundary",
}
"""A cluster without nodes, so that the run does not need Kubernetes."""
ACCEPTED = ("-e", "training_cluster_accept_cost=2")
PROGRAMS = ("docker", "podman", "buildah")
CREATED = ["CreateRepository", "PutImageScanningConfiguration"]
PUSHED = ["PutImage", "PutImage"]
"""The calls of the registry after the push, and of the module for the tag."""
WRAPPER = """#!/bin/sh
HOME={home} exec {program} "$@"
"""
"""Gives Buildah another home than Ansible has."""


@dataclass(frozen=True)
class Run:
    rc: int
    output: str
    changes: list[str]
    """Mutating calls of the run and of the registry, without those of the lock."""

    @property
    def text(self) -> str:
        return " ".join(self.output.split())

    @property
    def changed(self) -> bool:
        return "changed=0 " not in self.output.rpartition("PLAY RECAP")[2]


class Place:
    """A control node with Buildah, the simulated AWS, and the registry of ECR."""

    def __init__(self, aws: Simulated, registry: server.Registry, folder: Path, temporary: Path) -> None:
        self.aws, self.registry, self.folder, self.context = aws, registry, folder, folder / "context"
        self.temporary = temporary
        self.context.mkdir()
        (self.context / "Containerfile").write_text(CONTAINERFILE)
        self.write("print('training')\n")
        image = {"repository": REPOSITORY, "tag": TAG, "context": str(self.context), "builder": "buildah"}
        hosts = {"train": {**VARIABLES, "training_cluster_image": image}}
        (folder / "definitions.yml").write_text(yaml.safe_dump({"hyperpod_definitions": {"hosts": hosts}}))
        (folder / "home/.aws").mkdir(parents=True)
        (folder / "home/.aws/config").write_text(AWS_CONFIG)
        (folder / "bin").mkdir()
        self.variables = {"AWS_ENDPOINT_URL": aws.url, **self._builder()}

    def _builder(self) -> dict[str, str]:
        """Environment variables for Buildah, whose home is not that of Ansible."""
        program, home = self.folder / "bin/buildah", self.folder / "images"
        program.write_text(WRAPPER.format(home=home, program=programs.BUILDAH.installed() / "bin/buildah"))
        program.chmod(0o755)
        found = image_builds.variables(programs.BUILDAH, self.registry, self.folder / "ca.crt", home)
        del found["HOME"]
        return {**found, "PATH": f"{program.parent}:{found['PATH']}"}

    def write(self, text: str) -> None:
        (self.context / "train.py").write_text(text)

    def run(self, *arguments: str, **variables: str) -> Run:
        self.aws.control("reset-calls", {})
        given = ("-i", str(self.folder / "definitions.yml"), "mlfleet.hyperpod.training_cluster", *arguments)
        where = {"home": self.folder / "home", "temporary": self.temporary}
        done = ansible("playbook", *given, **where, limit=600, **{**self.variables, **variables})
        calls = self.aws.control("calls")
        changes = [each["operation"] for each in calls if each["mutating"] and each["service"] != "ssm"]
        return Run(done.returncode, done.stdout + done.stderr, changes)

    def digest(self) -> str:
        (found,) = self.aws.client("ecr").describe_images(repositoryName=REPOSITORY, imageIds=[{"imageTag": TAG}])["imageDetails"]
        return str(found["imageDigest"])


@pytest.fixture
def place(tmp_path: Path) -> t.Iterator[Place]:
    with simulated_aws(tmp_path) as aws:
        aws.control("settings", {"price_list": True, "policies": permissions.documented()})
        with image_builds.registry(aws.url, Authority(tmp_path)) as registry:
            with tempfile.TemporaryDirectory(dir="/tmp") as short:  # ansible-playbook has a socket in it, whose path has a limit
                yield Place(aws, registry, tmp_path, Path(short))


def without_community(folder: Path) -> dict[str, str]:
    """Variables of a control node that has only the required collections."""
    found = folder / "collections/ansible_collections"
    found.mkdir(parents=True)
    (found / "amazon").symlink_to(next(iter(ansible_collections.amazon.__path__)))
    (found / "mlfleet").symlink_to(COLLECTIONS / "ansible_collections/mlfleet")
    return {"ANSIBLE_COLLECTIONS_PATH": str(found.parent), "ANSIBLE_COLLECTIONS_SCAN_SYS_PATH": "false"}


def without_builders(folder: Path) -> str:
    """The value of ``PATH`` on a control node without builders."""
    path = folder / "without"
    path.mkdir()
    for each in (file for place in os.environ["PATH"].split(":") for file in Path(place).glob("*") if file.name not in PROGRAMS):
        with contextlib.suppress(FileExistsError):
            (path / each.name).symlink_to(each)
    return str(path)


def test_an_image_is_built_once_with_its_repository(place: Place) -> None:
    line = f"ecr_image {REPOSITORY}:{TAG}"
    less = without_community(place.folder)
    with step("without the collection community.aws, the run is refused before any change"):
        for arguments in ((), ("--check", *ACCEPTED), ACCEPTED):
            refused = place.run(*arguments, **less)
            assert refused.rc != 0 and refused.changes == [], refused.output
            assert f"repository {REPOSITORY}" in refused.text and "ansible-galaxy collection install community.aws" in refused.text
    with step("without a builder, too"):
        refused = place.run(*ACCEPTED, PATH=without_builders(place.folder))
        assert refused.rc != 0 and refused.changes == [], refused.output
        assert "buildah is not in the absolute folders of PATH" in refused.text
    with step("check mode reports the cluster and the image"):
        checked = place.run("--check", *ACCEPTED)
        assert (checked.rc, checked.changed, checked.changes) == (0, True, []), checked.output
        assert f"build: {line} (in a new repository)" in checked.output
    with step("the run creates the repository, builds the image and returns its digest"):
        built = place.run(*ACCEPTED)
        assert built.rc == 0 and built.changes[-4:] == [*CREATED, *PUSHED], built.output
        assert f"The training image is in ECR: {REGISTRY}/{REPOSITORY}@{place.digest()}." in built.text
        assert images.files(place.registry, REGISTRY, REPOSITORY, place.digest())["size"] == b"18\n"
    with step("the next run changes nothing, and needs neither the collection nor an accepted cost"):
        again = place.run(**less)
        assert (again.rc, again.changed, again.changes) == (0, False, []) and f"keep: {line}" in again.output, again.output
        assert place.digest() in again.text


def test_an_existing_repository_is_not_changed(place: Place) -> None:
    line = f"ecr_image {REPOSITORY}:{TAG}"
    ecr = place.aws.client("ecr")
    ecr.create_repository(repositoryName=REPOSITORY, imageTagMutability="IMMUTABLE")
    with step("the image is built in it, without changes of its settings"):
        built = place.run(*ACCEPTED, **without_community(place.folder))
        assert built.rc == 0 and built.changes[-2:] == PUSHED and not {*CREATED} & {*built.changes}, built.output
        (found,) = ecr.describe_repositories(repositoryNames=[REPOSITORY])["repositories"]
        assert (found["imageTagMutability"], found["imageScanningConfiguration"]["scanOnPush"]) == ("IMMUTABLE", False)
    before = place.digest()
    place.write("print('other')\n")
    with step("other contents under the immutable tag are refused"):
        refused = place.run("--check")
        assert refused.rc != 0 and "has this tag, which is immutable" in refused.text, refused.output
    ecr.put_image_tag_mutability(repositoryName=REPOSITORY, imageTagMutability="MUTABLE")
    with step("check mode reports the build of other contents, and the run builds them"):
        foreseen = place.run("--check")
        assert (foreseen.rc, foreseen.changed, foreseen.changes) == (0, True, []), foreseen.output
        assert f"build: {line}" in foreseen.output and "The training image is in ECR" not in foreseen.text
        other = place.run()
        assert (other.rc, other.changes) == (0, PUSHED) and place.digest() != before, other.output
