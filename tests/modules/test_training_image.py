# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""training_image against the simulated API and its registry, with a stand-in for the builder, under the policy for images."""

from __future__ import annotations

import concurrent.futures
import json
import os
import signal
import time

import pytest
from lab.aws import permissions
from lab.aws.ecr import tokens
from modules.fixtures.image import BASE
from simulated.shape import changes_once, reads

MODULE = "training_image"
SCAN = {"training_image.scan.severities", "training_image.scan.completed_at"}
"""Values that check mode can't predict and does not mark."""
REGIONS = ("us-west-2", "us-east-1")


def test_built_pushed_and_tagged_once(images):
    images.make()
    done = changes_once(images, MODULE, unforeseen=SCAN, **images.wanted)
    made = done["training_image"]
    assert images.commands() == ["login", "login", "build", "push"]
    assert made["digest"] == images.digest("llama") == images.digest(made["source_tag"])
    assert made | {"digest": "", "pushed_at": "", "source_tag": "", "reference": ""} == {
        "repository_uri": images.uri,
        "tag": "llama",
        "digest": "",
        "reference": "",
        "source_tag": "",
        "size_bytes": 64,
        "pushed_at": "",
        "platform": "linux/amd64",
        "base_images": [BASE],
        "scan": {
            "status": "not_scanned",
            "reason": "The repository does not scan images on push, and no scan was started.",
            "severities": {},
            "completed_at": None,
        },
    }
    assert made["reference"] == f"{images.uri}@{made['digest']}" and len(made["source_tag"]) == len("source-") + 20
    assert [(each["action"], each["resource"]) for each in done["changes"]] == [
        ("create", f"image {images.name}:{made['source_tag']}"),
        ("create", f"image tag {images.name}:llama"),
    ]
    assert done["mutating"] == ["PutImage", "PutImage"], "one of the registry after the push, one for the tag"
    assert "Containerfile" in [each["argv"] for each in images.started()][2]


def test_each_login_uses_a_token_of_its_region(images):
    images.make()
    images.run(MODULE, **images.wanted)
    logins = {each["argv"][-1]: each["stdin"] for each in images.started() if each["argv"][0] == "login"}
    assert logins == {
        "111111111111.dkr.ecr.us-west-2.amazonaws.com": tokens.password("111111111111", "us-west-2"),
        "763104351884.dkr.ecr.us-east-1.amazonaws.com": tokens.password("111111111111", "us-east-1"),
    }
    asked = [call["region"] for call in images.control("calls") if call["operation"] == "GetAuthorizationToken"]
    assert sorted(asked) == sorted(REGIONS)


def test_tokens_are_only_in_private_files_that_are_removed(images, tmp_path):
    images.make()
    images.run(MODULE, **images.wanted, _ansible_verbosity=4)
    images.order(push={"status": 1, "lines": [tokens.password("111111111111", "us-west-2")]})
    images.write("train.py", "print('more')\n")
    failed = images.run(MODULE, **images.wanted, _ansible_verbosity=4)
    assert failed["failed"] and "***" in failed["msg"]
    secrets = [each(account, region) for each in (tokens.password, tokens.token) for account in ("111111111111",) for region in REGIONS]
    for each in images.started():
        assert (each["folder_mode"], each["mode"] in (None, 0o600)) == (0o700, True)
        assert not os.path.exists(os.path.dirname(each["authfile"]))
        shown = json.dumps([each["argv"], each["environment"]])
        assert not [secret for secret in secrets if secret in shown]
    assert not [secret for secret in secrets for text in (*images.printed, json.dumps(images.control("calls"))) if secret in text]


def test_the_environment_of_the_builder_has_no_credentials(images):
    images.make()
    images.run(MODULE, **images.wanted)
    for each in images.started():
        assert each["folder"] == str(images.context)
        assert [name for name in each["environment"] if name.startswith("AWS_")] == []
        assert each["environment"]["HTTPS_PROXY"] == "http://proxy.example:3128"


