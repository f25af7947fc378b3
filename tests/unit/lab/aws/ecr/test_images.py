# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images, tags and tokens by boto3 against the simulator."""

from __future__ import annotations

import base64
import hashlib
import itertools
import time
import typing as t

import boto3
import pytest
from refusals import code

NAMES = (f"images-{number}" for number in itertools.count())
OCI = "application/vnd.oci.image.manifest.v1+json"


def manifest(mark: str = "1") -> str:
    return f'{{"mediaType": "{OCI}", "config": {{"size": 2}}, "layers": [{{"size": 3}}], "mark": "{mark}"}}'


class Place:
    """A repository."""

    def __init__(self, account: t.Any, **given: t.Any) -> None:
        self.ecr, self.name = account.client("ecr"), next(NAMES)
        self.ecr.create_repository(repositoryName=self.name, **given)

    def put(self, tag: str, mark: str = "1", **more: t.Any) -> t.Any:
        return self.ecr.put_image(**self.request(tag, mark, **more))["image"]["imageId"]["imageDigest"]

    def request(self, tag: str, mark: str = "1", **more: t.Any) -> dict[str, t.Any]:
        return {"repositoryName": self.name, "imageManifest": manifest(mark), "imageTag": tag, **more}

    def describe(self, tag: str) -> dict[str, t.Any]:
        (found,) = self.ecr.describe_images(repositoryName=self.name, imageIds=[{"imageTag": tag}])["imageDetails"]
        return dict(found)


def test_a_tag_moves_and_its_former_image_stays(account):
    place = Place(account)
    one, two = place.put("a"), place.put("a", "2")
    assert one == f"sha256:{hashlib.sha256(manifest().encode()).hexdigest()}" and place.describe("a")["imageDigest"] == two
    listed = place.ecr.describe_images(repositoryName=place.name)["imageDetails"]
    assert {each["imageDigest"]: each.get("imageTags") for each in listed} == {one: None, two: ["a"]}
    assert place.describe("a")["imageSizeInBytes"] == 5 and "imageScanStatus" not in place.describe("a")


def test_refusals(account):
    place = Place(account)
    assert code(place.ecr.describe_images, repositoryName="missing") == "RepositoryNotFoundException"
    assert code(place.ecr.describe_repositories, repositoryNames=["missing"]) == "RepositoryNotFoundException"
    assert code(place.describe, tag="missing") == "ImageNotFoundException"
    place.put("a")
    assert code(place.ecr.put_image, **place.request("a")) == "ImageAlreadyExistsException"
    assert code(place.ecr.put_image, **place.request("b", imageDigest="sha256:0")) == "ImageDigestDoesNotMatchException"
    assert code(place.ecr.delete_repository, repositoryName=place.name) == "RepositoryNotEmptyException"
    place.ecr.delete_repository(repositoryName=place.name, force=True)
    assert code(place.describe, tag="a") == "RepositoryNotFoundException"


@pytest.mark.parametrize(
    ("mutability", "filters", "expected"),
    [
        ("MUTABLE", [], None),
        ("IMMUTABLE", [], "ImageTagAlreadyExistsException"),
        ("IMMUTABLE_WITH_EXCLUSION", ["a*"], None),
        ("MUTABLE_WITH_EXCLUSION", ["a*"], "ImageTagAlreadyExistsException"),
    ],
)
def test_immutable_tags(account, mutability, filters, expected):
    """https://docs.aws.amazon.com/AmazonECR/latest/userguide/image-tag-mutability.html"""
    more = {"imageTagMutabilityExclusionFilters": [{"filterType": "WILDCARD", "filter": each} for each in filters]} if filters else {}
    place = Place(account, imageTagMutability=mutability, **more)
    place.put("a1")
    if expected:
        assert code(place.ecr.put_image, **place.request("a1", "2")) == expected
    else:
        place.put("a1", "2")


def test_manifests_are_returned_for_accepted_types_only(account):
    place = Place(account)
    digest = place.put("a", imageManifestMediaType=OCI)
    asked = {"repositoryName": place.name, "imageIds": [{"imageDigest": digest}]}
    (found,) = place.ecr.batch_get_image(**asked, acceptedMediaTypes=[OCI])["images"]
    assert (found["imageManifest"], found["imageManifestMediaType"]) == (manifest(), OCI)
    assert place.ecr.batch_get_image(**asked, acceptedMediaTypes=["other"])["images"] == []


def test_reads_lag(account):
    place = Place(account)
    account.control.settings(ecr_lag_seconds=0.5)
    try:
        with account.held("ecr_lag_seconds"):
            digest = place.put("a")
            assert code(place.describe, tag="a") == "ImageNotFoundException"
        for _attempt in range(100):
            listed = [each["imageTags"] for each in place.ecr.describe_images(repositoryName=place.name)["imageDetails"] if "imageTags" in each]
            if listed:
                break
            time.sleep(0.02)
        assert place.describe("a")["imageDigest"] == digest
    finally:
        account.control.settings(ecr_lag_seconds=0)


def test_scans(account):
    place = Place(account, imageScanningConfiguration={"scanOnPush": True})
    place.put("a")
    account.control.settings(ecr_scans={place.name: {"status": "IMAGE_SIZE_EXCEEDED", "description": "large"}})
    assert place.describe("a")["imageScanStatus"] == {"status": "IMAGE_SIZE_EXCEEDED", "description": "large"}
    account.control.settings(ecr_scans={place.name: {"status": "COMPLETE", "counts": {"HIGH": 1}}})
    assert place.describe("a")["imageScanFindingsSummary"]["findingSeverityCounts"] == {"HIGH": 1}
    account.control.settings(ecr_scans={})


def test_a_token_is_for_one_region(account):
    found = []
    for region in ("us-west-2", "us-east-1"):
        keys = {"aws_access_key_id": "AKIA111111111111", "aws_secret_access_key": "x"}
        ecr = boto3.client("ecr", region_name=region, endpoint_url=account.url, **keys)
        (data,) = ecr.get_authorization_token()["authorizationData"]
        found.append(base64.b64decode(data["authorizationToken"]))
        assert data["proxyEndpoint"] == f"https://111111111111.dkr.ecr.{region}.amazonaws.com"
    assert found[0] != found[1] and all(each.startswith(b"AWS:") for each in found)
