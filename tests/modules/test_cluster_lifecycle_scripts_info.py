# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_lifecycle_scripts_info against the simulated API."""

from __future__ import annotations

import reported
from simulated import REGION
from simulated.shape import reads

REGIONAL = {"CreateBucketConfiguration": {"LocationConstraint": REGION}}
MODULE = "cluster_lifecycle_scripts_info"


def test_scripts_are_compared_with_the_uploaded_ones(account):
    nothing = reads(account, MODULE, cluster_arn=account.arn)
    assert nothing["lifecycle_scripts"] is None and account.calls() == ["GetParametersByPath"]

    s3 = account.client("s3")
    s3.create_bucket(Bucket="sagemaker-info", **REGIONAL)
    scripts = [{"name": name, "content": name} for name in ("a", "b", "c")]
    account.run("cluster_lifecycle_scripts", cluster_arn=account.arn, bucket="sagemaker-info", prefix="ml", scripts=scripts)
    same = reads(account, MODULE, cluster_arn=account.arn)
    assert (same["lifecycle_scripts"]["changed"], same["hyperpod_findings"]) == ([], [])

    s3.put_object(Bucket="sagemaker-info", Key="ml/b", Body=b"evil")
    s3.delete_object(Bucket="sagemaker-info", Key="ml/c")
    s3.put_object(Bucket="sagemaker-info", Key="ml/d", Body=b"more")
    s3.put_object(Bucket="sagemaker-info", Key="elsewhere", Body=b"other")
    other = reads(account, MODULE, cluster_arn=account.arn, check=True)
    found = other["lifecycle_scripts"]
    assert (found["changed"], found["others"], sorted(found["digests"])) == (["b", "c"], ["d"], ["a", "b"])
    assert [each["code"] for each in other["hyperpod_findings"]] == ["lifecycle-script-changed"] * 2 + ["lifecycle-object-unknown"]


def test_digests_that_cannot_be_read_are_pending(account):
    path, ssm = f"/mlfleet/hyperpod/{account.id}/lifecycle-scripts", account.client("ssm")
    ssm.put_parameter(Name=f"{path}/0", Value="{}", Type="String")
    ssm.get_parameters_by_path(Path=path)  # reads lag behind writes: the first read within 0.2 s returns the old value
    found = reads(account, MODULE, cluster_arn=account.arn)
    assert found["lifecycle_scripts"] is None and "could not be read" in reported.texts_of(found, "pending")[0]


def test_a_bucket_of_another_account_is_refused(account):
    s3 = account.client("s3")
    s3.create_bucket(Bucket="sagemaker-moved", **REGIONAL)
    account.run("cluster_lifecycle_scripts", cluster_arn=account.arn, bucket="sagemaker-moved", scripts=[{"name": "a", "content": "1"}])
    account.fault(kind="deny", operation="GET /sagemaker-moved")
    refused = account.run(MODULE, cluster_arn=account.arn)
    assert refused["failed"] and refused["hyperpod_failure"]["code"] == "lifecycle-bucket", refused
