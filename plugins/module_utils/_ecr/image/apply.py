# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of an image: builds and pushes it with a program of the control node, and sets the tag in ECR."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import os
import shutil
import tempfile
import time
import typing as t

from ..._aws.client import Api, AwsError
from ..._core.failure import Failure, LostRace
from ..._core.interrupts import Interrupts
from ..._core.plan import Step
from ..._core.wait import Clock, wait_for
from ..._core.waits import Progress
from . import program, registries
from .builders import Builder
from .model import Desired, Image, Repository
from .observe import Observer
from .options import source
from .plan import BUILD
from .steps import Steps

PROPAGATION_SECONDS, PROPAGATION_INTERVAL = 60.0, 2.0
TAGGED_ALREADY, IMMUTABLE_TAG = "ImageAlreadyExistsException", "ImageTagAlreadyExistsException"
USER = "AWS"
MEDIA_TYPES = [
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.oci.image.index.v1+json",
]
"""With these, ECR returns the manifest as it was pushed. A converted manifest would have another digest."""
PULL = "ecr:BatchGetImage, ecr:GetDownloadUrlForLayer and ecr:BatchCheckLayerAvailability"
PUSH = "ecr:InitiateLayerUpload, ecr:UploadLayerPart, ecr:CompleteLayerUpload, ecr:BatchCheckLayerAvailability and ecr:PutImage"


@dataclasses.dataclass(frozen=True)
class Here:
    """The control node."""

    params: t.Mapping[str, t.Any]
    builder: t.Callable[[], Builder]
    folder: str
    """Where a private folder can be created."""
    progress: Progress
    variables: t.Mapping[str, str] = dataclasses.field(default_factory=lambda: dict(os.environ))


class Applier:
    """
    :param ecr_in: a client of ECR in another Region.
    :param hide: removes a secret from everything that the module returns.
    """

    def __init__(
        self,
        ecr: Api,
        desired: Desired,
        observer: Observer,
        here: Here,
        *,
        ecr_in: t.Callable[[str], Api],
        hide: t.Callable[[str], None],
        clock: Clock = Clock(),
    ) -> None:
        self.ecr = ecr
        self.desired = desired
        self.observer = observer
        self.here = here
        self._ecr_in = ecr_in
        self._hide = hide
        self._clock = clock
        self.secrets: list[str] = []
        """Tokens, which no message may contain."""

    def __call__(self, step: Step) -> None:
        repository = self.observer.repository()
        if step.operation == BUILD:
            self._build(repository)
        else:
            self._tag(repository)

    def _build(self, repository: Repository) -> None:
        interrupts = Interrupts()
        with interrupts.caught():
            folder = tempfile.mkdtemp(prefix="image-", dir=self.here.folder)  # only this user can read it
            try:
                with interrupts.awaited():
                    _Build(self, repository, dataclasses.replace(self.here.builder(), folder=folder)).run()
            finally:
                shutil.rmtree(folder)
        self._until(repository, self.desired.source_tag, lambda image: image is not None)

    def _tag(self, repository: Repository) -> None:
        """Give the image with the source tag the desired tag as well."""
        desired = self.desired
        image = self._until(repository, desired.source_tag, lambda found: found is not None)
        if image is None:
            raise LostRace
        name = desired.repository
        wanted = {"imageIds": [{"imageDigest": image.digest}], "acceptedMediaTypes": MEDIA_TYPES}
        answer = self.ecr.call("BatchGetImage", about=desired.built, repositoryName=name, **wanted)
        if not answer.get("images"):
            raise LostRace
        manifest = answer["images"][0]
        kind = {"imageManifestMediaType": manifest["imageManifestMediaType"]} if manifest.get("imageManifestMediaType") else {}
        given = {"imageManifest": manifest["imageManifest"], "imageTag": desired.tag, "imageDigest": image.digest, **kind}
        try:
            self.ecr.call("PutImage", about=desired.resource, repositoryName=name, **given)
        except AwsError as error:
            if error.code == IMMUTABLE_TAG:
                raise LostRace from error
            if error.code != TAGGED_ALREADY:
                raise
        self._until(repository, desired.tag, lambda found: found is not None and found.digest == image.digest)

    def token(self, host: str, region: str) -> str:
        """The password for a registry: a token of the registry's Region."""
        answer = self._ecr_in(region).call("GetAuthorizationToken", about=f"registry {host}")
        encoded = answer["authorizationData"][0]["authorizationToken"]
        self._keep(encoded)
        try:
            user, _colon, password = base64.b64decode(encoded).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            user, password = "", ""
        if user != USER or not password:
            raise Failure(f"GetAuthorizationToken for registry {host} returned a token that this module can't read.") from None
        self._keep(password)
        return password

    def _keep(self, secret: str) -> None:
        self.secrets.append(secret)
        self._hide(secret)

    def _until(self, repository: Repository, tag: str, done: t.Callable[[Image | None], bool]) -> Image | None:
        return wait_for(
            lambda: self.observer.image(repository, tag),
            done=done,
            subject=f"image tag {self.desired.repository}:{tag}",
            timeout=PROPAGATION_SECONDS,
            interval=PROPAGATION_INTERVAL,
            state=lambda image: f"on {image.digest}" if image else "missing",
            clock=self._clock,
        )


