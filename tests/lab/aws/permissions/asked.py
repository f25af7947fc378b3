# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions that a call requires: actions on resources, in a context. Unknown actions require all resources."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..checked import inner_calls
from . import ec2, events, found, fsx, rest, sagemaker, sqs
from .forms import Context, Required, arn as _arn, tags as _tags

if t.TYPE_CHECKING:
    from ..request import Call

PREFIXES = {"elbv2": "elasticloadbalancing", "service-quotas": "servicequotas", "resourcegroupstaggingapi": "tag"}
"""Prefixes of actions that differ from the name of the service model."""


@dataclass(frozen=True)
class Permission:
    action: str
    resource: str
    context: Context = field(default_factory=dict)


def required_permissions(call: Call) -> list[Permission]:
    """All permissions that the policies must allow."""
    action = f"{PREFIXES.get(call.service, call.service)}:{call.operation}"
    if call.protocol.startswith("rest"):
        return [Permission(*each) for each in rest.required(call)]
    own = OF_SERVICE.get(call.service, lambda _call: None)(call)
    made = own if own is not None else [(action, "*", {})]
    inner = [(each, "*", {}) for each, _call in inner_calls(call)]
    return [Permission(*each) for each in (*made, *inner)]


def _ssm(call: Call) -> Required:
    params, action = call.params, f"ssm:{call.operation}"
    names = params.get("Names") or [params[name] for name in ("Name", "Path", "ResourceId") if params.get(name)]
    if call.operation == "StartSession":
        cluster = params["Target"].removeprefix("sagemaker-cluster:").partition("_")[0]
        document = params.get("DocumentName")
        named = f"arn:aws:ssm:{call.region}::document/{document}" if document else _arn(call, "ssm", "document/SSM-SessionManagerRunShell")
        context = {"ssm:SessionDocumentAccessCheck": "true"}
        return [(action, _arn(call, "sagemaker", f"cluster/{cluster}"), context), (action, named, context)]
    if "SessionId" in params:
        return [(action, _arn(call, "ssm", f"session/{params['SessionId']}"), {})]
    if not names:
        return None
    tagged = ["ssm:AddTagsToResource"] if params.get("Tags") and call.operation == "PutParameter" else []
    return [(each, _arn(call, "ssm", f"parameter{name}"), {}) for each in (action, *tagged) for name in names]


def _secretsmanager(call: Call) -> Required:
    params, action = call.params, f"secretsmanager:{call.operation}"
    name = params.get("SecretId") or params.get("Name")
    if not name:
        return None
    arn = name if name.startswith("arn:") else _arn(call, "secretsmanager", f"secret:{name}-AbCdEf")
    tagged = ["secretsmanager:TagResource"] if params.get("Tags") and call.operation == "CreateSecret" else []
    return [(each, arn, {}) for each in (action, *tagged)]


def _elbv2(call: Call) -> Required:
    params, action = call.params, f"elasticloadbalancing:{call.operation}"
    if call.operation.startswith("Describe"):
        return None
    kinds = {"CreateLoadBalancer": "loadbalancer/net/", "CreateTargetGroup": "targetgroup/"}
    if call.operation in kinds:
        arns = [_arn(call, "elasticloadbalancing", f"{kinds[call.operation]}{params['Name']}/0123456789abcdef")]
    else:
        named = [params[key] for key in ("ListenerArn", "LoadBalancerArn", "TargetGroupArn") if params.get(key)]
        arns = params.get("ResourceArns") or named[:1]
    tagged = ["elasticloadbalancing:AddTags"] if params.get("Tags") and call.operation.startswith("Create") else []
    return [(each, arn, {}) for each in (action, *tagged) for arn in arns]


def _acm(call: Call) -> Required:
    params, action = call.params, f"acm:{call.operation}"
    if call.operation == "ListCertificates":
        return None
    arn = params.get("CertificateArn")
    context = {**_tags(params.get("Tags")), **(found.tags_of_certificate(call, arn) if arn else {})}
    tagged = ["acm:AddTagsToCertificate"] if params.get("Tags") and call.operation == "ImportCertificate" else []
    return [(each, arn or _arn(call, "acm", "certificate/new"), context) for each in (action, *tagged)]


def _iam(call: Call) -> Required:
    name = call.params.get("RoleName")
    if not name:
        return None
    boundary = call.params.get("PermissionsBoundary") or found.boundary_of(call, name)
    path = (call.params.get("Path") or "/") if call.operation == "CreateRole" else found.path_of(call, name)
    context = {"iam:PolicyARN": call.params["PolicyArn"]} if "PolicyArn" in call.params else {}
    context |= {"iam:PermissionsBoundary": boundary} if boundary else {}
    tagged = ["iam:TagRole"] if call.params.get("Tags") and call.operation == "CreateRole" else []
    return [(each, f"arn:aws:iam::{call.account}:role{path}{name}", context) for each in (f"iam:{call.operation}", *tagged)]


def _ecr(call: Call) -> Required:
    names = call.params.get("repositoryNames") or [call.params[key] for key in ("repositoryName",) if key in call.params]
    return [(f"ecr:{call.operation}", _arn(call, "ecr", f"repository/{name}"), {}) for name in names] or None


def _servicequotas(call: Call) -> Required:
    if not call.operation.startswith("Request"):
        return None
    return [(f"servicequotas:{call.operation}", _arn(call, "servicequotas", f"{call.params['ServiceCode']}/{call.params['QuotaCode']}"), {})]


def _logs(call: Call) -> Required:
    name = call.params.get("logGroupName") or call.params.get("logGroupNamePrefix")
    if not name or call.operation == "DescribeLogGroups":
        return None
    tagged = ["logs:TagLogGroup"] if call.params.get("tags") and call.operation == "CreateLogGroup" else []
    return [(each, _arn(call, "logs", f"log-group:{name}"), {}) for each in (f"logs:{call.operation}", *tagged)]


OF_SERVICE: t.Mapping[str, t.Callable[[t.Any], Required]] = {
    "acm": _acm,
    "ec2": ec2.required,
    "ecr": _ecr,
    "elbv2": _elbv2,
    "events": events.required,
    "fsx": fsx.required,
    "iam": _iam,
    "logs": _logs,
    "sagemaker": sagemaker.required,
    "secretsmanager": _secretsmanager,
    "service-quotas": _servicequotas,
    "sqs": sqs.required,
    "ssm": _ssm,
}
