# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report store in a folder, and one in a bucket of the simulated S3."""

from __future__ import annotations

import stat
import types
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import store as of_store
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.documents import Document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Bucket, Folder
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.store import NotStored, store
from lab.aws import permissions
from simulated import REGION, Simulated, simulated_aws

DOCUMENTS = [Document(f"v1/clusters/{name}/verify/1.json", f'"{name}"') for name in "abc"] + [Document("v1/runs/1.json", '"run"')]
BUCKET = "mlfleet-reports-111111111111"
CREATED = {"CreateBucketConfiguration": {"LocationConstraint": REGION}}


def stored(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_documents_in_a_folder_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    store(Folder(str(folder)), DOCUMENTS)
    assert stored(folder) == {each.key: each.text for each in DOCUMENTS}
    modes = {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert modes == {0o600, 0o700}


def test_a_file_is_never_replaced(tmp_path: Path) -> None:
    store(Folder(str(tmp_path)), DOCUMENTS[-1:])
    with pytest.raises(NotStored, match=r"v1/runs/1.json: File exists"):
        store(Folder(str(tmp_path)), [Document("v1/runs/1.json", "other")])
    assert stored(tmp_path) == {"v1/runs/1.json": '"run"'}, "and no temporary file is left"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotStored, match=r"file/reports/v1/clusters/a/verify/1.json: File exists"):
        store(Folder(str(tmp_path / "file/reports")), DOCUMENTS)


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulated]:
    with simulated_aws(tmp_path_factory.mktemp("aws")) as simulated:
        simulated.client("s3").create_bucket(Bucket=BUCKET, **CREATED)
        simulated.control("settings", {"policies": permissions.documented("report-store")})
        yield simulated


@pytest.fixture
def bucket(aws: Simulated, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> t.Iterator[Bucket]:
    """A prefix of its own for each test."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", aws.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-example")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    aws.control("reset-calls", {})
    yield Bucket(BUCKET, request.node.originalname)
    aws.clear_faults()


def objects(aws: Simulated, bucket: Bucket) -> dict[str, str]:
    """The objects of a test, without the prefix of their keys."""
    s3, prefix = aws.client("s3"), f"{bucket.prefix}/"
    keys = [each["Key"] for each in s3.list_objects_v2(Bucket=bucket.name, Prefix=prefix).get("Contents", [])]
    return {key.removeprefix(prefix): s3.get_object(Bucket=bucket.name, Key=key)["Body"].read().decode() for key in keys}


def request(bucket: Bucket, key: str) -> str:
    return f"PUT /{bucket.name}/{bucket.key(key)}"


def test_documents_in_a_bucket(aws: Simulated, bucket: Bucket) -> None:
    store(bucket, DOCUMENTS)
    assert sorted(aws.calls()) == sorted(request(bucket, each.key) for each in DOCUMENTS)
    assert aws.calls()[-1] == request(bucket, DOCUMENTS[-1].key)
    assert objects(aws, bucket) == {each.key: each.text for each in DOCUMENTS}


def test_an_object_is_never_replaced(aws: Simulated, bucket: Bucket) -> None:
    store(bucket, DOCUMENTS[-1:])
    store(bucket, [Document("v1/runs/1.json", "other")])
    assert objects(aws, bucket) == {"v1/runs/1.json": '"run"'}


def test_a_lost_reply_does_not_fail(aws: Simulated, bucket: Bucket) -> None:
    aws.fault(kind="cut_after", operation=request(bucket, "v1/runs/1.json"), times=1)
    store(bucket, DOCUMENTS)
    assert len(objects(aws, bucket)) == len(DOCUMENTS) and aws.calls().count(request(bucket, "v1/runs/1.json")) == 2


def test_the_run_is_stored_only_after_all_clusters(aws: Simulated, bucket: Bucket) -> None:
    aws.fault(kind="error", operation=request(bucket, "v1/clusters/b/verify/1.json"), code="AccessDenied", times=1)
    with pytest.raises(NotStored, match=r"PutObject for s3://.*/v1/clusters/b/verify/1.json: .*AccessDenied"):
        store(bucket, DOCUMENTS)
    assert "v1/runs/1.json" not in objects(aws, bucket)


def test_a_missing_right_and_a_missing_profile_are_named(bucket: Bucket) -> None:
    with pytest.raises(NotStored, match="not authorized to perform: s3:PutObject"):
        store(Bucket("there-is-none"), DOCUMENTS)
    with pytest.raises(NotStored, match="no client for S3: The config profile \\(missing\\) could not be found"):
        store(Bucket(bucket.name, "", "missing"), DOCUMENTS)


def test_a_slow_bucket_does_not_hold_up_the_run(aws: Simulated, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_store, "LIMIT", 0.5)
    aws.fault(kind="hang", operation=request(bucket, "v1/clusters/a/verify/1.json"))
    with pytest.raises(NotStored, match="Read timeout|did not end within 0.5 s"):
        store(bucket, DOCUMENTS)


def test_all_documents_share_one_limit(aws: Simulated, bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock passes the limit while the documents of the clusters are sent."""
    moments = iter((0, 0, of_store.LIMIT + 1))
    monkeypatch.setattr(of_store, "time", types.SimpleNamespace(monotonic=lambda: next(moments)))
    aws.fault(kind="hang", operation=request(bucket, "v1/runs/1.json"))
    with pytest.raises(NotStored, match="runs/1.json did not end within 20 s"):
        store(bucket, DOCUMENTS)
