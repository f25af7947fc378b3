# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add-ons of a cluster, which EKS installs in the background."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
import typing as t
import uuid

from moto.eks.exceptions import (
    InvalidParameterException,
    InvalidRequestException,
    ResourceInUseException,
    ResourceNotFoundException,
)

from .. import cloud, request
from ..delays import pause
from . import identities
from .catalogue import ADDONS, Known, Version, described, schema
from .operation import Answer, operation, page

UNDER_WAY = ("CREATING", "UPDATING", "DELETING")
NO_NODES = {"code": "InsufficientNumberOfReplicas", "message": "The add-on is unhealthy because it doesn't have the desired number of replicas."}
CONFLICT = {
    "code": "ConfigurationConflict",
    "message": "Conflicts found when trying to apply. Will not continue due to resolve conflicts mode.",
}


@dataclasses.dataclass
class Addon:
    """``cluster`` is moto's; ``updates`` are replies of DescribeUpdate by ID."""

    cluster: t.Any
    known: Known
    version: str
    settings: str = ""
    role: str = ""
    namespace: str = ""
    tags: dict[str, str] = dataclasses.field(default_factory=dict)
    status: str = "CREATING"
    issues: list[Answer] = dataclasses.field(default_factory=list)
    updates: dict[str, Answer] = dataclasses.field(default_factory=dict)
    id: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    created: float = dataclasses.field(default_factory=time.time)
    modified: float = dataclasses.field(default_factory=time.time)

    @property
    def arn(self) -> str:
        return f"{self.cluster.arn.replace(':cluster/', ':addon/')}/{self.known.name}/{self.id}"

    @property
    def owned(self) -> list[identities.Association]:
        return [each for each in self.cluster.identities.values() if each.owner == self.arn]

    def answer(self) -> Answer:
        """The add-on in the API; each call checks again whether the cluster has nodes."""
        waits = self.status == "ACTIVE" and not self.known.on_each_node and _without_nodes(self.cluster)
        injected = [_issue(each) for each in cloud.current().settings["eks_addon_issues"].get(self.known.name, ()) if self.status == "ACTIVE"]
        fields = {
            "addonName": self.known.name,
            "clusterName": self.cluster.name,
            "status": "DEGRADED" if waits or injected else self.status,
            "addonVersion": self.version,
            "health": {"issues": [NO_NODES] if waits else injected or list(self.issues)},
            "addonArn": self.arn,
            "createdAt": self.created,
            "modifiedAt": self.modified,
            "tags": dict(self.tags),
            "publisher": "eks",
            "owner": "aws",
            "namespaceConfig": {"namespace": self.namespace or self.known.namespace},
        }
        more = {
            "serviceAccountRoleArn": self.role,
            "configurationValues": self.settings,
            "podIdentityAssociations": [each.arn for each in self.owned],
        }
        return {**fields, **{name: value for name, value in more.items() if value}}


