# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Applies the plan of a launch template. After each call it waits until EC2 returns the change, because reads of EC2 lag."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.tags import plain_tags
from ..._core.failure import LostRace
from ..._core.plan import KNOWN_AFTER_APPLY, Step
from ..._core.text import printable
from ..._core.wait import wait_for
from ..common import Answer
from .model import Desired, State, Template
from .observe import Observer
from .plan import ADD_VERSION, CREATE, DELETE, SET_DEFAULT

PROPAGATION_SECONDS, PROPAGATION_INTERVAL = 60.0, 2.0
EXISTS = "InvalidLaunchTemplateName.AlreadyExistsException"
GONE = ("InvalidLaunchTemplateId.NotFound", "InvalidLaunchTemplateName.NotFoundException")
NO_VERSION = "InvalidLaunchTemplateId.VersionNotFound"
FULL = "LimitExceeded"
"""The end of the error code if a template has the maximum number of versions. AWS does not document the code."""
THROTTLED = "RequestLimitExceeded"
MAKE_ROOM = (
    "if the template has its maximum number of versions (10,000 by default), delete versions that no node group uses with "
    "aws ec2 delete-launch-template-versions, then run again"
)


class Applier:
    """
    :param made: whether the template is the result of our own call, whose reply was lost.
    :param warn: prints a warning. EC2 accepts settings that prevent the start of instances, and returns warnings about them.
    """

    def __init__(
        self,
        ec2: Api,
        desired: Desired,
        observer: Observer,
        *,
        made: t.Callable[[State], bool],
        warn: t.Callable[[str], None],
    ) -> None:
        self.ec2 = ec2
        self.desired = desired
        self.observer = observer
        self._made = made
        self._warn = warn
        self._version: str | None = None
        """Number of the version that this run created."""

    def __call__(self, step: Step) -> None:
        done = {CREATE: self._create, ADD_VERSION: self._add_version, SET_DEFAULT: self._set_default, DELETE: self._delete}
        if step.operation in done:
            done[step.operation](step)
        else:
            self._call(step)
            self._until(lambda template: template is not None and _has_tags(step, template))

    def _create(self, step: Step) -> None:
        try:
            answer = self._call(step)
        except AwsError as error:
            if error.code != EXISTS:
                raise
            self._until(lambda template: template is not None)
            state = self.observer()
            if not self._made(state):
                raise LostRace from None
            return
        self._report(answer)
        self._until(lambda template: template is not None)

    def _add_version(self, step: Step) -> None:
        try:
            answer = self._call(step)
        except AwsError as error:
            if error.code.endswith(FULL) and error.code != THROTTLED:
                error.message = f"{error.message}; {MAKE_ROOM}"
            raise
        self._report(answer)
        self._version = str(answer["LaunchTemplateVersion"]["VersionNumber"])

    def _set_default(self, step: Step) -> None:
        """Make a version the default. For a moment after its creation, EC2 may not find the version."""
        version = step.arguments["DefaultVersion"]
        if version == KNOWN_AFTER_APPLY and self._version is not None:
            version = self._version
        arguments = {**step.arguments, "DefaultVersion": version}

        def accepted() -> bool:
            try:
                self.ec2.call(step.operation, about=self.desired.resource, **arguments)
            except AwsError as error:
                if error.code != NO_VERSION:
                    raise
                return False
            return True

        self._wait(accepted, bool, f"version {version} of {self.desired.resource}", lambda _accepted: "unknown to EC2")
        self._until(lambda template: template is not None and str(template.default.number) == version)

    def _delete(self, step: Step) -> None:
        try:
            self._call(step)
        except AwsError as error:
            if error.code not in GONE:
                raise
        self._until(lambda template: template is None)

    def _call(self, step: Step) -> Answer:
        return self.ec2.call(step.operation, about=self.desired.resource, **step.arguments)

    def _report(self, answer: Answer) -> None:
        for each in (answer.get("Warning") or {}).get("Errors") or ():
            text = printable(f"{each.get('Code', 'Unknown')}: {each.get('Message', '')}")
            self._warn(f"EC2 accepted {self.desired.resource} with a warning, so instances may not start. {text}")

    def _until(self, done: t.Callable[[Template | None], bool]) -> None:
        self._wait(self.observer.look, done, self.desired.resource, lambda _template: "in its previous state, by EC2's answers,")

    def _wait(
        self, look: t.Callable[[], t.Any], done: t.Callable[[t.Any], bool], subject: str, state: t.Callable[[t.Any], str]
    ) -> None:
        wait_for(
            look,
            done=done,
            subject=subject,
            timeout=PROPAGATION_SECONDS,
            interval=PROPAGATION_INTERVAL,
            state=state,
            clock=self.observer.clock,
        )


def _has_tags(step: Step, template: Template) -> bool:
    """Whether the template has the tags after a step that adds or removes tags."""
    if step.operation == "DeleteTags":
        return not any(each["Key"] in template.tags for each in step.arguments["Tags"])
    return plain_tags(step.arguments["Tags"]).items() <= dict(template.tags).items()
