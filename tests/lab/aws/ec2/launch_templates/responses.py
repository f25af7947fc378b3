# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations of EC2 on launch templates; requests and replies are checked against the service model."""

from __future__ import annotations

import functools
import typing as t

from moto.core.responses import ActionResult
from moto.ec2.exceptions import DryRunClientError

from ...action import action
from ..client_vpn.checks import invalid
from ..client_vpn.responses import page, tag_keys
from . import checks
from .models import LaunchTemplates

Answer = dict[str, t.Any]
Handler = t.Callable[..., Answer]
MOST = 200
"""https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeLaunchTemplates.html"""


def operation(handler: Handler) -> t.Callable[[t.Any], ActionResult]:
    """Serve ``handler(self, templates, **parameters)`` under the lock, once for each ClientToken."""

    @action
    @functools.wraps(handler)
    def method(self: t.Any, DryRun: bool = False, **params: t.Any) -> Answer:
        if DryRun:
            raise DryRunClientError
        templates: LaunchTemplates = self.ec2_backend.templates
        with templates.lock:
            return templates.once(params, functools.partial(handler, self, templates))

    return method


class LaunchTemplateResponses:
    """A mixin of the handlers of EC2."""

    @operation
    def create_launch_template(
        self,
        templates: LaunchTemplates,
        LaunchTemplateName: str,
        LaunchTemplateData: Answer,
        VersionDescription: str = "",
        TagSpecifications: t.Sequence[Answer] = (),
    ) -> Answer:
        tags: dict[str, str] = {}
        for each in TagSpecifications:
            if each.get("ResourceType") != "launch-template":
                invalid(f"'{each.get('ResourceType')}' is not a valid taggable resource type for this operation.")
            tags.update({tag["Key"]: tag.get("Value", "") for tag in each.get("Tags", [])})
        made = templates.create(LaunchTemplateName, LaunchTemplateData, VersionDescription, tags)
        return {"LaunchTemplate": templates.description(made), **_warning(templates, LaunchTemplateData)}

    @operation
    def create_launch_template_version(
        self,
        templates: LaunchTemplates,
        LaunchTemplateData: Answer,
        LaunchTemplateId: str | None = None,
        LaunchTemplateName: str | None = None,
        VersionDescription: str = "",
        **others: t.Any,
    ) -> Answer:
        if others:
            raise NotImplementedError(f"{', '.join(others)} of CreateLaunchTemplateVersion")
        template = templates.find(LaunchTemplateId, LaunchTemplateName)
        made = templates.add_version(template, LaunchTemplateData, VersionDescription)
        described = templates.description_of_version(template, made)
        return {"LaunchTemplateVersion": described, **_warning(templates, LaunchTemplateData)}

    @operation
    def modify_launch_template(
        self,
        templates: LaunchTemplates,
        DefaultVersion: str,
        LaunchTemplateId: str | None = None,
        LaunchTemplateName: str | None = None,
    ) -> Answer:
        template = templates.find(LaunchTemplateId, LaunchTemplateName)
        templates.set_default(template, DefaultVersion)
        return {"LaunchTemplate": templates.description(template)}

    @operation
    def delete_launch_template(
        self, templates: LaunchTemplates, LaunchTemplateId: str | None = None, LaunchTemplateName: str | None = None
    ) -> Answer:
        template = templates.find(LaunchTemplateId, LaunchTemplateName)
        described = templates.description(template)
        templates.delete(template)
        return {"LaunchTemplate": described}

    @operation
    def describe_launch_templates(
        self,
        templates: LaunchTemplates,
        LaunchTemplateIds: t.Sequence[str] = (),
        LaunchTemplateNames: t.Sequence[str] = (),
        MaxResults: int = MOST,
        **listing: t.Any,
    ) -> Answer:
        asked = [*LaunchTemplateIds, *LaunchTemplateNames]
        for each in LaunchTemplateIds:
            templates.find(each, None)
        for each in LaunchTemplateNames:
            templates.find(None, each)
        found = [each for each in templates.described() if not asked or {each["LaunchTemplateId"], each["LaunchTemplateName"]} & set(asked)]
        keys = {"launch-template-name": lambda each: each["LaunchTemplateName"], **tag_keys(listing)}
        shown, rest = page(found, keys, MaxResults=min(MaxResults, MOST), **listing)
        return {"LaunchTemplates": shown, **rest}

    @operation
    def describe_launch_template_versions(
        self,
        templates: LaunchTemplates,
        LaunchTemplateId: str | None = None,
        LaunchTemplateName: str | None = None,
        Versions: t.Sequence[str] = (),
        MaxResults: int = MOST,
        **listing: t.Any,
    ) -> Answer:
        """The versions, without duplicates."""
        template = templates.find(LaunchTemplateId, LaunchTemplateName)
        wanted = [templates.version(template, each) for each in Versions] if Versions else template.versions
        found = {each.number: templates.description_of_version(template, each) for each in wanted}
        shown, rest = page(found.values(), {}, MaxResults=min(MaxResults, MOST), **listing)
        return {"LaunchTemplateVersions": shown, **rest}


def _warning(templates: LaunchTemplates, data: Answer) -> Answer:
    errors = checks.warnings(templates.ec2, data)
    return {"Warning": {"Errors": errors}} if errors else {}
