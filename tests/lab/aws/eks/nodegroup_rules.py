# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of EKS for requests about node groups (API reference; User Guide, launch-templates and capacity-blocks-mng)."""

from __future__ import annotations

import copy
import re
import typing as t

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import ec2_backends
from moto.eks.exceptions import InvalidParameterException, InvalidRequestException

from .operation import Answer

PATCHES = ("1-20260901", "2-20261015")
"""Releases of the AMI for each Kubernetes version, the newest last."""
FORBIDDEN = ("IamInstanceProfile", "InstanceInitiatedShutdownBehavior", "HibernationOptions")
DEFAULT_SCALING = {"minSize": 1, "maxSize": 2, "desiredSize": 2}
BLOCK = "CAPACITY_BLOCK"
OVERRIDE = {"nodeMonitoringCondition", "nodeUnhealthyReason", "minRepairWaitTimeMins", "repairAction"}
LIMITS = ("maxUnhealthyNodeThreshold", "maxParallelNodesRepaired")


def created(cluster: t.Any, params: Answer) -> Answer:
    """Fields of a new group.

    :raises EKSError: for a request that EKS refuses.
    """
    params = copy.deepcopy(params)
    specified = params.pop("launchTemplate", None)
    template, data = _template(cluster, specified) if specified else (None, {})
    _check_template(data, params, has_template=template is not None)
    scaling = params.get("scalingConfig") or DEFAULT_SCALING
    _require(scaling.keys() == DEFAULT_SCALING.keys(), "scalingConfig requires minSize, maxSize and desiredSize")
    _check_scaling(scaling)
    _check_update_config(params.get("updateConfig"))
    _check_repair(params.get("nodeRepairConfig") or {})
    _check_taints(params.get("taints", []))
    for subnet in params["subnets"]:
        _require(_exists(cluster, subnet), f"The subnet ID '{subnet}' does not exist")
    own_ami = "ImageId" in data
    version = params.get("version", cluster.version)
    _require(version == cluster.version, f"Nodegroup version {version} must equal the version of the cluster, {cluster.version}")
    return {
        "capacityType": "ON_DEMAND",
        "labels": {},
        "taints": [],
        "tags": {},
        "updateConfig": {"maxUnavailable": 1},
        **({} if template else {"diskSize": 20, "instanceTypes": ["t3.medium"]}),
        **params,
        **({"launchTemplate": template} if template else {}),
        "scalingConfig": scaling,
        "amiType": "CUSTOM" if own_ami else params.get("amiType", "AL2023_x86_64_STANDARD"),
        "version": version,
        "releaseVersion": data["ImageId"] if own_ami else _release(version, params.get("releaseVersion")),
    }


def configured(fields: Answer, params: Answer) -> Answer:
    """Fields after UpdateNodegroupConfig."""
    after = copy.deepcopy(fields)
    labels, taints = params.get("labels", {}), params.get("taints", {})
    after["labels"] = {key: value for key, value in after["labels"].items() if key not in labels.get("removeLabels", ())}
    after["labels"].update(labels.get("addOrUpdateLabels", {}))
    gone = [_identity(each) for each in (*taints.get("removeTaints", ()), *taints.get("addOrUpdateTaints", ()))]
    after["taints"] = [each for each in after["taints"] if _identity(each) not in gone] + taints.get("addOrUpdateTaints", [])
    _check_taints(after["taints"])
    after["scalingConfig"].update(params.get("scalingConfig", {}))
    _check_scaling(after["scalingConfig"])
    _check_update_config(params.get("updateConfig"))
    _check_repair(params.get("nodeRepairConfig", {}))
    return {**after, **{name: params[name] for name in ("updateConfig", "nodeRepairConfig") if name in params}}


def upgraded(cluster: t.Any, fields: Answer, params: Answer) -> Answer:
    """Fields after UpdateNodegroupVersion. An omitted version becomes the cluster's, and an omitted release the newest."""
    after, specified, have = copy.deepcopy(fields), params.get("launchTemplate"), fields.get("launchTemplate")
    _refuse(fields["capacityType"] == BLOCK and fields["scalingConfig"]["desiredSize"] > 0, "The desired size must be 0 for Capacity Blocks")
    data: Answer = {}
    if have or specified:
        _refuse(not have, "You cannot specify a launch template for a node group that was created without one")
        same = all(specified[name] == have[name] for name in ("id", "name") if name in specified) if specified else True
        _refuse(not same, "You cannot specify a different launch template ID or name")
        after["launchTemplate"], data = _template(cluster, specified or {"id": have["id"], "version": have["version"]})
        _check_template(data, {"instanceTypes": fields.get("instanceTypes"), "capacityType": fields["capacityType"]}, has_template=True)
    if "ImageId" in data:
        _refuse("version" in params or "releaseVersion" in params, "You cannot specify a version with an AMI in the launch template")
        return {**after, "releaseVersion": data["ImageId"]}
    version = params.get("version", cluster.version)
    _require(_numbers(version) <= _numbers(cluster.version), f"Nodegroup version {version} is newer than the version of the cluster")
    _require(_numbers(version) >= _numbers(fields["version"]), f"Nodegroup version {fields['version']} can't be rolled back")
    release = _release(version, params.get("releaseVersion"))
    _require(release >= fields["releaseVersion"], f"Release {fields['releaseVersion']} can't be rolled back")
    return {**after, "version": version, "releaseVersion": release}