class Addons:
    """The operations."""

    eks_backend: t.Any

    @operation
    def create_addon(self, clusterName: str, addonName: str, addonVersion: str = "", **params: t.Any) -> Answer:
        cluster = self.eks_backend.describe_cluster(clusterName)
        if addonName in cluster.addons:
            raise ResourceInUseException(clusterName=clusterName, addonName=addonName, message="Addon already exists.")
        known, version = _version(cluster, addonName, addonVersion)
        _check(cluster, known, version, params)
        namespace = params.get("namespaceConfig", {}).get("namespace", "")
        made = Addon(cluster, known, version.name, namespace=namespace, tags=params.get("tags", {}))
        made.settings, made.role = params.get("configurationValues", ""), params.get("serviceAccountRoleArn", "")
        cluster.addons[addonName] = made
        _associate(made, params.get("podIdentityAssociations", []))
        _set_off(made, "CREATE_FAILED", params)
        return {"addon": made.answer()}

    @operation
    def describe_addon(self, clusterName: str, addonName: str) -> Answer:
        return {"addon": self._addon(clusterName, addonName).answer()}

    @operation
    def list_addons(self, clusterName: str, maxResults: int = 100, nextToken: str = "") -> Answer:
        shown, more = page(self.eks_backend.describe_cluster(clusterName).addons, maxResults, nextToken)
        return {"addons": shown, **more}

    @operation
    def update_addon(self, clusterName: str, addonName: str, addonVersion: str = "", **params: t.Any) -> Answer:
        """Omitted parameters return to their defaults: the role always, settings unless PRESERVE is set."""
        addon = self._addon(clusterName, addonName)
        _refuse_busy(addon)
        known, version = _version(addon.cluster, addonName, addonVersion or addon.version)
        _check(addon.cluster, known, version, params, addon=addon)
        after = (version.name, params.get("configurationValues", addon.settings if _preserves(params) else ""), params.get("serviceAccountRoleArn", ""))
        update = {"id": str(uuid.uuid4()), "status": "InProgress", "type": "AddonUpdate", "createdAt": time.time(), "params": [], "errors": []}
        addon.updates[update["id"]] = update
        addon.status = "UPDATING"
        _set_off(addon, "UPDATE_FAILED", params, update, after)
        return {"update": dict(update)}

    @operation
    def delete_addon(self, clusterName: str, addonName: str, preserve: bool = False) -> Answer:
        addon = self._addon(clusterName, addonName)
        if addon.status in UNDER_WAY:
            raise InvalidRequestException(clusterName=clusterName, addonName=addonName, message=f"Addon is {addon.status}")
        rule = cloud.current().faults.take(request.current(), "fail_later")
        addon.status = "DELETING"

        def end() -> None:
            pause()
            if rule:
                addon.status, addon.issues = "DELETE_FAILED", [_issue(rule.code)]
                return
            for each in addon.owned:
                addon.cluster.identities.pop(each.id)
            addon.cluster.addons.pop(addonName, None)

        threading.Thread(target=end, daemon=True).start()
        return {"addon": addon.answer()}

    @operation
    def describe_addon_versions(self, addonName: str = "", kubernetesVersion: str | None = None, **params: t.Any) -> Answer:
        names = [addonName] if addonName else list(ADDONS)
        found = {name: described(ADDONS[name], kubernetesVersion) for name in names if name in ADDONS}
        shown, more = page([name for name in found if found[name]["addonVersions"]], params.get("maxResults", 100), params.get("nextToken", ""))
        return {"addons": [found[name] for name in shown], **more}

    @operation
    def describe_addon_configuration(self, addonName: str, addonVersion: str) -> Answer:
        known = ADDONS.get(addonName)
        if known is None or addonVersion not in [each.name for each in known.versions]:
            raise ResourceNotFoundException(addonName=addonName, message="Addon version not found")
        accounts = [
            {"serviceAccount": each, "recommendedManagedPolicies": [policy]} for each, policy in sorted(known.service_accounts.items())
        ]
        return {
            "addonName": addonName,
            "addonVersion": addonVersion,
            "configurationSchema": json.dumps(schema(_settings(known))),
            **({"podIdentityConfiguration": accounts} if accounts else {}),
        }

    def _addon(self, cluster: str, name: str) -> Addon:
        found = self.eks_backend.describe_cluster(cluster).addons.get(name)
        if found is None:
            raise ResourceNotFoundException(clusterName=cluster, addonName=name, message=f"No addon: {name} found in cluster: {cluster}")
        return t.cast(Addon, found)


def _without_nodes(cluster: t.Any) -> bool:
    return cluster.name in cloud.current().settings["eks_without_nodes"] and not any(each.instances for each in cluster.nodegroups.values())


def _settings(known: Known) -> dict[str, t.Any]:
    return {**known.settings, **cloud.current().settings["eks_addon_settings"].get(known.name, {})}