class _Build:
    """One build, with its logins."""

    def __init__(self, applier: Applier, repository: Repository, builder: Builder) -> None:
        self.applier = applier
        self.desired = applier.desired
        self.here = applier.here
        self.repository = repository
        self.builder = builder
        self.steps = Steps(self.here.progress, self.desired.built)
        self.deadline = time.monotonic() + self.desired.timeout

    def run(self) -> None:
        wanted, builder = self.desired.source, self.builder
        reference = f"{self.repository.uri}:{self.desired.source_tag}"
        hosts = registries.logins(self.repository.uri, wanted.base_images)
        builder.prepare(hosts)
        for host, region in hosts.items():
            self._login(host, region)
        built = self._run("build", builder.build(wanted, reference), self.steps)
        if built.status:
            step = f"Correct the cause. For base images in ECR, the caller needs {PULL}"
            raise Failure(f"The build of {self.desired.built} failed with status {built.status}. {step}. {built.tail}")
        if source(self.here.params) != wanted:
            raise Failure(f"Files in {wanted.context} changed during the build, so the image was not pushed. Run again.")
        pushed = self._run("push", builder.push(reference), self.steps.pushing)
        if pushed.status and self.applier.observer.image(self.repository, self.desired.source_tag) is None:
            step = f"Correct the cause and run again; the caller needs {PUSH}"
            raise Failure(f"The push of {self.desired.built} failed with status {pushed.status}. {step}. {pushed.tail}")

    def _login(self, host: str, region: str) -> None:
        password = self.applier.token(host, region)
        ran = self._run(f"login to {host}", self.builder.login(host), lambda line: None, stdin=password)
        if ran.status:
            step = f"Check that this host can be reached, and that the caller's account may use registries of ECR in {region}"
            raise Failure(f"The login of {self.builder.name} to {host} failed with status {ran.status}. {step}. {ran.tail}")

    def _run(self, what: str, argv: t.Sequence[str], on_line: t.Callable[[str], None], *, stdin: str = "") -> program.Ran:
        try:
            return program.run(
                argv,
                environment=self.builder.environment(self.here.variables),
                folder=self.desired.source.context,
                seconds=max(0.0, self.deadline - time.monotonic()),
                stdin=stdin,
                hidden=self.applier.secrets,
                on_line=on_line,
            )
        except program.Timeout:
            about = f"{self.builder.name} did not end within {self.desired.timeout} s, and was stopped"
            raise Failure(f"The {what} for {self.desired.built} by {about}. Raise timeout and run again.") from None
        except OSError as error:
            raise Failure(f"{self.builder.path} can't be started: {error.strerror}. Reinstall {self.builder.name}.") from None
