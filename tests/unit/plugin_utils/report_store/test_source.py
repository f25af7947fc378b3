# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a folder, and a bucket of the simulated S3, with objects that are broken, too large, missing or slow."""

from __future__ import annotations

import os
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import source as of_source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.documents import Document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Bucket, Folder
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import (
    LATE,
    NotListed,
    Reading,
    Unreadable,
    source,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.store import store
from lab.aws import permissions
from simulated import REGION, Simulated, simulated_aws

ROOT = "v1/clusters/"
KEYS = [f"{ROOT}{cluster}/verify/{number}.json" for cluster in ("a-b", "a", "b") for number in (1, 2)]
"""In the order of S3, in which the hyphen precedes the slash."""
BUCKET = "mlfleet-reports-111111111111"
CREATED = {"CreateBucketConfiguration": {"LocationConstraint": REGION}}


def fill(place: Folder | Bucket) -> None:
    store(place, [Document(key, f'{{"key": "{key}"}}') for key in KEYS])


def content(key: str, raw: t.Any) -> str:
    return f"{key.removeprefix(ROOT)} {raw['key'] == key}"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulated]:
    with simulated_aws(tmp_path_factory.mktemp("aws")) as simulated:
        simulated.client("s3").create_bucket(Bucket=BUCKET, **CREATED)
        with pytest.MonkeyPatch.context() as patch:
            environment(patch, simulated)
            fill(Bucket(BUCKET, "fleet"))
        simulated.control("settings", {"policies": permissions.documented("report-store-read")})
        yield simulated


def environment(patch: pytest.MonkeyPatch, aws: Simulated) -> None:
    patch.setenv("AWS_ENDPOINT_URL", aws.url)
    patch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    patch.setenv("AWS_SECRET_ACCESS_KEY", "secret-example")
    patch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def bucket(aws: Simulated, monkeypatch: pytest.MonkeyPatch) -> t.Iterator[Bucket]:
    environment(monkeypatch, aws)
    yield Bucket(BUCKET, "fleet")
    aws.clear_faults()


@pytest.fixture(params=["folder", "bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Folder | Bucket:
    if request.param == "bucket":
        return request.getfixturevalue("bucket")
    fill(Folder(str(tmp_path)))
    return Folder(str(tmp_path))


def test_folders_and_keys_are_in_the_order_of_s3(place: Folder | Bucket) -> None:
    found = source(place)
    assert found.folders(ROOT) == ["a-b", "a", "b"]
    assert list(found.keys(ROOT, "", "")) == KEYS
    assert list(found.keys(ROOT, f"{ROOT}a/", f"{ROOT}a0")) == KEYS[2:4]
    assert list(found.keys(f"{ROOT}b/", f"{ROOT}b/verify/1.json", "")) == KEYS[5:]


def test_objects_are_read(place: Folder | Bucket) -> None:
    reading = Reading(source(place))
    found = reading.objects([*KEYS, KEYS[0]], content)
    assert list(found.values()) == [f"{key.removeprefix(ROOT)} True" for key in KEYS] and reading.count == len(KEYS)


def test_calls_are_counted(bucket: Bucket) -> None:
    found = source(bucket)
    assert list(found.keys(ROOT, "", "")) == KEYS
    Reading(found).objects(KEYS[:2], content)
    assert found.calls == {"ListObjectsV2": 1, "GetObject": 2}


def test_a_missing_object_and_one_that_is_too_large_are_named(place: Folder | Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_source, "LARGEST", 10)
    found = Reading(source(place)).objects([KEYS[0], f"{ROOT}none.json"], content)
    assert found[KEYS[0]] == Unreadable(KEYS[0], "not read", "has more than 10 bytes")
    assert isinstance(found[f"{ROOT}none.json"], Unreadable) and "can't be read: " in found[f"{ROOT}none.json"].reason


@pytest.mark.parametrize("text", ['{"key": "v1', "", "[" * 100_000, "\xff"], ids=["truncated", "empty", "deep", "bytes"])
def test_an_object_that_is_not_json(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_bytes(text.encode("latin-1"))
    (found,) = Reading(source(Folder(str(tmp_path)))).objects(["x.json"], content).values()
    assert isinstance(found, Unreadable) and (found.kind, found.reason) == ("broken", "is not JSON, for example because it is truncated")


def test_links_and_other_files_of_a_folder_are_never_followed(tmp_path: Path) -> None:
    """A pipe would block the run, and a link could point to any file of the control node."""
    folder, secret = tmp_path / "store/v1/clusters/a", tmp_path / "secret.json"
    folder.mkdir(parents=True)
    secret.write_text("{}")
    (folder / "link.json").symlink_to(secret)
    (folder.parent / "other").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.json")
    found = source(Folder(str(tmp_path / "store")))
    assert list(found.keys(ROOT, "", "")) == [f"{ROOT}a/pipe.json"] and found.folders(ROOT) == ["a"]
    reasons = [each.reason for each in Reading(found).objects([f"{ROOT}a/link.json", f"{ROOT}a/pipe.json"], content).values()]
    assert "can't be read" in reasons[0] and "is not JSON" in reasons[1]


def test_an_empty_folder_has_no_reports_and_a_file_is_no_store(tmp_path: Path) -> None:
    assert source(Folder(str(tmp_path / "none"))).folders(ROOT) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(NotListed, match="file/v1/clusters/: Not a directory"):
        source(Folder(str(tmp_path / "file"))).folders(ROOT)


def test_a_bucket_that_cannot_be_listed(bucket: Bucket) -> None:
    with pytest.raises(NotListed, match="could not be listed: s3://there-is-none/v1/clusters/: .*s3:ListBucket"):
        source(Bucket("there-is-none")).folders(ROOT)
    with pytest.raises(NotListed, match="No client for S3: The config profile \\(missing\\) could not be found"):
        source(Bucket(bucket.name, "", "missing"))


def test_an_object_that_access_is_denied_to_is_named(aws: Simulated, bucket: Bucket) -> None:
    aws.fault(kind="error", operation=f"GET /{bucket.name}/{bucket.key(KEYS[0])}", code="AccessDenied", times=1)
    found = Reading(source(bucket)).objects(KEYS[:2], content)
    assert isinstance(found[KEYS[0]], Unreadable) and "AccessDenied" in found[KEYS[0]].reason
    assert found[KEYS[1]] == "a-b/verify/2.json True"


def test_objects_after_the_deadline_are_not_read(place: Folder | Bucket) -> None:
    moments = iter([0, 0, of_source.SECONDS + 1])
    reading = Reading(source(place), clock=lambda: next(moments))
    found = reading.objects(KEYS[:1], content) | reading.objects(KEYS[1:2], content)
    assert list(found.values()) == ["a-b/verify/1.json True", Unreadable(KEYS[1], "not read", LATE)]
