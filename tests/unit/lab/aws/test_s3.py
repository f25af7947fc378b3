# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""S3 refuses requests that expect another owner of a bucket or have a wrong checksum."""

from __future__ import annotations

import base64
import hashlib

import pytest
from botocore.exceptions import ClientError
from lab.aws.control.client import Control
from refusals import code

OURS, OTHERS = "111111111111", "222222222222"
BUCKET = "sagemaker-elsewhere"


@pytest.fixture(scope="module")
def s3(account):
    """Client of an account that does not own the bucket."""
    region = {"LocationConstraint": "us-west-2"}
    other = type(account)(account.url, OTHERS).client("s3")
    other.create_bucket(Bucket=BUCKET, CreateBucketConfiguration=region)
    other.put_object(Bucket=BUCKET, Key="a", Body=b"theirs")
    return account.client("s3")


REQUESTS = {
    "list_objects_v2": {},
    "head_object": {"Key": "a"},
    "get_object": {"Key": "a"},
    "put_object": {"Key": "a", "Body": b"ours"},
    "head_bucket": {},
}


@pytest.mark.parametrize("operation", REQUESTS)
def test_another_owner_than_expected_is_refused(s3, operation):
    request = {"Bucket": BUCKET, **REQUESTS[operation]}
    with pytest.raises(ClientError) as refused:
        getattr(s3, operation)(**request, ExpectedBucketOwner=OURS)
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
    assert refused.value.response["Error"]["Code"] == ("403" if operation.startswith("head") else "AccessDenied")
    assert s3.get_object(Bucket=BUCKET, Key="a", ExpectedBucketOwner=OTHERS)["Body"].read() == b"theirs"


def test_a_missing_bucket_is_not_found(s3):
    assert code(s3.list_objects_v2, Bucket="sagemaker-nowhere", ExpectedBucketOwner=OURS) == "NoSuchBucket"


def test_a_body_must_have_its_checksum(s3):
    digest = base64.b64encode(hashlib.sha256(b"good").digest()).decode()
    assert code(s3.put_object, Bucket=BUCKET, Key="b", Body=b"bad", ChecksumSHA256=digest) == "BadDigest"
    s3.put_object(Bucket=BUCKET, Key="b", Body=b"good", ChecksumSHA256=digest)
    assert s3.head_object(Bucket=BUCKET, Key="b", ChecksumMode="ENABLED")["ChecksumSHA256"] == digest
    s3.put_object(Bucket=BUCKET, Key="b", Body=b"other")
    assert "ChecksumSHA256" not in s3.head_object(Bucket=BUCKET, Key="b", ChecksumMode="ENABLED")


def test_files_of_a_folder_become_objects(account, s3, tmp_path):
    for name in ("v1/a/x.json", "v1/b/y.json", "v2/z.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert Control(account.url).put_objects(BUCKET, str(tmp_path), "v1") == 2
    listed = s3.list_objects_v2(Bucket=BUCKET, Prefix="v")["Contents"]
    assert [each["Key"] for each in listed] == ["v1/a/x.json", "v1/b/y.json"]
    assert s3.get_object(Bucket=BUCKET, Key="v1/b/y.json")["Body"].read() == b"v1/b/y.json"
