# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_lifecycle_scripts against the simulated API."""

from __future__ import annotations

import boto3
import reported
from simulated import REGION
from simulated.shape import one_shape

REGIONAL = {"CreateBucketConfiguration": {"LocationConstraint": REGION}}


def test_upload_record_and_removal(account, tmp_path):
    s3 = account.client("s3")
    s3.create_bucket(Bucket="sagemaker-shape", **REGIONAL)
    (tmp_path / "on_create.sh").write_text("#!/bin/bash\n")
    scripts = [{"name": "on_create.sh", "src": str(tmp_path / "on_create.sh")}, {"name": "utils/a.py", "content": "pass\n"}]
    present = {"cluster_arn": account.arn, "bucket": "sagemaker-shape", "prefix": "ml/src", "scripts": scripts}
    absent = {"cluster_arn": account.arn, "state": "absent"}
    made, removed = one_shape(account, "cluster_lifecycle_scripts", present=present, absent=absent)
    found = made["lifecycle_scripts"]
    assert (found["prefix"], found["recorded"], found["changed"], found["others"]) == ("ml/src/", True, [], [])
    assert set(found["digests"]) == {"on_create.sh", "utils/a.py"} and made["hyperpod_findings"] == []
    assert removed["lifecycle_scripts"] is None
    assert s3.get_object(Bucket="sagemaker-shape", Key="ml/src/on_create.sh")["Body"].read() == b"#!/bin/bash\n", "it stays"


def test_new_changed_and_removed_scripts(account):
    s3 = account.client("s3")
    s3.create_bucket(Bucket="sagemaker-again", **REGIONAL)
    common = {"cluster_arn": account.arn, "bucket": "sagemaker-again"}

    def run(check: bool = False, **contents: str) -> dict:
        scripts = [{"name": name, "content": text} for name, text in contents.items()]
        return account.run("cluster_lifecycle_scripts", check=check, scripts=scripts, **common)

    run(a="1", b="2")
    newer = run(a="1", b="3")
    assert account.changes() == ["PUT /sagemaker-again/b", "PutParameter"] and newer["hyperpod_findings"] == []
    s3.put_object(Bucket="sagemaker-again", Key="a", Body=b"evil")
    predicted = run(check=True, a="1", b="3")
    assert predicted["changed"] and account.changes() == []
    assert "s3://sagemaker-again/a, which HyperPod runs as root on new nodes, was changed after its upload" in reported.texts_of(predicted, "pending")[0]
    repaired = run(a="1", b="3")
    assert account.changes() == ["PUT /sagemaker-again/a"] and "This run uploads the declared script. Check the nodes" in reported.texts_of(repaired, "note")[0]
    for check in (True, False):
        dropped = run(check=check, a="1")
        assert dropped["lifecycle_scripts"]["others"] == ["b"] and account.changes() == ([] if check else ["PutParameter"])
    assert "objects that are neither declared nor recorded as uploaded: b." in reported.texts_of(run(a="1"), "note")[0]


def test_a_bucket_of_another_account_is_refused_before_any_upload(account):
    keys = {"aws_access_key_id": "AKIAADMIN222222222222", "aws_secret_access_key": "x"}
    foreign = boto3.client("s3", region_name=REGION, endpoint_url=account.url, **keys)
    foreign.create_bucket(Bucket="sagemaker-theirs", **REGIONAL)
    scripts = [{"name": "on_create.sh", "content": "secret"}]
    for arn in (account.arn, None):
        for check in (True, False):
            refused = account.run(
                "cluster_lifecycle_scripts", check=check, cluster_arn=arn, bucket="sagemaker-theirs", scripts=scripts
            )
            assert refused["failed"] and refused["hyperpod_failure"]["code"] == "lifecycle-bucket", refused
            assert "The bucket does not belong to account 111111111111" in refused["msg"] and account.changes() == []
    assert "Contents" not in foreign.list_objects_v2(Bucket="sagemaker-theirs")


def test_every_request_to_s3_names_the_owner(account):
    """Also requests for objects, because the owner of a bucket can change between two requests."""
    account.client("s3").create_bucket(Bucket="sagemaker-owner", **REGIONAL)
    account.run("cluster_lifecycle_scripts", bucket="sagemaker-owner", scripts=[{"name": "a", "content": "1"}])
    requests = [call for call in account.control("calls") if call["service"] == "s3"]
    assert {call["operation"].split()[0] for call in requests} == {"GET", "HEAD", "PUT"}
    assert {call["arguments"].get("ExpectedBucketOwner") for call in requests} == {"111111111111"}


def test_a_missing_bucket(account):
    options = {"bucket": "sagemaker-nowhere", "scripts": [{"name": "a", "content": "1"}]}
    missing = account.run("cluster_lifecycle_scripts", **options)
    assert missing["msg"].startswith("sagemaker-nowhere: the bucket of the lifecycle scripts does not exist. Create the bucket."), missing
