# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a launch template and the resources that its settings refer to."""

from __future__ import annotations

import datetime
import functools
import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.network import filters
from ..._aws.tags import plain_tags
from ..._core.plan import KNOWN_AFTER_APPLY
from ..._core.wait import Clock
from ..common import Answer, arn_of, found
from .model import (
    Cluster,
    Desired,
    Group,
    Image,
    InstanceType,
    PlacementGroup,
    Reservation,
    State,
    Template,
    Version,
)

PAUSES = (0.5, 1.5, 3.0)
"""Seconds between reads while EC2 does not return a security group, which may be new."""
NO_RESERVATION = "InvalidCapacityReservationId"
NO_TEMPLATE = "InvalidLaunchTemplateId.NotFound"


def utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


class Observer:
    """
    :param service: returns the client of a service that is needed only for some options.
    :param check_mode: in check mode, a missing group is not waited for, because an earlier task may have predicted it.
    """

    def __init__(
        self,
        ec2: Api,
        desired: Desired,
        *,
        service: t.Callable[[str], Api],
        check_mode: bool = False,
        clock: Clock = Clock(),
        now: t.Callable[[], datetime.datetime] = utc_now,
    ) -> None:
        self.ec2 = ec2
        self.desired = desired
        self.clock = clock
        self._service = service
        self._pauses = () if check_mode else PAUSES
        self._now = now

    def __call__(self) -> State:
        desired, template = self.desired, self.look()
        state = State(self.owner, self._now(), template)
        if not desired.present:
            return state
        have = state.have
        reservation, group, image = desired.reservation_of(have), desired.placement_group_of(have), desired.image_of(have)
        return State(
            owner=state.owner,
            now=state.now,
            template=template,
            type=self._type(),
            groups=self._groups(),
            reservation=self._reservation(reservation) if reservation else None,
            placement_group=self._placement_group(group) if group else None,
            image=self._image(image) if image else None,
            cluster=self._cluster() if image else None,
        )

    @functools.cached_property
    def owner(self) -> str:
        """The ARN of the EKS cluster. The cluster itself is not read, because it may no longer exist."""
        desired = self.desired
        if desired.cluster_arn is not None:
            return desired.cluster_arn
        account = self._service("sts").call("GetCallerIdentity", about="the caller")["Account"]
        return arn_of(desired.cluster, account, self.ec2)

    def look(self) -> Template | None:
        """The template with its default and its latest version."""
        desired = self.desired
        listed = self.ec2.pages(
            "DescribeLaunchTemplates",
            "LaunchTemplates",
            about=desired.resource,
            **filters(launch_template_name=[desired.name]),
        )
        found_here = next((each for each in listed if each["LaunchTemplateName"] == desired.name), None)
        if found_here is None:
            return None
        versions = self._versions(found_here["LaunchTemplateId"])
        if not versions:
            return None
        default = next((each for each in versions if each["DefaultVersion"]), versions[-1])
        return Template(
            found_here["LaunchTemplateId"], plain_tags(found_here.get("Tags")), _version(default), _version(versions[-1])
        )

    def _versions(self, template: str) -> list[Answer]:
        """The default and the latest version, the latest last. None for a template that EC2 lists but does not have yet."""
        try:
            answer = self.ec2.call(
                "DescribeLaunchTemplateVersions",
                about=self.desired.resource,
                LaunchTemplateId=template,
                Versions=["$Default", "$Latest"],
            )
        except AwsError as error:
            if error.code == NO_TEMPLATE:
                return []
            raise
        return sorted(answer["LaunchTemplateVersions"], key=lambda each: each["VersionNumber"])

    def _type(self) -> InstanceType | None:
        """The instance type; None if the Region does not have it. An unknown name fails the call, but not a filter."""
        name = self.desired.instance_type
        listed = self.ec2.pages(
            "DescribeInstanceTypes", "InstanceTypes", about=f"instance type {name}", **filters(instance_type=[name])
        )
        return next((InstanceType.from_api(each) for each in listed if each["InstanceType"] == name), None)

    def _groups(self) -> dict[str, Group]:
        wanted = [each for each in self.desired.security_groups if each != KNOWN_AFTER_APPLY]
        groups = self._groups_now(wanted)
        for pause in self._pauses:
            if len(groups) == len(wanted):
                break
            self.clock.sleep(pause)
            groups = self._groups_now(wanted)
        return groups

    def _groups_now(self, wanted: list[str]) -> dict[str, Group]:
        if not wanted:
            return {}
        listed = self.ec2.pages(
            "DescribeSecurityGroups", "SecurityGroups", about=", ".join(wanted), **filters(group_id=wanted)
        )
        return {each["GroupId"]: Group.from_api(each) for each in listed}

    def _reservation(self, reservation: str) -> Reservation | None:
        about = f"capacity reservation {reservation}"
        try:
            answer = self.ec2.call("DescribeCapacityReservations", about=about, CapacityReservationIds=[reservation])
        except AwsError as error:
            if error.code.startswith(NO_RESERVATION):
                return None
            raise
        return next(map(Reservation.from_api, answer["CapacityReservations"]), None)

    def _placement_group(self, name: str) -> PlacementGroup | None:
        about = f"placement group {name}"
        answer = self.ec2.call("DescribePlacementGroups", about=about, **filters(group_name=[name]))
        groups = (each for each in answer.get("PlacementGroups") or () if each["GroupName"] == name)
        return next((PlacementGroup(name, each["Strategy"], each["State"]) for each in groups), None)

    def _image(self, image: str) -> Image | None:
        about = f"image {image}"
        listed = self.ec2.pages("DescribeImages", "Images", about=about, IncludeDeprecated=True, **filters(image_id=[image]))
        return next((_image(each) for each in listed), None)

    def _cluster(self) -> Cluster | None:
        name = self.desired.cluster
        answer = found(self._service("eks"), "DescribeCluster", about=f"EKS cluster {name}", name=name)
        return Cluster.from_api(answer["cluster"]) if answer is not None else None


def _version(answer: Answer) -> Version:
    return Version(answer["VersionNumber"], answer["LaunchTemplateData"])


def _image(answer: Answer) -> Image:
    return Image(answer["ImageId"], answer["State"], answer.get("Architecture", ""), answer.get("RootDeviceName", ""))
