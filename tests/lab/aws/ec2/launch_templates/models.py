# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The templates of one account and region. The records are moto's, so that its other operations find them.

As in AWS: versions are numbered in the order of their creation, a request with the same token has no second effect, and a
template can be deleted although node groups use it. Settings: ``launch_template_lag_seconds``, the time in which the first
description returns the state before a change, and a new version is not found once; ``launch_template_versions``, the quota of
versions. AWS does not document the error code for this quota.
"""

from __future__ import annotations

import copy
import threading
import time
import typing as t

from moto.ec2.models.launch_templates import LaunchTemplate, LaunchTemplateVersion
from moto.ec2.utils import parse_user_data

from ... import cloud, request
from ..client_vpn.checks import refuse
from . import checks

Answer = dict[str, t.Any]


class LaunchTemplates:
    """The caller must hold ``lock`` during every method."""

    def __init__(self, ec2: t.Any) -> None:
        self.ec2 = ec2
        self.lock = threading.RLock()
        self.tokens: dict[tuple[str, str], tuple[Answer, Answer]] = {}
        self.before: dict[str, tuple[float, Answer | None]] = {}
        """By name, the end of the lag and the description before the last change; None if there was no template."""
        self.unseen: dict[tuple[str, int], float] = {}
        """The end of the lag of new versions. The first request for a version does not find them."""

    def once(self, params: Answer, work: t.Callable[..., Answer]) -> Answer:
        """The reply to a request; a request with the same ClientToken has no effect and gets the first reply."""
        token = params.pop("ClientToken", None)
        key = (request.current().operation, token or "")
        if token and key in self.tokens:
            first, answer = self.tokens[key]
            if first != params:
                refuse("IdempotentParameterMismatch", "The token was used with other parameters before")
            return copy.deepcopy(answer)
        original = copy.deepcopy(params)
        answer = work(**params)
        if token:
            self.tokens[key] = (original, copy.deepcopy(answer))
        return answer

    def find(self, template_id: str | None, name: str | None) -> LaunchTemplate:
        if bool(template_id) == bool(name):
            refuse("MissingParameter", "Name a template by either its ID or its name")
        known = self.ec2.launch_templates
        found = known.get(template_id) or next((each for each in known.values() if each.name == name), None)
        if found is None and template_id:
            refuse("InvalidLaunchTemplateId.NotFound", f"The specified launch template, with template ID {template_id}, does not exist.")
        if found is None:
            refuse("InvalidLaunchTemplateName.NotFoundException", f"The specified launch template, with template name {name}, does not exist.")
        return found

    def create(self, name: str, data: Answer, description: str, tags: dict[str, str]) -> LaunchTemplate:
        checks.name(name)
        if name in self.ec2.launch_template_name_to_ids:
            refuse("InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use.")
        checks.data(data)
        self._changes(name, None)
        return t.cast(LaunchTemplate, self.ec2.create_launch_template(name, description, _stored(data), {"launch-template": tags}))

    def add_version(self, template: LaunchTemplate, data: Answer, description: str) -> LaunchTemplateVersion:
        if len(template.versions) >= cloud.current().settings["launch_template_versions"]:
            refuse("VersionLimitExceeded", f"Launch template {template.id} has the maximum number of versions.")
        checks.data(data)
        self._changes(template.name, self.description(template))
        version = template.create_version(_stored(data), description)
        self.unseen[template.id, version.number] = _end_of_lag()
        return version

    def set_default(self, template: LaunchTemplate, number: str) -> None:
        version = self.version(template, number)
        self._changes(template.name, self.description(template))
        template.default_version_number = version.number

    def delete(self, template: LaunchTemplate) -> None:
        self._changes(template.name, self.description(template))
        self.ec2.delete_launch_template(template.name, None)

    def version(self, template: LaunchTemplate, number: str) -> LaunchTemplateVersion:
        seen = [each for each in template.versions if self.unseen.pop((template.id, each.number), 0.0) <= time.monotonic()]
        wanted = {"$Default": template.default_version_number, "$Latest": seen[-1].number}.get(number, number)
        found = next((each for each in seen if str(each.number) == str(wanted)), None)
        if found is None:
            refuse("InvalidLaunchTemplateId.VersionNotFound", f"Could not find launch template version {number} of {template.id}")
        return found

    def described(self) -> list[Answer]:
        """The descriptions of all templates. The first one after a change is late."""
        found = {each.name: self.description(each) for each in self.ec2.launch_templates.values()}
        for name, (end, before) in list(self.before.items()):
            del self.before[name]
            if time.monotonic() < end:
                found[name] = before  # type: ignore[assignment]
        return [each for each in found.values() if each is not None]

    def description(self, template: LaunchTemplate) -> Answer:
        return {
            "LaunchTemplateId": template.id,
            "LaunchTemplateName": template.name,
            "CreateTime": template.create_time,
            "CreatedBy": f"arn:aws:iam::{self.ec2.account_id}:root",
            "DefaultVersionNumber": template.default_version_number,
            "LatestVersionNumber": template.versions[-1].number,
            "Tags": [{"Key": key, "Value": value or ""} for key, value in self.ec2.tags.get(template.id, {}).items()],
        }

    def description_of_version(self, template: LaunchTemplate, version: LaunchTemplateVersion) -> Answer:
        return {
            "LaunchTemplateId": template.id,
            "LaunchTemplateName": template.name,
            "VersionNumber": version.number,
            "VersionDescription": version.description,
            "CreateTime": version.create_time,
            "CreatedBy": f"arn:aws:iam::{self.ec2.account_id}:root",
            "DefaultVersion": version.number == template.default_version_number,
            "LaunchTemplateData": _answered(version.data),
        }

    def _changes(self, name: str, before: Answer | None) -> None:
        self.before[name] = (_end_of_lag(), before)


def _end_of_lag() -> float:
    return time.monotonic() + float(cloud.current().settings["launch_template_lag_seconds"])


def _stored(data: Answer) -> Answer:
    """The data as moto's operations on instances expect it."""
    kept = copy.deepcopy(data)
    if "UserData" in kept:
        kept["UserData"] = parse_user_data(kept["UserData"])
    return kept


def _answered(data: Answer) -> Answer:
    """The data as a reply: EC2 does not keep the order of security groups."""
    user_data = {"UserData": data["UserData"].as_bytes().decode()} if data.get("UserData") else {}
    shown = {**copy.deepcopy({name: value for name, value in data.items() if name != "UserData"}), **user_data}
    for interface in shown.get("NetworkInterfaces", ()):
        interface["Groups"] = interface.get("Groups", [])[::-1]
    return shown
