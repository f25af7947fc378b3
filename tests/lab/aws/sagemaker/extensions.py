# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Extensions of clusters with Slurm, installed on each node in the background."""

from __future__ import annotations

import json
import secrets
import threading
import typing as t

from .. import cloud, request
from ..action import Refusal, action
from ..delays import pause
from .cluster import Cluster, now
from .paging import moment, page, within

Answer = dict[str, t.Any]
NEWEST = "1.1.0"
UNDER_WAY = ("Creating", "Updating", "Deleting")


class Extensions:
    """The operations; ``extensions`` of a cluster are replies of DescribeClusterExtension by ARN."""

    sagemaker_backend: t.Any

    @action
    def create_cluster_extension(self, ClusterArn: str, ExtensionName: str, **params: t.Any) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterArn)
        if cluster.eks_arn or not cluster.continuous:
            raise Refusal("ValidationException", "Extensions are for clusters with Slurm and continuous provisioning")
        return self.sagemaker_backend.once(params["ClientToken"], lambda: _create(cluster, ExtensionName, params))

    @action
    def describe_cluster_extension(self, ClusterArn: str, ExtensionArn: str) -> Answer:
        return _found(self.sagemaker_backend.find(ClusterArn), ExtensionArn)

    @action
    def update_cluster_extension(self, ClusterArn: str, ExtensionArn: str, **params: t.Any) -> Answer:
        extension = _found(self.sagemaker_backend.find(ClusterArn), ExtensionArn)
        details = extension["ExtensionDetails"]

        def update() -> Answer:
            if details["Status"] in UNDER_WAY:
                raise Refusal("ConflictException", f"Extension {ExtensionArn} is {details['Status']}")
            version = params.get("ExtensionVersion", details["ExtensionVersion"])
            if [*map(int, version.split("."))] < [*map(int, details["ExtensionVersion"].split("."))]:
                raise Refusal("ValidationException", "An extension can't be updated to an earlier version")
            changes = json.loads(params.get("ConfigurationValues", "{}"))
            settings = _merged(json.loads(details.get("ConfigurationValues", "{}")), changes)
            details.update({"Status": "Updating", "ExtensionVersion": version, "LastModifiedTime": now()})
            details.update({"ConfigurationValues": json.dumps(settings)} if settings else {})
            _set_off(extension, "UpdateFailed")
            return {"ExtensionArn": ExtensionArn}

        return self.sagemaker_backend.once(params["ClientToken"], update)

    @action
    def delete_cluster_extension(self, ClusterArn: str, ExtensionArn: str) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterArn)
        details = _found(cluster, ExtensionArn)["ExtensionDetails"]
        if details["Status"] in UNDER_WAY:
            raise Refusal("ConflictException", f"Extension {ExtensionArn} is {details['Status']}")
        details["Status"] = "Deleting"

        def end() -> None:
            pause()
            cluster.extensions.pop(ExtensionArn, None)

        threading.Thread(target=end, daemon=True).start()
        return {"ExtensionArn": ExtensionArn}

    @action
    def list_cluster_extensions(self, ClusterArn: str, **params: t.Any) -> Answer:
        all_details = [each["ExtensionDetails"] for each in self.sagemaker_backend.find(ClusterArn).extensions.values()]
        after, before = params.get("CreationTimeAfter"), params.get("CreationTimeBefore")
        shown, token = page(
            [each for each in all_details if within(each["CreationTime"], after, before)],
            key=lambda each: (moment(each["CreationTime"]), each["ExtensionArn"]),
            size=params.get("MaxResults"),
            token=params.get("NextToken"),
            descending=False,
        )
        names = ("ExtensionArn", "ExtensionName", "ExtensionVersion", "Status", "CreationTime")
        return {"Extensions": [{name: each[name] for name in names} for each in shown], **({"NextToken": token} if token else {})}


def _create(cluster: Cluster, name: str, params: Answer) -> Answer:
    if any(each["ExtensionDetails"]["ExtensionName"] == name for each in cluster.extensions.values()):
        raise Refusal("ResourceInUse", f"Extension {name} is installed")
    prefix = cluster.arn.rsplit(":", 1)[0]
    arn = f"{prefix}:extension/{name}/{cluster.name}/{secrets.token_hex(6)}"
    about = {"ClusterArn": cluster.arn, "ExtensionArn": arn, "ExtensionName": name, "CreationTime": now(), "Status": "Creating"}
    given = {key: params[key] for key in ("ConfigurationValues",) if key in params}
    details = {**about, "ExtensionVersion": params.get("ExtensionVersion", NEWEST), **given}
    nodes = {"TotalCount": len(cluster.nodes), "ActiveCount": 0}
    cluster.extensions[arn] = {"ExtensionDetails": details, "NodeSummary": nodes, "Health": {"Issues": []}}
    _set_off(cluster.extensions[arn], "CreateFailed")
    return {"ExtensionArn": arn}


def _set_off(extension: Answer, failed: str) -> None:
    rule = cloud.current().faults.take(request.current(), "fail_later")
    nodes = extension["NodeSummary"]

    def end() -> None:
        pause()
        message = {"Code": "AccessDenied", "Message": rule.code, "NodeCount": nodes["TotalCount"]} if rule else None
        extension["Health"] = {"Issues": [message] if message else []}
        nodes["ActiveCount"] = 0 if rule else nodes["TotalCount"]
        extension["ExtensionDetails"]["Status"] = failed if rule else "Active"

    threading.Thread(target=end, daemon=True).start()


def _found(cluster: Cluster, arn: str) -> Answer:
    if arn not in cluster.extensions:
        raise Refusal("ResourceNotFound", f"Extension {arn} not found")
    return cluster.extensions[arn]


def _merged(have: Answer, want: Answer) -> Answer:
    after = dict(have)
    for name, value in want.items():
        if value is None:
            after.pop(name, None)
        else:
            after[name] = _merged(after.get(name) or {}, value) if isinstance(value, dict) else value
    return after