def template_data(cluster: t.Any, specified: Answer | None) -> Answer:
    """Data of the launch template of a group; empty without one.

    :raises EKSError: if it was removed.
    """
    return _template(cluster, {"id": specified["id"], "version": specified["version"]})[1] if specified else {}


def _template(cluster: t.Any, specified: Answer) -> tuple[Answer, Answer]:
    """The template as EKS describes it, and its data."""
    given = [name for name in ("id", "name") if name in specified]
    _require(len(given) == 1, "Either provide launch template ID or launch template name in the request.")
    _arn, _partition, _eks, region, account, _rest = cluster.arn.split(":", 5)
    templates = ec2_backends[account][region].launch_templates.values()
    found = next((each for each in templates if specified[given[0]] in (each.id, each.name)), None)
    if found is None:
        raise InvalidRequestException(clusterName=cluster.name, message=f"LaunchTemplate {specified[given[0]]} was not found")
    try:
        version = found.get_version(specified.get("version", "$Default"))
    except EC2ClientError as error:
        raise InvalidRequestException(clusterName=cluster.name, message="The version of the launch template was not found") from error
    return {"id": found.id, "name": found.name, "version": str(version.number)}, version.data


def _check_template(data: Answer, params: Answer, *, has_template: bool) -> None:
    interfaces = data.get("NetworkInterfaces") or data.get("NetworkInterface") or []
    market = (data.get("InstanceMarketOptions") or {}).get("MarketType")
    forbidden = [name for name in FORBIDDEN if data.get(name)]
    _refuse(bool(forbidden), f"Launch template should not specify {''.join(forbidden[:1])}")
    _refuse(any(each.get("SubnetId") for each in interfaces), "Launch template should not specify a subnet in a network interface")
    on_interfaces = any(each.get("Groups") or each.get("SecurityGroupId") for each in interfaces)
    _refuse(bool(on_interfaces and data.get("SecurityGroupIds")), "Launch template has security groups of instances and of interfaces")
    _refuse(market == "spot", "Launch template should not specify spot market options")
    both = data.get("InstanceType") and params.get("instanceTypes")
    _refuse(bool(both), "Cannot specify instance types in launch template and API Request")
    _refuse(has_template and "diskSize" in params, "Disk size must be specified within the launch template.")
    own = "ImageId" in data and any(name in params for name in ("amiType", "version", "releaseVersion"))
    _refuse(own, "You cannot specify an AMI Type or a version when specifying an image id within the launch template.")
    block = params.get("capacityType") == BLOCK
    _refuse(block != (market == "capacity-block"), "CAPACITY_BLOCK and market type capacity-block require each other")
    target = (data.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}
    complete = data.get("InstanceType") and target.get("CapacityReservationId")
    _refuse(block and not complete, "A Capacity Block requires an instance type and a reservation in the launch template")
    _refuse(params.get("amiType") == "CUSTOM", "AMI type CUSTOM requires an image id within the launch template.")


def _check_scaling(scaling: Answer) -> None:
    low, high, desired = scaling["minSize"], scaling["maxSize"], scaling["desiredSize"]
    _require(low <= high, f"Minimum capacity {low} can't be greater than maximum size {high}")
    _require(low <= desired, f"Minimum capacity {low} can't be greater than desired size {desired}")
    _require(desired <= high, f"Desired capacity {desired} can't be greater than max size {high}")


def _check_update_config(config: Answer | None) -> None:
    given = {"maxUnavailable", "maxUnavailablePercentage"} & config.keys() if config is not None else {"none"}
    _require(len(given) == 1, "Exactly one of maxUnavailable and maxUnavailablePercentage is required")


def _check_repair(config: Answer) -> None:
    for name in LIMITS:
        _require(f"{name}Count" not in config or f"{name}Percentage" not in config, f"{name} is a count or a percentage")
    for each in config.get("nodeRepairConfigOverrides", []):
        _require(each.keys() == OVERRIDE, "nodeRepairConfigOverrides requires all values")


def _check_taints(taints: t.Sequence[Answer]) -> None:
    identities = [_identity(each) for each in taints]
    _require(len(set(identities)) == len(identities), "Taints with the same key and effect must be unique")


def _identity(taint: Answer) -> tuple[str, str]:
    return taint["key"], taint["effect"]


def _release(version: str, release: str | None) -> str:
    offered = [f"{version}.{patch}" for patch in PATCHES]
    _require(release in (None, *offered), f"Requested release version {release} is not valid for kubernetes version {version}")
    return release or offered[-1]


def _exists(cluster: t.Any, subnet: str) -> bool:
    _arn, _partition, _eks, region, account, _rest = cluster.arn.split(":", 5)
    try:
        return bool(ec2_backends[account][region].get_subnet(subnet))
    except EC2ClientError:
        return False


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise InvalidParameterException(message=message)


def _refuse(condition: bool, message: str) -> None:
    if condition:
        raise InvalidRequestException(message=message)
