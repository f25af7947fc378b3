# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What EKS takes for a password: a signed request to STS that says who signed it, as ``aws eks get-token`` makes it."""

from __future__ import annotations

import base64
import typing as t

from .._aws.client import Api

PREFIX = "k8s-aws-v1."
CLUSTER_HEADER = "x-k8s-aws-id"
SECONDS = 60
"""Of the request; EKS takes the token for 14 minutes all the same."""


def token(sts: Api, cluster_name: str) -> str:
    """Signed here, with the caller's credentials; nothing is asked of STS."""

    def for_cluster(request: t.Any, **_more: t.Any) -> None:
        request.headers[CLUSTER_HEADER] = cluster_name

    events = sts.client.meta.events
    events.register("before-sign.sts.GetCallerIdentity", for_cluster)
    try:
        url = sts.client.generate_presigned_url("get_caller_identity", ExpiresIn=SECONDS, HttpMethod="GET")
    finally:
        events.unregister("before-sign.sts.GetCallerIdentity", for_cluster)
    return PREFIX + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