@pytest.mark.parametrize(
    "changed",
    [{"build_args": {"VERSION": "2"}}, {"platform": "linux/arm64"}, {"context": "changed"}, {"containerfile": "Other"}],
    ids=lambda each: next(iter(each)),
)
def test_other_contents_are_built_and_the_tag_moves(images, changed):
    images.make()
    before = images.run(MODULE, **images.wanted)["training_image"]["digest"]
    images.write("Other", "FROM scratch\n")
    images.run(MODULE, **images.wanted, check=True)
    if "context" in changed:
        images.write("train.py", "print('changed')\n")
        changed = {}
    done = changes_once(images, MODULE, unforeseen=SCAN, **{**images.wanted, "containerfile": "Containerfile", **changed})
    moved = done["changes"][1]
    assert (moved["action"], moved["before"], moved["after"]) == ("update", before, "(known after apply)")
    assert images.digest("llama") != before


def test_an_image_with_the_same_contents_gets_the_tag_without_a_build(images):
    images.make()
    built = images.run(MODULE, **images.wanted)["training_image"]["digest"]
    other = images.tag_other("llama")
    started = len(images.started())
    done = changes_once(images, MODULE, **images.wanted)
    assert [(each["before"], each["after"]) for each in done["changes"]] == [(other, built)]
    second = changes_once(images, MODULE, **{**images.wanted, "tag": "stable"})
    assert second["training_image"]["digest"] == built and len(images.started()) == started


def test_no_builder_is_needed_without_a_build(images):
    images.make()
    images.run(MODULE, **images.wanted)
    images.use_path("/nonexistent")
    reads(images, MODULE, **images.wanted)


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(
    ("builder", "found", "text"),
    [
        ("auto", "/nonexistent", "none of docker, podman and buildah is in the absolute folders of PATH"),
        ("podman", None, "podman is not in the absolute folders of PATH"),
        ("auto", "programs:.", "none of docker, podman and buildah is"),
    ],
)
def test_a_missing_builder_is_refused_before_any_change(images, check, builder, found, text):
    images.make()
    images.use_path(found or str(images.programs))
    refused = images.run(MODULE, **images.wanted, builder=builder, check=check)
    assert refused["failed"] and text in refused["msg"] and "Install docker, podman or buildah." in refused["msg"]
    assert images.started() == [] and "GetAuthorizationToken" not in images.calls()


@pytest.mark.parametrize(
    ("mutability", "tag"),
    [
        ({"imageTagMutability": "IMMUTABLE"}, "llama"),
        ({"imageTagMutability": "MUTABLE_WITH_EXCLUSION", "imageTagMutabilityExclusionFilters": [{"filterType": "WILDCARD", "filter": "ll*"}]}, "llama"),
    ],
)
def test_an_immutable_tag_of_another_image_is_refused_before_the_build(images, mutability, tag):
    images.make(**mutability)
    other = images.tag_other(tag)
    refused = images.run(MODULE, **images.wanted)
    assert refused["failed"] and f"image {other} was built from other contents and has this tag, which is immutable" in refused["msg"]
    assert images.started() == [] and images.changes() == []


def test_new_tags_in_an_immutable_repository_are_set(images):
    images.make(imageTagMutability="IMMUTABLE")
    changes_once(images, MODULE, unforeseen=SCAN, **images.wanted)


def test_a_repository_that_does_not_exist_is_refused(images):
    refused = images.run(MODULE, **images.wanted)
    assert refused["failed"] and f"repository: {images.name} does not exist in this Region and account." in refused["msg"]
    assert "community.aws.ecs_ecr" in refused["msg"] and images.started() == []


