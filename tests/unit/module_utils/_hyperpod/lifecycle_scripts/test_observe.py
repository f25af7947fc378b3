# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""S3 is read with the expected owner, by the SHA-256 that S3 stores, and no more objects than needed."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.model import (
    Desired,
    Place,
    Record,
    Script,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.lifecycle_scripts.observe import Observer

OWNER, PATH = "111111111111", "/mlfleet/hyperpod/abc123def456/lifecycle-scripts"
PLACE = Place("sagemaker-x", "ml/")
OF_BUCKET = {"Bucket": "sagemaker-x", "ExpectedBucketOwner": OWNER}
WANTED = Desired(place=PLACE, scripts=(Script("on_create.sh", "1"), Script("utils/a.py", "2")))


class Answers:
    """Stubbed answers, in the order of the calls."""

    def __init__(self, stubbed: t.Any) -> None:
        self.ssm, self.parameters = stubbed("ssm")
        self.s3, self.objects = stubbed("s3")

    def recorded(self, *texts: str) -> None:
        found = [{"Name": f"{PATH}/{number}", "Type": "String", "Value": text} for number, text in enumerate(texts)]
        self.parameters.add_response("get_parameters_by_path", {"Parameters": found}, {"Path": PATH})

    def listed(self, *keys: str) -> None:
        contents = {"Contents": [{"Key": key} for key in keys], "IsTruncated": False, "KeyCount": len(keys)}
        self.objects.add_response("list_objects_v2", contents, {**OF_BUCKET, "Prefix": "ml/"})

    def head(self, name: str, digest: str | None) -> None:
        request = {**OF_BUCKET, "Key": f"ml/{name}", "ChecksumMode": "ENABLED"}
        answer = {} if digest is None else {"ChecksumSHA256": digest}
        self.objects.add_response("head_object", answer, request)

    def refuses(self, operation: str, code: str, status: int) -> None:
        self.objects.add_client_error(operation, code, http_status_code=status)

    def observed(self, desired: Desired) -> State:
        return Observer(Api(self.s3), Parameters(Api(self.ssm)), desired, owner=OWNER)()


@pytest.fixture
def answers(stubbed: t.Any) -> Answers:
    return Answers(stubbed)


def test_a_cluster_that_does_not_exist_yet_has_no_record(answers: Answers) -> None:
    answers.listed("ml/", "ml/on_create.sh", "ml/utils/", "ml/utils/a.py", "ml/json.py")
    answers.head("on_create.sh", "1")
    answers.head("utils/a.py", "9")
    assert answers.observed(WANTED) == State({}, None, PLACE, {"on_create.sh": "1", "utils/a.py": "9"}, ("json.py",))


@pytest.mark.parametrize(("digest", "expected"), [("1", "1"), (None, ""), ("abc=-3", "")])
def test_only_the_sha256_of_a_whole_object_counts(answers: Answers, digest: str | None, expected: str) -> None:
    answers.listed()
    answers.head("a", digest)
    assert answers.observed(Desired(place=PLACE, scripts=(Script("a", "1"),))).digests == {"a": expected}


def test_recorded_scripts_are_compared(answers: Answers) -> None:
    record = Record(PLACE, {"a": "1"})
    answers.recorded(*record.texts())
    answers.listed("ml/a")
    answers.head("a", "9")
    assert answers.observed(Desired(path=PATH)).changed() == ("a",)


def test_a_recorded_script_is_read_although_it_is_not_desired(answers: Answers) -> None:
    answers.recorded(*Record(PLACE, {"a": "1", "b": "2"}).texts())
    answers.listed("ml/a", "ml/b")
    answers.head("a", "1")
    answers.refuses("head_object", "404", 404)
    found = answers.observed(Desired(place=PLACE, scripts=(Script("a", "1"),), path=PATH))
    assert (found.digests, found.changed(), found.others) == ({"a": "1"}, ("b",), ())


@pytest.mark.parametrize("texts", [(), ("no json",)])
def test_without_a_record_s3_is_not_read(answers: Answers, texts: tuple[str, ...]) -> None:
    answers.recorded(*texts)
    found = answers.observed(Desired(path=PATH))
    assert found.place is None and found.unreadable is bool(texts)


def test_removing_a_record_needs_no_bucket(answers: Answers) -> None:
    answers.recorded(*Record(PLACE, {"a": "1"}).texts())
    assert answers.observed(Desired(present=False, path=PATH)).place is None


def test_an_object_with_a_customer_provided_key_has_no_digest(answers: Answers) -> None:
    answers.listed("ml/a")
    answers.refuses("head_object", "400", 400)
    assert answers.observed(Desired(place=PLACE, scripts=(Script("a", "1"),))).digests == {"a": ""}


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("AccessDenied", 403, "s3://sagemaker-x/ml/: S3 denies access to the lifecycle scripts. The bucket does not belong to account 111111111111, or"),
        ("NoSuchBucket", 404, "sagemaker-x: the bucket of the lifecycle scripts does not exist. Create the bucket."),
    ],
)
def test_a_foreign_or_missing_bucket_is_an_error(answers: Answers, code: str, status: int, message: str) -> None:
    answers.refuses("list_objects_v2", code, status)
    with pytest.raises(Refused) as refused:
        answers.observed(WANTED)
    assert str(refused.value).startswith(message) and refused.value.code == "lifecycle-bucket"


def test_an_object_without_read_permission_is_an_error(answers: Answers) -> None:
    answers.listed("ml/on_create.sh")
    answers.refuses("head_object", "403", 403)
    with pytest.raises(Refused, match="s3://sagemaker-x/ml/on_create.sh: S3 denies access to the SHA-256. The caller lacks s3:GetObject"):
        answers.observed(WANTED)


@pytest.mark.parametrize("operation", ["list_objects_v2", "head_object"])
def test_other_errors_are_raised_unchanged(answers: Answers, operation: str) -> None:
    if operation == "head_object":
        answers.listed()
    answers.refuses(operation, "ExpiredToken", 400)
    with pytest.raises(AwsError, match="failed; renew the credentials"):
        answers.observed(WANTED)


def test_not_all_of_many_other_objects_are_listed(answers: Answers) -> None:
    answers.listed(*(f"ml/{number:04}" for number in range(1000)))
    answers.head("a", "1")
    found = answers.observed(Desired(place=PLACE, scripts=(Script("a", "1"),)))
    assert len(found.others) == 12