def _version(cluster: t.Any, name: str, version: str) -> tuple[Known, Version]:
    known = ADDONS.get(name)
    if known is None:
        raise InvalidParameterException(clusterName=cluster.name, addonName=name, message=f"Addon {name} is not supported")
    fitting = [each for each in known.versions if cluster.version in each.kubernetes]
    for each in fitting:
        if version == each.name or (not version and cluster.version in each.default_of):
            return known, each
    raise InvalidParameterException(
        clusterName=cluster.name,
        addonName=name,
        message=f"Addon version specified is not supported in {cluster.version}: {version or 'none'}",
    )


def _check(cluster: t.Any, known: Known, version: Version, params: Answer, *, addon: Addon | None = None) -> None:
    about = {"clusterName": cluster.name, "addonName": known.name}
    associations = params.get("podIdentityAssociations")
    if associations and not version.identities:
        raise InvalidRequestException(**about, message=f"Pod Identity feature is not supported for addon version {version.name}")
    for each in associations or ():
        other = identities.of_account(cluster, known.namespace, each["serviceAccount"])
        if other is not None and (addon is None or other.owner != addon.arn):
            raise ResourceInUseException(**about, message=f"Association already exists: {other.id}")
    try:
        settings = json.loads(params.get("configurationValues") or "{}")
    except ValueError:
        settings = {}  # YAML, which is not parsed here
    unknown = sorted(set(settings) - set(_settings(known)))
    if unknown:
        raise InvalidParameterException(
            **about, message=f"ConfigurationValue provided in request is not supported: Json schema validation failed: {unknown[0]}"
        )


def _refuse_busy(addon: Addon) -> None:
    if addon.status in UNDER_WAY:
        raise ResourceInUseException(
            clusterName=addon.cluster.name, addonName=addon.known.name, message=f"Addon is {addon.status}: update or delete in progress"
        )


def _preserves(params: Answer) -> bool:
    return params.get("resolveConflicts") == "PRESERVE"


def _associate(addon: Addon, associations: t.Iterable[Answer]) -> None:
    """Replace the associations of the add-on."""
    for each in addon.owned:
        addon.cluster.identities.pop(each.id)
    for each in associations:
        made = identities.Association(
            addon.cluster.arn, addon.namespace or addon.known.namespace, each["serviceAccount"], each["roleArn"], owner=addon.arn
        )
        addon.cluster.identities[made.id] = made


def _issue(text: str) -> Answer:
    """An issue from ``CODE: message``, or from a message without a code."""
    code, colon, message = text.partition(": ")
    return {"code": code, "message": message} if colon else {"code": "AccessDenied", "message": text}


def _set_off(addon: Addon, failed: str, params: Answer, update: Answer | None = None, after: tuple[str, str, str] | None = None) -> None:
    """Complete the operation after a while. A fault ``fail_later`` fails it, as do fields of other managers unless they may be overwritten."""
    rule = cloud.current().faults.take(request.current(), "fail_later")
    conflicting = addon.known.name in cloud.current().settings["eks_addon_conflicts"]
    overwrites = params.get("resolveConflicts") == "OVERWRITE" or (update is not None and _preserves(params))
    issue = _issue(rule.code) if rule else CONFLICT if conflicting and not overwrites else None

    def end() -> None:
        pause()
        addon.modified, addon.issues = time.time(), [issue] if issue else []
        if issue is None and after is not None:
            addon.version, addon.settings, addon.role = after
            if "podIdentityAssociations" in params:
                _associate(addon, params["podIdentityAssociations"])
        addon.status = failed if issue else "ACTIVE"
        if update is not None:
            errors = [{"errorCode": "ConfigurationConflict", "errorMessage": issue["message"], "resourceIds": []}] if issue else []
            update.update(status="Failed" if issue else "Successful", errors=errors)

    threading.Thread(target=end, daemon=True).start()
