# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks as values, for tests without an API."""

from __future__ import annotations

import datetime

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.model import Claim, Locks

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
PATH = "/mlfleet/hyperpod/abc123def456/lock"
NOW = datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc)


def claim(token="ours", *, expires="2099-01-01T00:00:00Z", released=False):
    return Claim(
        owner=f"{token}@host",
        token=token,
        host="host",
        place="",
        pid=0,
        started=0,
        acquired="2026-11-21T12:00:00Z",
        expires=expires,
        released=released,
    )


def locks(*generations, gone=()):
    return Locks(path=PATH, now=NOW, generations=tuple(generations), gone=frozenset(gone))
