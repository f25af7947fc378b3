# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The real Buildah pushes an image, and nodes pull it with containerd, by its digest and with a token of ECR."""

from __future__ import annotations

import base64
import json
import typing as t
from pathlib import Path

import image_builds
import pytest
from adhoc import AS_JSON, returned
from eks_world import EksWorld, command, until, workers
from harness import STATE_DIR, Run
from lab.aws.ecr import tokens
from lab.aws.registry import images, programs, server
from lab.names import ACCOUNT, REGION, REGISTRY
from lab.pods import claims, network, pytorch
from steps import step

pytestmark = pytest.mark.slow
REAL, SPACE, REPOSITORY = "gpus", "research", "hyperpod-training"
SECRET, FOREIGN = "registry", "registry-of-another-region"
CONTAINERFILE = f"""FROM {images.BASE}
COPY notes /notes
RUN ["/bin/busybox", "sh", "-ec", "b=/bin/busybox; $b wc -c < /notes > /size; $b ln -s usr/lib usr/lib64 /; $b mkdir -m 1777 /tmp"]
"""
"""Nodes add /usr with Python and PyTorch to each container."""


@pytest.fixture
def pods() -> t.Iterator[EksWorld]:
    pytorch.installed()
    with EksWorld(real=[REAL]) as world:
        world.training.start()
        world.hyperpod("ml", [workers(REAL, 2)])
        until(lambda: len(world.seen("nodes")["items"]) == 2)
        ready = world.kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s")
        assert ready.returncode == 0, ready.stderr
        world.api.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        claims.claim(world.api, SPACE, "fsx", shared=True)
        for name, region in ((SECRET, REGION), (FOREIGN, "us-east-1")):
            world.api.create(f"/api/v1/namespaces/{SPACE}/secrets", secret(name, tokens.password(ACCOUNT, region)))
        ecr = world.aws("ecr")
        ecr.create_repository(repositoryName=REPOSITORY)
        yield world
        ecr.delete_repository(repositoryName=REPOSITORY, force=True)


@pytest.fixture
def registry(pods: EksWorld) -> t.Iterator[server.Registry]:
    """At the address that nodes have for it, with a certificate of the cluster's authority, which they trust."""
    with image_builds.registry(pods.paths.api_url, pods.plane.issuer, address=(network.GATEWAY, 443)) as made:
        yield made


def secret(name: str, password: str) -> dict[str, t.Any]:
    """As ``kubectl create secret docker-registry`` creates it."""
    content = json.dumps({"auths": {REGISTRY: {"username": tokens.USER, "password": password}}})
    data = {".dockerconfigjson": base64.b64encode(content.encode()).decode()}
    return {"metadata": {"name": name}, "type": "kubernetes.io/dockerconfigjson", "data": data}


def build(pods: EksWorld, registry: server.Registry, folder: Path) -> dict[str, t.Any]:
    """The image that the module builds and pushes."""
    (folder / "Containerfile").write_text(CONTAINERFILE)
    (folder / "notes").write_text("trained\n")
    options = {"repository": REPOSITORY, "tag": "llama", "context": str(folder), "builder": "buildah"}
    environment = image_builds.variables(programs.BUILDAH, registry, pods.plane.folder / "ca.crt", pods.plane.folder / "buildah")
    done = pods.world.run(command("training_image", options), env={**AS_JSON, **environment})
    assert "CHANGED" in done.stdout, done.stdout
    image: dict[str, t.Any] = returned(done.stdout)["training_image"]
    return image


def start(pods: EksWorld, name: str, image: str, *secrets: str) -> None:
    """Create a Pod that prints a file of the image."""
    container = {"name": "main", "image": image, "command": ["/bin/busybox", "cat", "/size"]}
    spec = {"restartPolicy": "Never", "containers": [container], "imagePullSecrets": [{"name": each} for each in secrets]}
    pods.api.create(f"/api/v1/namespaces/{SPACE}/pods", {"metadata": {"name": name}, "spec": spec})


def status(pods: EksWorld, name: str) -> dict[str, t.Any]:
    """Of the Pod's container; empty at first."""
    found: list[dict[str, t.Any]] = pods.api.get(f"/api/v1/namespaces/{SPACE}/pods/{name}")["status"].get("containerStatuses") or [{}]
    return found[0]


def waits(pods: EksWorld, name: str) -> str:
    """The reason for which the container waits."""
    return str(status(pods, name).get("state", {}).get("waiting", {}).get("reason"))


def verify(pods: EksWorld, image: str, secret: str) -> Run:
    given = {"image": image, "pull_secrets": [secret], "namespace": SPACE, "claim": "fsx", "steps": 20, "health": False, "nccl": False}
    return pods.world.playbook("verify_training", "-e", json.dumps({f"verify_training_{name}": value for name, value in given.items()}))


def trained() -> dict[str, t.Any]:
    jobs: dict[str, t.Any] = json.loads((STATE_DIR / "verify_training.json").read_text())["clusters"]["ml"]["jobs"]
    return jobs


def test_nodes_pull_a_built_image_with_a_token(pods: EksWorld, registry: server.Registry, tmp_path: Path) -> None:
    with step("Buildah builds and pushes the image"):
        image = build(pods, registry, tmp_path)
        reference = image["reference"]
        registry.requests.clear()

    with step("without a token, and with one for another Region, the registry refuses the pull"):
        for name, secrets in (("without", ()), ("foreign", (FOREIGN,))):
            start(pods, name, reference, *secrets)
            until(lambda name=name: waits(pods, name) in ("ErrImagePull", "ImagePullBackOff"))
        assert {(host, result) for _method, host, _path, result in registry.requests} == {(REGISTRY, 401)}

    with step("verify_training reports that a Pod can't pull the image"):
        failed = verify(pods, reference, FOREIGN)
        assert failed.rc == 2 and trained()["train"]["failure"] == "image" and "401 Unauthorized). Name an image" in failed.log, failed.log

    with step("with a token for the registry's Region, a Pod runs the image with this digest"):
        start(pods, "prints", reference, SECRET)
        until(lambda: "terminated" in status(pods, "prints").get("state", {}))
        assert status(pods, "prints")["imageID"] == reference == f"{REGISTRY}/{REPOSITORY}@{image['digest']}"
        assert pods.kubectl("logs", "-n", SPACE, "prints").stdout == "8\n"

    with step("verify_training trains in the image on both nodes"):
        done = verify(pods, reference, SECRET)
        assert done.rc == 0 and "Training works" in done.output, done.log
        assert [trained()[name]["image_digests"] for name in ("train", "resume")] == [[reference], [reference]]
