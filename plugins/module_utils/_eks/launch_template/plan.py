# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Plans the change from the observed to the desired launch template. No I/O.

A launch template can't be changed. Other settings need a new version, which then becomes the default version.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.tag_steps import EC2, tag_steps
from ..._aws.tags import CLUSTER_TAG, Tags, api_tags
from ..._core.failure import Refused
from ..._core.plan import KNOWN_AFTER_APPLY, Change, Effect, Plan, Step
from .checks import check, notes
from .layout import Layout, layout
from .model import CAPACITY_BLOCK, NONE, Desired, State, Template, Version
from .settings import OPTIONS, Settings, differences
from .user_data import user_data

ROOT_DEVICE = "/dev/xvda"
"""The root device of EKS's images with AL2023."""
CREATE, ADD_VERSION, SET_DEFAULT = "CreateLaunchTemplate", "CreateLaunchTemplateVersion", "ModifyLaunchTemplate"
DELETE = "DeleteLaunchTemplate"


def plan(desired: Desired, state: State, *, check_mode: bool) -> Plan:
    """:raises Refused: for a template of another owner, and for settings that would prevent the start of nodes."""
    template = state.template
    if template is not None and template.tags.get(CLUSTER_TAG) != state.owner:
        _refuse_foreign(desired, template.tags, state.owner)
    if not desired.present:
        return Plan((_removal(desired, template),) if template is not None else ())
    found = check(desired, state, check_mode=check_mode)
    interfaces = layout(found, efa=desired.efa)
    want = wanted(desired, state, interfaces)
    warnings = tuple(notes(desired, state, efa=any(each.efa for each in want.interfaces)))
    tags = {**(desired.tags or {}), CLUSTER_TAG: state.owner}
    if template is None:
        return Plan((_creation(desired, want, tags),), notes=warnings)
    purge = desired.purge_tags and desired.tags is not None
    tagging = tag_steps(EC2, desired.resource, template.id, template.tags, tags, purge=purge, tagged=_tagged)
    return Plan((*_version_steps(desired, template, want), *tagging), notes=warnings)


def wanted(desired: Desired, state: State, interfaces: Layout) -> Settings:
    """All settings of the template. An omitted option keeps the setting of the default version."""
    have, reservation = state.have, state.reservation
    kept_tags = have.instance_tags if desired.instance_tags is None else desired.instance_tags
    own_group = reservation.placement_group if reservation else ""
    block = reservation is not None and reservation.type == CAPACITY_BLOCK
    return Settings(
        instance_type=desired.instance_type,
        image=desired.image_of(have),
        interfaces=interfaces.interfaces,
        security_groups=desired.security_groups,
        reservation=desired.reservation_of(have),
        market=CAPACITY_BLOCK if block else "",
        placement_group=own_group or desired.placement_group_of(have),
        device=(state.image.device if state.image else "") or ROOT_DEVICE,
        volume_size=desired.volume_size,
        volume_kms_key=have.volume_kms_key if desired.volume_kms_key is None else desired.volume_kms_key,
        hop_limit=desired.hop_limit,
        user_data=_user_data(desired, state),
        instance_tags=dict(kept_tags),
    )


def is_as_wanted(desired: Desired, state: State) -> bool:
    """Whether the template is ours and has the desired settings. Our own call may have created it, although its reply was lost."""
    template = state.template
    if template is None or template.tags.get(CLUSTER_TAG) != state.owner or state.type is None:
        return False
    want = wanted(desired, state, layout(state.type, efa=desired.efa))
    return not differences(desired.resource, template.default.data, want)


def _user_data(desired: Desired, state: State) -> str:
    storage = "" if desired.local_storage == NONE else desired.local_storage
    if not desired.image_of(state.have):
        return user_data(local_storage=storage, cluster={})
    cluster = state.cluster
    if cluster is None:
        return KNOWN_AFTER_APPLY
    values = {
        "name": cluster.name,
        "apiServerEndpoint": cluster.endpoint,
        "certificateAuthority": cluster.authority,
        "cidr": cluster.cidr,
    }
    return user_data(local_storage=storage, cluster=values)


def _refuse_foreign(desired: Desired, tags: Tags, owner: str) -> t.NoReturn:
    other = tags.get(CLUSTER_TAG)
    what = f"belongs to {other}" if other else f"exists without the tag {CLUSTER_TAG}={owner}"
    way = "Choose a different name." if desired.present else "Remove it with the AWS CLI if no node group uses it."
    raise Refused(f"{desired.resource} {what}, so this module does not change it. {way}", option="name")


def _creation(desired: Desired, want: Settings, tags: Tags) -> Step:
    arguments = {
        "LaunchTemplateName": desired.name,
        "LaunchTemplateData": want.to_api(),
        "TagSpecifications": [{"ResourceType": "launch-template", "Tags": api_tags(tags)}],
    }
    made = Version(1, want.to_api())
    template = Template(KNOWN_AFTER_APPLY, dict(tags), made, made)
    after = {name: read(want) for name, read in OPTIONS if read(want)}
    change = Change("create", desired.resource, after={**after, "tags": dict(tags)})
    return Step(CREATE, arguments, (change,), _becomes(template))


def _version_steps(desired: Desired, template: Template, want: Settings) -> t.Iterator[Step]:
    """A new version, which then becomes the default version. If an interrupted run left such a version, it is used."""
    changes = differences(desired.resource, template.default.data, want)
    if not changes:
        return
    latest = template.latest
    if latest.number == template.default.number or differences(desired.resource, latest.data, want):
        latest = Version(KNOWN_AFTER_APPLY, want.to_api())
        arguments = {"LaunchTemplateId": template.id, "LaunchTemplateData": want.to_api()}
        yield Step(ADD_VERSION, arguments, changes, _having(latest=latest))
        changes = ()
    default = Change("update", desired.resource, "version", template.default.number, latest.number)
    arguments = {"LaunchTemplateId": template.id, "DefaultVersion": str(latest.number)}
    yield Step(SET_DEFAULT, arguments, (*changes, default), _having(default=latest))


def _removal(desired: Desired, template: Template) -> Step:
    before = {"launch_template_id": template.id, "version": template.default.number}
    change = Change("delete", desired.resource, before=before)
    return Step(DELETE, {"LaunchTemplateId": template.id}, (change,), _becomes(None))


def _becomes(template: Template | None) -> Effect:
    return lambda state: dataclasses.replace(state, template=template)


def _having(**values: t.Any) -> Effect:
    return lambda state: dataclasses.replace(state, template=dataclasses.replace(state.template, **values))


def _tagged(state: t.Any, tags: Tags) -> t.Any:
    return _having(tags=tags)(state)