def test_check_mode_foresees_an_image_in_a_repository_that_an_earlier_task_creates(images):
    foreseen = images.run(MODULE, **images.wanted, check=True)
    assert foreseen["changed"] and {foreseen["training_image"][each] for each in ("repository_uri", "digest", "reference")} == {"(known after apply)"}
    assert [each["action"] for each in foreseen["changes"]] == ["create", "create"] and images.started() == []


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"repository": "111111111111.dkr.ecr.us-west-2.amazonaws.com/a"}, "without registry and tag"),
        ({"tag": "source-1"}, "tag: 'source-1' is not allowed"),
        ({"tag": "a b"}, "tag: 'a b' is not allowed"),
        ({"context": "/nonexistent"}, "the absolute path of a folder"),
        ({"containerfile": "../Containerfile"}, "relative to the context"),
        ({"containerfile": "missing"}, "relative to the context"),
        ({"build_args": {"a b": "1"}}, "names of letters, digits and _"),
        ({"timeout": 0}, "timeout: 0 is not allowed"),
        ({"timeout": 39601}, "timeout: 39601 is not allowed"),
        ({"scan_timeout": -1}, "scan_timeout: -1 is not allowed"),
    ],
)
def test_bad_options_are_refused_before_any_call(images, wrong, text):
    refused = images.run(MODULE, **{**images.wanted, **wrong})
    assert refused["failed"] and text in refused["msg"] and images.calls() == []


def test_a_failed_build_shows_its_last_lines(images):
    images.make()
    images.order(build={"status": 125, "lines": [*(f"line {number}" for number in range(30)), "RUN \x1b[31mfailed"]})
    failed = images.run(MODULE, **images.wanted)
    assert f"The build of image {images.name}:source-" in failed["msg"] and "failed with status 125. Correct the cause." in failed["msg"]
    lines = failed["msg"].split("Last lines of the output:\n")[1].split("\n")
    assert len(lines) == 20 and lines[-1] == "RUN ?[31mfailed" and lines[0] == "line 11"
    assert failed["changes"] == [] and images.commands() == ["login", "login", "build"]


@pytest.mark.slow
def test_a_build_that_takes_too_long_is_stopped(images):
    images.make()
    images.order(build={"seconds": 60})
    failed = images.run(MODULE, **images.wanted, timeout=2)
    assert "by buildah did not end within 2 s, and was stopped. Raise timeout and run again." in failed["msg"]
    assert not os.path.exists(os.path.dirname(images.started()[0]["authfile"]))


@pytest.mark.slow
def test_an_interrupted_module_stops_the_builder_and_removes_the_logins(images):
    images.make()
    images.order(build={"seconds": 60})
    with concurrent.futures.ThreadPoolExecutor() as pool:
        running = pool.submit(images.start, MODULE, **images.wanted)
        deadline = time.monotonic() + 30
        while "build" not in images.commands() and time.monotonic() < deadline:
            time.sleep(0.05)
        build = images.started()[-1]
        os.kill(build["parent"], signal.SIGTERM)
        failed = running.result()
    assert "The run was interrupted by SIGTERM." in failed["msg"]
    assert not os.path.exists(os.path.dirname(build["authfile"])) and images.commands()[-1] == "build"


def test_files_that_change_during_the_build_are_not_pushed(images):
    images.make()
    images.order(build={"write": [str(images.context / "train.py"), "print('changed')\n"]})
    failed = images.run(MODULE, **images.wanted)
    assert f"Files in {images.context} changed during the build, so the image was not pushed. Run again." in failed["msg"]
    assert images.commands() == ["login", "login", "build"]


def test_a_push_whose_end_was_lost_is_accepted(images):
    images.make()
    images.order(push={"status": 1, "after": True})
    done = images.run(MODULE, **images.wanted)
    assert not done.get("failed") and images.digest("llama") == done["training_image"]["digest"]


def test_a_run_after_an_interrupted_one_only_sets_the_tag(images):
    images.make()
    images.fault(kind="deny", operation="PutImage", where={"imageTag": "llama"})
    failed = images.run(MODULE, **images.wanted)
    assert f"PutImage for image tag {images.name}:llama failed" in failed["msg"]
    assert f"already done: create image {images.name}:source-" in failed["msg"]
    images.clear_faults()
    started = len(images.started())
    done = images.run(MODULE, **images.wanted)
    assert done["changed"] and [each["action"] for each in done["changes"]] == ["create"] and len(images.started()) == started


