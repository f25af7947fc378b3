# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads an add-on and the versions that EKS offers, and waits until operations of EKS have ended."""

from __future__ import annotations

import json
import typing as t

from ..._aws.client import Api
from ..._core.waits import Waits
from ..._kubernetes.eks import describe
from ..common import Answer, found
from .model import ADDON, Addon, Catalogue, Desired, Identity, State, Version


class Observer:
    """Reads one add-on. ``waits`` is None if the module does not wait."""

    def __init__(self, eks: Api, desired: Desired, *, waits: Waits | None) -> None:
        self.eks = eks
        self.desired = desired
        self.waits = waits

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until operations of earlier runs and other callers have ended."""
        desired = self.desired
        addon = self.until(lambda addon: addon is None or not ADDON.is_busy(addon.status))
        if not desired.present:
            return State(addon)
        catalogue = offered(self.eks, desired.name, describe(self.eks, desired.cluster)["version"])
        version = catalogue.target(desired, addon)
        return State(addon, catalogue, self._schema(addon, version))

    def now(self) -> float:
        """The time of the waits, in seconds."""
        return self.waits.clock.now() if self.waits else 0.0

    def look(self) -> Addon | None:
        return look(self.eks, self.desired.cluster, self.desired.name)

    def until(
        self,
        done: t.Callable[[Addon | None], bool],
        *,
        failed: t.Callable[[Addon | None], str | None] = lambda addon: None,
    ) -> Addon | None:
        """The add-on once ``done`` is true, or immediately if the module does not wait.

        :raises WaitFailed: with the reason from ``failed``.
        """
        if self.waits is None:
            return self.look()
        return self.waits.until(self.look, done=done, failed=failed, subject=self.desired.about, state=_described)

    def _schema(self, addon: Addon | None, version: str | None) -> t.Any:
        """The schema for the settings; None without settings, or if neither the settings nor the version will change."""
        values = addon.configuration if self.desired.configuration is None and addon else self.desired.configuration
        if not values or version is None or (addon is not None and (addon.version, addon.configuration) == (version, values)):
            return None
        return json.loads(settings(self.eks, self.desired.name, version).get("configurationSchema") or "null")


def look(eks: Api, cluster: str, name: str) -> Addon | None:
    """The add-on, with the roles of its own pod identity associations."""
    about = f"add-on {name} of EKS cluster {cluster}"
    answer = found(eks, "DescribeAddon", about=about, clusterName=cluster, addonName=name)
    if answer is None:
        return None
    associations = [
        found(eks, "DescribePodIdentityAssociation", about=about, clusterName=cluster, associationId=arn.rpartition("/")[2])
        for arn in answer["addon"].get("podIdentityAssociations") or ()
    ]
    named = [each["association"] for each in associations if each is not None]
    return Addon.from_api(answer["addon"], [Identity(each["serviceAccount"], each["roleArn"]) for each in named])


def offered(eks: Api, name: str, kubernetes: str) -> Catalogue:
    addons = eks.pages(
        "DescribeAddonVersions", "addons", about=f"add-on {name}", addonName=name, kubernetesVersion=kubernetes
    )
    versions = [_version(each) for addon in addons for each in addon.get("addonVersions") or ()]
    namespace = next((addon["defaultNamespace"] for addon in addons if addon.get("defaultNamespace")), "")
    return Catalogue(kubernetes, tuple(sorted(versions, key=lambda each: each.number, reverse=True)), namespace)


def settings(eks: Api, name: str, version: str) -> Answer:
    """The configuration options of a version."""
    about = f"add-on {name} {version}"
    return eks.call("DescribeAddonConfiguration", about=about, addonName=name, addonVersion=version)


def _version(answer: Answer) -> Version:
    return Version(
        name=answer["addonVersion"],
        default=any(each.get("defaultVersion") for each in answer.get("compatibilities") or ()),
        identities=bool(answer.get("requiresIamPermissions")),
        needs_configuration=bool(answer.get("requiresConfiguration")),
    )


def _described(addon: Addon | None) -> str:
    return addon.described if addon else "gone"
