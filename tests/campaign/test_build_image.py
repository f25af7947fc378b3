# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that the real Buildah and Podman build and push to the registry of the lab, from a base image in a registry of another Region."""

from __future__ import annotations

import hashlib
import http.client
import typing as t
from pathlib import Path

import image_builds
import pytest
from lab.aws import permissions
from lab.aws.registry import images, programs, server
from lab.kubernetes.pki import Authority
from lab.names import REGISTRY
from simulated import Simulated, simulated_aws

pytestmark = pytest.mark.slow  # the builders are unpacked for the campaign only
MODULE, NAME = "training_image", "hyperpod-training"
CONTAINERFILE = """# escape=`
ARG BASE
FROM ${BASE} AS base
COPY train.py /train.py
RUN ["/bin/busybox", "sh", "-c", "/bin/busybox wc -c < /train.py > /size"]
FROM base
COPY --from=base /size /copied
"""


class Place:
    """The simulated AWS, its registry with a base image, and a builder."""

    def __init__(self, aws: Simulated, registry: server.Registry, folder: Path, builder: programs.Program) -> None:
        self.aws, self.registry, self.context, self.builder = aws, registry, folder / "context", builder.name
        self.context.mkdir()
        (self.context / "Containerfile").write_text(CONTAINERFILE)
        (self.context / ".dockerignore").write_text("notes\n")
        self.write("train.py", "print('training')\n")
        aws.variables = image_builds.variables(builder, registry, folder / "ca.crt", folder)

    def write(self, name: str, text: str) -> None:
        (self.context / name).write_text(text)

    def build(self, **more: t.Any) -> dict[str, t.Any]:
        wanted = {"repository": NAME, "tag": "llama", "context": str(self.context), "builder": self.builder, "build_args": {"BASE": images.BASE}}
        return self.aws.run(MODULE, **{**wanted, **more})

    def files(self, tag: str) -> dict[str, bytes]:
        return images.files(self.registry, REGISTRY, NAME, tag)


@pytest.fixture(params=programs.PROGRAMS.values(), ids=programs.PROGRAMS)
def place(tmp_path: Path, request: pytest.FixtureRequest) -> t.Iterator[Place]:
    with simulated_aws(tmp_path) as aws:
        aws.client("ecr").create_repository(repositoryName=NAME)
        aws.control("settings", {"policies": permissions.documented("training-image")})
        with image_builds.registry(aws.url, Authority(tmp_path)) as registry:
            yield Place(aws, registry, tmp_path, request.param)


def test_an_image_is_built_once_and_tagged(place: Place) -> None:
    built = place.build()
    assert not built.get("failed"), built["msg"]
    image = built["training_image"]
    files = place.files(image["source_tag"])
    assert files["train.py"] == b"print('training')\n" and files["size"] == files["copied"] == b"18\n"
    (found,) = place.aws.client("ecr").describe_images(repositoryName=NAME, imageIds=[{"imageTag": "llama"}])["imageDetails"]
    assert found["imageDigest"] == image["digest"] == f"sha256:{hashlib.sha256(place.registry.manifests[REGISTRY, NAME, image['source_tag']][1]).hexdigest()}"

    requests = len(place.registry.requests)
    place.write("notes", "ignored\n")
    again = place.build()
    assert (again["changed"], again["training_image"], len(place.registry.requests)) == (False, image, requests)

    place.write("train.py", "print('other')\n")
    other = place.build()
    assert other["changed"] and other["training_image"]["digest"] != image["digest"] and place.files(other["training_image"]["source_tag"])["size"] == b"15\n"

    place.write("train.py", "print('training')\n")
    requests = len(place.registry.requests)
    back = place.build()
    assert back["training_image"] == image and len(place.registry.requests) == requests, "the first image has the tag again, without a build"


def test_a_failed_instruction_is_shown(place: Place) -> None:
    place.write("Containerfile", CONTAINERFILE.replace("/size", "/missing/size"))
    failed = place.build()
    assert failed["failed"] and "failed with status" in failed["msg"] and "/missing/size" in failed["msg"]
    assert not [each for each in place.registry.manifests if each[0] == REGISTRY]


def test_a_base_image_that_does_not_exist_is_named(place: Place) -> None:
    failed = place.build(build_args={"BASE": f"{images.BASE_HOST}/pytorch:2"})
    assert failed["failed"] and f"{images.BASE_HOST}/pytorch:2" in failed["msg"] and "ecr:GetDownloadUrlForLayer" in failed["msg"]


def test_a_token_of_another_region_is_refused(place: Place) -> None:
    """The registry of the base image refuses the token of the image's Region, as AWS does."""
    token = place.aws.client("ecr").get_authorization_token()["authorizationData"][0]["authorizationToken"]
    for host, status in ((REGISTRY, 200), (images.BASE_HOST, 401)):
        connection = http.client.HTTPConnection(*place.registry.address, timeout=10)
        connection.request("GET", "/v2/", headers={"Host": host, "Authorization": f"Basic {token}"})
        assert connection.getresponse().status == status
