# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that change a launch template, lost replies, and waits for reads that lag."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import LostRace
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import Desired, State, Template, Version
from botocore.exceptions import ClientError

NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.timezone.utc)
DESIRED = Desired("ml", "ml")
CREATE = Step("CreateLaunchTemplate", {"LaunchTemplateName": "ml"}, ())
ADD = Step("CreateLaunchTemplateVersion", {"LaunchTemplateId": "lt-1", "LaunchTemplateData": {}}, ())
DEFAULT = Step("ModifyLaunchTemplate", {"LaunchTemplateId": "lt-1", "DefaultVersion": "(known after apply)"}, ())
DELETE = Step("DeleteLaunchTemplate", {"LaunchTemplateId": "lt-1"}, ())
TAG = Step("CreateTags", {"Resources": ["lt-1"], "Tags": [{"Key": "a", "Value": "b"}]}, ())
UNTAG = Step("DeleteTags", {"Resources": ["lt-1"], "Tags": [{"Key": "a"}]}, ())


def template(number: int = 1, **tags: str) -> Template:
    return Template("lt-1", tags, Version(number, {}), Version(number, {}))


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "Operation")


class World:
    """EC2 with scripted answers of each operation, and an observer with scripted reads. The last read is repeated."""

    def __init__(self, *reads: Template | None, made: bool = True, **answers: list[t.Any]) -> None:
        self.reads, self.answers = list(reads), answers
        self.calls: list[tuple[str, dict[str, t.Any]]] = []
        self.warnings: list[str] = []
        self.seconds = 0.0
        self.clock = Clock(now=lambda: self.seconds, sleep=self._sleep, jitter=lambda: 0.0)
        self.applier = Applier(self, DESIRED, self, made=lambda state: made and state.template is not None, warn=self.warnings.append)  # type: ignore[arg-type]

    def _sleep(self, seconds: float) -> None:
        self.seconds += seconds

    def call(self, operation: str, *, about: str, **arguments: t.Any) -> t.Any:
        self.calls.append((operation, arguments))
        scripted = self.answers.get(operation, [])
        answer = scripted.pop(0) if scripted else {}
        if isinstance(answer, ClientError):
            raise AwsError(message=f"{operation} for {about} failed", exception=answer)
        return answer

    def look(self) -> Template | None:
        return self.reads.pop(0) if len(self.reads) > 1 else self.reads[0]

    def __call__(self) -> State:
        return State("arn", NOW, self.look())

    def run(self, *steps: Step) -> list[str]:
        for step in steps:
            self.applier(step)
        return [operation for operation, _arguments in self.calls]


@pytest.mark.parametrize(
    ("step", "before", "after"),
    [
        (CREATE, None, template()),
        (TAG, template(), template(a="b", c="d")),
        (TAG, template(a="c"), template(a="b")),
        (UNTAG, template(a="b"), template(c="d")),
        (DELETE, template(), None),
    ],
)
def test_a_change_is_awaited(step, before, after):
    world = World(before, before, after)
    assert world.run(step) == [step.operation] and world.calls[0][1] == step.arguments and 0 < world.seconds < 3
    late = World(before)
    with pytest.raises(WaitTimeout, match="launch template ml is still in its previous state, by EC2's answers, after 60 s"):
        late.run(step)


def test_the_new_version_becomes_the_default():
    added = [{"LaunchTemplateVersion": {"VersionNumber": 7}}]
    world = World(template(3), template(7), CreateLaunchTemplateVersion=added, ModifyLaunchTemplate=[refusal("InvalidLaunchTemplateId.VersionNotFound"), {}])
    assert world.run(ADD, DEFAULT) == ["CreateLaunchTemplateVersion", "ModifyLaunchTemplate", "ModifyLaunchTemplate"]
    assert world.calls[1:] == [("ModifyLaunchTemplate", {"LaunchTemplateId": "lt-1", "DefaultVersion": "7"})] * 2


def test_an_existing_version_becomes_the_default():
    world = World(template(5))
    world.run(Step("ModifyLaunchTemplate", {"LaunchTemplateId": "lt-1", "DefaultVersion": "5"}, ()))
    assert world.calls == [("ModifyLaunchTemplate", {"LaunchTemplateId": "lt-1", "DefaultVersion": "5"})]


def test_a_version_that_never_appears_and_other_errors_are_reported():
    world = World(template(), ModifyLaunchTemplate=[refusal("InvalidLaunchTemplateId.VersionNotFound")] * 99)
    with pytest.raises(WaitTimeout, match=r"version \(known after apply\) of launch template ml is still unknown to EC2 after 60 s"):
        world.run(DEFAULT)
    with pytest.raises(AwsError):
        World(template(), ModifyLaunchTemplate=[refusal("UnauthorizedOperation")]).run(DEFAULT)


EXISTS = refusal("InvalidLaunchTemplateName.AlreadyExistsException")


def test_a_name_that_exists_is_ours_if_the_template_is_as_wanted():
    assert World(None, None, template(), CreateLaunchTemplate=[EXISTS]).run(CREATE) == ["CreateLaunchTemplate"]
    with pytest.raises(LostRace):
        World(None, template(), made=False, CreateLaunchTemplate=[EXISTS]).run(CREATE)
    with pytest.raises(AwsError):
        World(template(), CreateLaunchTemplate=[refusal("InvalidParameterValue")]).run(CREATE)


@pytest.mark.parametrize("code", ["InvalidLaunchTemplateId.NotFound", "InvalidLaunchTemplateName.NotFoundException"])
def test_a_template_that_is_gone_needs_no_removal(code):
    assert World(None, DeleteLaunchTemplate=[refusal(code)]).run(DELETE) == ["DeleteLaunchTemplate"]
    with pytest.raises(AwsError):
        World(None, DeleteLaunchTemplate=[refusal("UnauthorizedOperation")]).run(DELETE)


@pytest.mark.parametrize(
    ("code", "expected"), [("VersionLimitExceeded", True), ("LaunchTemplateVersionLimitExceeded", True), ("RequestLimitExceeded", False), ("Other", False)]
)
def test_a_full_template_is_reported_with_a_next_step(code, expected):
    with pytest.raises(AwsError) as failed:
        World(template(), CreateLaunchTemplateVersion=[refusal(code)]).run(ADD)
    assert ("delete versions that no node group uses with aws ec2 delete-launch-template-versions" in failed.value.message) is expected
    assert failed.value.message.startswith("CreateLaunchTemplateVersion for launch template ml failed")


def test_warnings_of_ec2_are_printed():
    errors = [{"Code": "InvalidGroup.NotFound", "Message": "none\x1b"}, {}]
    created = {"Warning": {"Errors": errors}}
    world = World(template(), CreateLaunchTemplate=[created], CreateLaunchTemplateVersion=[{**created, "LaunchTemplateVersion": {"VersionNumber": 1}}])
    world.run(CREATE, ADD)
    text = "EC2 accepted launch template ml with a warning, so instances may not start. "
    assert world.warnings == [f"{text}InvalidGroup.NotFound: none?", f"{text}Unknown: "] * 2