def test_a_lost_reply_of_put_image_is_not_an_error(images):
    images.make()
    images.run(MODULE, **images.wanted)
    images.fault(kind="cut_after", operation="PutImage", times=1)
    done = images.run(MODULE, **{**images.wanted, "tag": "stable"})
    assert done["changed"] and images.digest("stable") == done["training_image"]["digest"]


@pytest.mark.slow
def test_reads_that_lag(images):
    images.make()
    images.control("settings", {"ecr_lag_seconds": 1})
    done = images.run(MODULE, **images.wanted)
    assert not done.get("failed") and done["training_image"]["digest"] == images.digest("llama")


@pytest.mark.parametrize("action", ["ecr:GetAuthorizationToken", "ecr:DescribeRepositories", "ecr:DescribeImages", "ecr:PutImage"])
def test_a_missing_permission_is_named(images, policies, action):
    images.make()
    policies([_less(each, action) for each in permissions.documented("training-image")])
    failed = images.run(MODULE, **images.wanted)
    assert failed["failed"] and action in failed["msg"] and action.partition(":")[2] in failed["msg"]


def test_a_denied_login_names_the_registry_and_the_region(images):
    images.make()
    images.write("Containerfile", "FROM 763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch\n")
    images.order(login={"status": 1, "lines": ["denied"]})
    failed = images.run(MODULE, **images.wanted)
    assert "The login of buildah to 111111111111.dkr.ecr.us-west-2.amazonaws.com failed with status 1." in failed["msg"]
    assert "registries of ECR in us-west-2" in failed["msg"] and images.commands() == ["login"]


@pytest.mark.parametrize(
    ("scan", "expected"),
    [
        ({"status": "COMPLETE", "counts": {"HIGH": 3}}, ("complete", "", 3)),
        ({"status": "ACTIVE", "counts": {"HIGH": 1}}, ("complete", "", 1)),
        ({"status": "IMAGE_SIZE_EXCEEDED", "description": "too large"}, ("not_scanned", "IMAGE_SIZE_EXCEEDED: too large.", None)),
        ({"status": "UNSUPPORTED_IMAGE"}, ("not_scanned", "UNSUPPORTED_IMAGE: ECR gives no reason.", None)),
        ({"status": "PENDING"}, ("in_progress", "PENDING: ECR gives no reason.", None)),
    ],
    ids=lambda each: each.get("status", "") if isinstance(each, dict) else "",
)
def test_scans_are_reported(images, scan, expected):
    images.make(imageScanningConfiguration={"scanOnPush": True})
    images.control("settings", {"ecr_scans": {images.name: scan}})
    found = images.run(MODULE, **images.wanted)["training_image"]["scan"]
    assert (found["status"], found["reason"], found["severities"].get("high")) == expected


@pytest.mark.slow
def test_the_end_of_a_scan_is_awaited(images):
    images.make(imageScanningConfiguration={"scanOnPush": True})
    images.control("settings", {"transition_seconds": 1})
    try:
        found = images.run(MODULE, **images.wanted, scan_timeout=30)["training_image"]["scan"]
    finally:
        images.control("settings", {"transition_seconds": 0.05})
    assert (found["status"], found["severities"]["medium"]) == ("complete", 2)


@pytest.mark.slow
def test_a_scan_that_does_not_end_is_not_an_error(images):
    images.make(imageScanningConfiguration={"scanOnPush": True})
    images.control("settings", {"ecr_scans": {images.name: {"status": "IN_PROGRESS"}}})
    found = images.run(MODULE, **images.wanted, scan_timeout=1)
    assert not found.get("failed") and found["training_image"]["scan"]["status"] == "in_progress"


def _less(document, action):
    for statement in document["Statement"]:
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        statement["Action"] = [each for each in actions if each != action]
    return document
