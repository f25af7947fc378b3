# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors of ECR while an image gets its tag, and tokens. Builds are tested with a builder in tests/modules and tests/campaign."""

from __future__ import annotations

import base64
import dataclasses
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Progress
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.apply import MEDIA_TYPES, Applier, Here
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.builders import Builder
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.model import Desired, Source
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.observe import Observer
from botocore.exceptions import ClientError

DESIRED = Desired("training", "llama", Source("/context", "Containerfile", {}, "linux/amd64", (), "0" * 64), 1, 0)
IMAGE = {"imageDigest": "sha256:1"}
MANIFEST = {"imageManifest": "{}", "imageManifestMediaType": MEDIA_TYPES[0]}


def error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "Operation")


class Ecr:
    """``tags`` are the images of the tags; PutImage gives the tag its image unless it fails."""

    def __init__(self, *, put: t.Any = None, images: t.Sequence[t.Any] = (MANIFEST,), token: str = "", before: t.Any = None, uri: str = "host/a") -> None:
        self.put, self.images, self.token, self.uri = put, list(images), token, uri
        self.tags = {DESIRED.source_tag: IMAGE, "llama": before}
        self.calls: list[tuple[str, dict[str, t.Any]]] = []

    def call(self, operation: str, *, about: str, **arguments: t.Any) -> t.Any:
        self.calls.append((operation, arguments))
        answer: t.Any = {"images": self.images, "authorizationData": [{"authorizationToken": self.token}], "repositories": [{"repositoryUri": self.uri}]}
        if operation == "DescribeImages":
            found = self.tags[arguments["imageIds"][0]["imageTag"]]
            answer = {"imageDetails": [found]} if found else error("ImageNotFoundException")
        if operation == "PutImage":
            answer = self.put or {}
            self.tags["llama"] = IMAGE if not self.put else self.tags["llama"]
        if isinstance(answer, ClientError):
            raise AwsError(message=f"{operation} for {about} failed", exception=answer)
        return answer


def applier(ecr: Ecr, hidden: list[str] | None = None) -> Applier:
    now = [0.0]
    clock = Clock(now=lambda: now[0], sleep=lambda pause: now.__setitem__(0, now[0] + pause), jitter=lambda: 0.0)
    here = Here({}, lambda: Builder("buildah", "/usr/bin/buildah"), "/nonexistent", Progress(None))
    api: t.Any = ecr
    return Applier(api, DESIRED, Observer(api, DESIRED), here, ecr_in=lambda _region: api, hide=(hidden or []).append, clock=clock)


def tag(ecr: Ecr) -> None:
    applier(ecr)(Step("PutImage", {}, ()))


def test_the_tag_is_set_with_the_manifest_as_it_was_pushed() -> None:
    ecr = Ecr()
    tag(ecr)
    calls = dict(ecr.calls)
    assert calls["BatchGetImage"] == {"repositoryName": "training", "imageIds": [IMAGE], "acceptedMediaTypes": MEDIA_TYPES}
    assert calls["PutImage"] == {"repositoryName": "training", "imageTag": "llama", "imageDigest": "sha256:1", **MANIFEST}


def test_a_tag_that_another_run_has_set_alike_is_accepted() -> None:
    tag(Ecr(put=error("ImageAlreadyExistsException"), before=IMAGE))


@pytest.mark.parametrize("ecr", [Ecr(put=error("ImageTagAlreadyExistsException")), Ecr(images=())])
def test_lost_races(ecr: Ecr) -> None:
    with pytest.raises(LostRace):
        tag(ecr)


def test_another_error_is_named() -> None:
    with pytest.raises(AwsError, match="PutImage for image tag training:llama failed"):
        tag(Ecr(put=error("LayersNotFoundException")))


def test_a_tag_that_does_not_appear() -> None:
    with pytest.raises(WaitTimeout, match="image tag training:llama is still on sha256:2 after 60 s"):
        tag(Ecr(put=error("ImageAlreadyExistsException"), before={"imageDigest": "sha256:2"}))


def test_logins_are_removed_after_a_failed_one(tmp_path: Path) -> None:
    """The module's temporary folder is removed later; this does not depend on it."""
    logins = tmp_path / "logins"
    logins.mkdir()
    made = applier(Ecr(token=base64.b64encode(b"AWS:password").decode(), uri="111111111111.dkr.ecr.us-west-2.amazonaws.com/training"))
    made.here = Here({}, lambda: Builder("docker", "/bin/false"), str(logins), Progress(None))
    made.desired = dataclasses.replace(DESIRED, timeout=60, source=dataclasses.replace(DESIRED.source, context=str(tmp_path)))
    with pytest.raises(Failure, match="The login of docker to 111111111111.dkr.ecr.us-west-2.amazonaws.com failed with status 1"):
        made(Step("build", {}, ()))
    assert list(logins.iterdir()) == []


def test_a_token_is_hidden() -> None:
    hidden: list[str] = []
    token = base64.b64encode(b"AWS:pass:word").decode()
    made = applier(Ecr(token=token))
    made._hide = hidden.append
    assert made.token("host", "us-west-2") == "pass:word"
    assert hidden == made.secrets == [token, "pass:word"]


@pytest.mark.parametrize("token", ["x", base64.b64encode(b"other:password").decode(), base64.b64encode(b"AWS:").decode(), "//79"])
def test_a_token_that_is_not_one_is_not_shown(token: str) -> None:
    with pytest.raises(Failure, match="GetAuthorizationToken for registry host returned a token") as caught:
        applier(Ecr(token=token)).token("host", "us-west-2")
    assert token not in str(caught.value).replace("registry host", "") or token == "x"
