# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One call for each script and parameter."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.model import Place, Script
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.plan import FORGET, PUT_OBJECT, RECORD
from botocore.stub import ANY

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
TAGS = [{"Key": "mlfleet.hyperpod/cluster", "Value": ARN.text}, {"Key": "mlfleet.hyperpod/component", "Value": "lifecycle-scripts"}]


@pytest.mark.parametrize("of_file", [True, False])
def test_an_upload_names_owner_and_digest(stubbed: t.Any, tmp_path: Path, of_file: bool) -> None:
    (tmp_path / "a").write_text("test")
    script = Script("a", "digest=", src=str(tmp_path / "a")) if of_file else Script("a", "digest=", content="test")
    client, stubber = stubbed("s3")
    sent: list[bytes] = []
    client.meta.events.register("provide-client-params.s3.PutObject", lambda params, **_: sent.append(params["Body"].read()))
    request = {"Bucket": "b", "Key": "p/a", "Body": ANY, "ChecksumSHA256": "digest=", "ExpectedBucketOwner": "111111111111"}
    stubber.add_response("put_object", {}, request)
    apply = Applier(Api(client), Parameters(Api(stubbed("ssm")[0])), None, owner="111111111111")
    apply(Step(PUT_OBJECT, {"place": Place("b", "p/"), "script": script}, ()))
    assert sent == [b"test"]


def test_parameters_are_created_overwritten_and_deleted(stubbed: t.Any) -> None:
    client, stubber = stubbed("ssm")
    common = {"Type": "String"}
    stubber.add_response("put_parameter", {"Version": 2}, {"Name": "p/0", "Value": "a", "Overwrite": True, **common})
    stubber.add_response("put_parameter", {"Version": 1}, {"Name": "p/1", "Value": "b", "Overwrite": False, "Tags": TAGS, **common})
    for name in ("p/2", "p/3"):
        stubber.add_response("delete_parameter", {}, {"Name": name})
    apply = Applier(Api(stubbed("s3")[0]), Parameters(Api(client)), ARN, owner="111111111111")
    apply(Step(RECORD, {"texts": {"p/0": "a", "p/1": "b"}, "there": ("p/0", "p/2"), "surplus": ("p/2",)}, ()))
    apply(Step(FORGET, {"surplus": ("p/3",)}, ()))
