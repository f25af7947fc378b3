# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a call asks IAM for whose request names method and path: of EKS and S3, as far as playbooks make them."""

from __future__ import annotations

import re
import typing as t

if t.TYPE_CHECKING:
    from ..request import Call

BUCKET, OBJECT = r"/(?P<bucket>[^/]+)/?", r"/(?P<bucket>[^/]+)/(?P<key>.+)"
EKS, S3 = "arn:aws:eks:{region}:{account}:", "arn:aws:s3:::"
KNOWN = (
    ("eks", "GET", r"/clusters/(?P<name>[^/]+)", "", "eks:DescribeCluster", f"{EKS}cluster/{{name}}"),
    ("eks", "GET", r"/clusters/(?P<name>[^/]+)/addons/(?P<addon>[^/]+)", "", "eks:DescribeAddon", f"{EKS}addon/{{name}}/{{addon}}/1"),
    ("s3", "GET|HEAD", BUCKET, "", "s3:ListBucket", f"{S3}{{bucket}}"),
    ("s3", "GET", BUCKET, "ownershipControls", "s3:GetBucketOwnershipControls", f"{S3}{{bucket}}"),
    ("s3", "GET|HEAD", OBJECT, "", "s3:GetObject", f"{S3}{{bucket}}/{{key}}"),
    ("s3", "GET", OBJECT, "tagging", "s3:GetObjectTagging", f"{S3}{{bucket}}/{{key}}"),
    ("s3", "PUT", OBJECT, "", "s3:PutObject", f"{S3}{{bucket}}/{{key}}"),
)
"""Service, method, path, sub-resource, action, ARN of its resource."""
SUBRESOURCES = ("acl", "ownershipControls", "tagging", "policy", "location", "versioning", "encryption")


def asked(call: Call) -> tuple[str, str]:
    """Action and resource. An unknown request asks for itself, which no policy allows."""
    method, _space, path = call.operation.partition(" ")
    subresource = next((name for name in SUBRESOURCES if name in call.query), "")
    for service, methods, pattern, of, action, arn in KNOWN:
        match = re.fullmatch(pattern, path)
        if match and call.service == service and method in methods.split("|") and subresource == of:
            return action, arn.format(region=call.region, account=call.account, **match.groupdict())
    return f"{call.service}:{call.operation} {subresource}".rstrip(), "*"
