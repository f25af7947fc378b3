# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The bearer token of EKS: a signed request to STS that identifies its signer, as from ``aws eks get-token``.

``plugin_utils/eks_token.py`` loads this file by its path, outside any package, so it must not import other files of the collection.
"""

from __future__ import annotations

import base64
import time
import typing as t

PREFIX = "k8s-aws-v1."
CLUSTER_HEADER = "x-k8s-aws-id"
SECONDS = 60
"""Validity of the signed request, in seconds. EKS accepts the token for longer."""
LIFE_SECONDS = 14 * 60
"""Validity of a token in seconds, as in ``aws eks get-token``: EKS's 15 minutes minus a reserve."""
RENEWED_SECONDS = 10 * 60
"""The age in seconds from which a request gets a new token, so that no token expires during a request."""


def token(sts: t.Any, cluster_name: str) -> str:
    """Sign a token locally with the caller's credentials, without a call to STS.

    :param sts: a botocore client.
    """

    def for_cluster(request: t.Any, **_more: t.Any) -> None:
        request.headers[CLUSTER_HEADER] = cluster_name

    events = sts.meta.events
    events.register("before-sign.sts.GetCallerIdentity", for_cluster)
    try:
        url = sts.generate_presigned_url("get_caller_identity", ExpiresIn=SECONDS, HttpMethod="GET")
    finally:
        events.unregister("before-sign.sts.GetCallerIdentity", for_cluster)
    return PREFIX + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


class Bearer:
    """The ``refresh_api_key_hook`` of a ``kubernetes.client.Configuration``, which the package calls for each request.

    :param sign: creates a token.
    :param now: seconds of the wall clock, which AWS also uses.
    """

    def __init__(self, sign: t.Callable[[], str], now: t.Callable[[], float] = time.time) -> None:
        self.sign = sign
        self.now = now
        self._signed: float | None = None

    def __call__(self, configuration: t.Any) -> None:
        now = self.now()
        if self._signed is None or not 0 <= now - self._signed < RENEWED_SECONDS:
            configuration.api_key["authorization"] = f"Bearer {self.sign()}"
            self._signed = now
