# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.model import ABSENT, Desired, Repository, Source, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.observe import Observer
from botocore.exceptions import ClientError

DESIRED = Desired("training", "llama", Source("/context", "Containerfile", {}, "linux/amd64", (), "0" * 64), 1, 0)


def error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "Operation")


class Ecr:
    """Returns the answers of DescribeImages in order and repeats the last."""

    def __init__(self, *images: t.Any, repository: t.Any = None) -> None:
        self.images, self.repository = list(images), repository or {"repositoryUri": "host/training"}

    def call(self, operation: str, *, about: str, **_arguments: t.Any) -> t.Any:
        answer = self.repository
        if operation == "DescribeImages":
            answer = self.images.pop(0) if len(self.images) > 1 else self.images[0]
        if isinstance(answer, ClientError):
            raise AwsError(message=f"{operation} for {about} failed", exception=answer)
        return {"repositories": [answer], "imageDetails": [answer]}


def image(digest: str = "sha256:1", scan: str = "COMPLETE") -> dict[str, t.Any]:
    return {"imageDigest": digest, "imageScanStatus": {"status": scan}, "imageScanFindingsSummary": {}}


def waits(seconds: float) -> Waits:
    now = [0.0]
    clock = Clock(now=lambda: now[0], sleep=lambda pause: now.__setitem__(0, now[0] + pause), jitter=lambda: 0.0)
    return Waits(timeout=seconds, interval=10, clock=clock)


def test_the_repository_and_both_images() -> None:
    filters = [{"filterType": "WILDCARD", "filter": "dev*"}]
    repository = {
        "repositoryUri": "host/training",
        "imageTagMutability": "IMMUTABLE_WITH_EXCLUSION",
        "imageTagMutabilityExclusionFilters": filters,
        "imageScanningConfiguration": {"scanOnPush": True},
    }
    state = Observer(Ecr(image(), error("ImageNotFoundException"), repository=repository), DESIRED)()  # type: ignore[arg-type]
    assert state.repository == Repository("host/training", "IMMUTABLE_WITH_EXCLUSION", ("dev*",), True)
    assert state.source and state.source.digest == "sha256:1" and state.tagged is None


def test_only_a_missing_image_is_missing() -> None:
    with pytest.raises(AwsError, match="DescribeImages for training:source-0"):
        Observer(Ecr(error("ServerException")), DESIRED)()  # type: ignore[arg-type]


def test_only_a_missing_repository_is_refused() -> None:
    with pytest.raises(Refused, match=r"Create it with the module community\.aws\.ecs_ecr"):
        Observer(Ecr(repository=error("RepositoryNotFoundException")), DESIRED)()  # type: ignore[arg-type]
    with pytest.raises(AwsError, match="DescribeRepositories for repository training"):
        Observer(Ecr(repository=error("ServerException")), DESIRED)()  # type: ignore[arg-type]


def test_check_mode_accepts_a_missing_repository() -> None:
    missing = Ecr(error("no call"), repository=error("RepositoryNotFoundException"))
    assert Observer(missing, DESIRED, check_mode=True)() == State(ABSENT)  # type: ignore[arg-type]
    with pytest.raises(AwsError, match="DescribeRepositories for repository training"):
        Observer(Ecr(repository=error("ServerException")), DESIRED, check_mode=True)()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ([image(scan="PENDING"), image(scan="PENDING"), image(scan="IN_PROGRESS"), image()], "complete"),
        ([image(scan="PENDING")], "in_progress"),
        ([image(scan="PENDING"), image(scan="PENDING"), image(scan="FAILED")], "not_scanned"),
    ],
)
def test_the_scan_is_awaited(answers: list[t.Any], status: str) -> None:
    state = Observer(Ecr(*answers), DESIRED, scans=waits(60))()  # type: ignore[arg-type]
    assert state.tagged and state.tagged == state.source and state.tagged.scan.status == status


def test_the_scan_of_another_image_is_not_awaited() -> None:
    state = Observer(Ecr(image(scan="PENDING"), image("sha256:2", scan="PENDING"), image()), DESIRED, scans=waits(60))()  # type: ignore[arg-type]
    assert state.source and state.source.scan.status == "in_progress"
