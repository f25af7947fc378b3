# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a repository and its images from ECR."""

from __future__ import annotations

import contextlib
import typing as t

from ..._aws.client import Api, AwsError
from ..._core.failure import Refused
from ..._core.times import iso_seconds
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits
from .model import ABSENT, NOT_FOUND, Desired, Image, Repository, State
from .scan import IN_PROGRESS, scan_of

NO_REPOSITORY = "RepositoryNotFoundException"
SCAN_INTERVAL = 10.0
"""Seconds."""


class Observer:
    """
    :param scans: how to wait for the scan of an image; None for no wait.
    :param check_mode: accepts a missing repository, which an earlier task may have predicted.
    """

    def __init__(self, ecr: Api, desired: Desired, *, scans: Waits | None = None, check_mode: bool = False) -> None:
        self._ecr = ecr
        self._desired = desired
        self._scans = scans
        self._check_mode = check_mode

    def __call__(self) -> State:
        """:raises Refused: if the repository does not exist."""
        repository = self.repository()
        if repository is ABSENT:
            return State(repository)
        state = State(repository, self.image(repository, self._desired.source_tag), self.image(repository, self._desired.tag))
        if state.source is None or not state.in_place or self._scans is None:
            return state
        scanned = self._scanned(repository, state.source, self._scans)
        return State(repository, scanned, scanned)

    def image(self, repository: Repository, tag: str) -> Image | None:
        """The image with the tag; None if no image has the tag."""
        name = self._desired.repository
        about = f"{name}:{tag}"
        try:
            answer = self._ecr.call("DescribeImages", about=about, repositoryName=name, imageIds=[{"imageTag": tag}])
        except AwsError as error:
            if error.code != NOT_FOUND:
                raise
            return None
        details = answer["imageDetails"]
        return _image(details[0], repository) if details else None

    def repository(self) -> Repository:
        """:raises Refused: if the repository does not exist."""
        name = self._desired.repository
        try:
            answer = self._ecr.call("DescribeRepositories", about=f"repository {name}", repositoryNames=[name])
        except AwsError as error:
            if error.code != NO_REPOSITORY:
                raise
            if self._check_mode:
                return ABSENT
            text = f"repository: {name} does not exist in this Region and account. Create it with the module community.aws.ecs_ecr."
            raise Refused(text, option="repository") from error
        found = answer["repositories"][0]
        return Repository(
            found["repositoryUri"],
            found.get("imageTagMutability", "MUTABLE"),
            tuple(each["filter"] for each in found.get("imageTagMutabilityExclusionFilters") or ()),
            bool((found.get("imageScanningConfiguration") or {}).get("scanOnPush")),
        )

    def _scanned(self, repository: Repository, image: Image, waits: Waits) -> Image:
        """The image when its scan has ended, or when the time is over."""
        seen: list[Image] = [image]

        def look() -> Image:
            seen.append(self.image(repository, self._desired.tag) or image)
            return seen[-1]

        with contextlib.suppress(WaitTimeout):
            waits.until(
                look,
                done=lambda each: each.scan.status != IN_PROGRESS,
                subject=f"the scan of {self._desired.resource}",
                state=lambda each: each.scan.reason,
            )
        return seen[-1]


def _image(detail: t.Mapping[str, t.Any], repository: Repository) -> Image:
    return Image(
        detail["imageDigest"],
        int(detail.get("imageSizeInBytes", 0)),
        iso_seconds(detail["imagePushedAt"]) if "imagePushedAt" in detail else "",
        scan_of(detail, scans_on_push=repository.scans_on_push),
    )
