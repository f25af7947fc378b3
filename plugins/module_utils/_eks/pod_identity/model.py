# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed pod identity association."""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass, field

Answer = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Desired:
    """The desired association, identified by namespace and service account. None leaves the current value unchanged."""

    cluster: str
    namespace: str
    account: str
    present: bool = True
    role: str | None = None
    target: str | None = None
    without_session_tags: bool | None = None
    policy: t.Mapping[str, t.Any] | None = None
    """A session policy; empty for none."""
    tags: t.Mapping[str, str] | None = None
    purge_tags: bool = True

    @property
    def resource(self) -> str:
        return f"pod identity association {self.namespace}/{self.account}"

    @property
    def about(self) -> str:
        return f"{self.resource} of EKS cluster {self.cluster}"

    @property
    def newer_parameters(self) -> list[str]:
        """Parameters of the request that an old botocore may not support."""
        needed = {
            "targetRoleArn": self.target is not None,
            "disableSessionTags": self.without_session_tags is not None,
            "policy": self.policy is not None,
        }
        return [name for name, asked in needed.items() if asked]


@dataclass(frozen=True)
class Association:
    id: str
    arn: str
    namespace: str
    account: str
    role: str
    target: str = ""
    external_id: str = ""
    """The external ID that the trust policy of the target role can require; empty without a target role."""
    without_session_tags: bool = False
    policy: t.Any = field(default_factory=dict)
    """The parsed policy; the text if it is not JSON."""
    owner: str = ""
    """ARN of the add-on that owns the association; empty if none does."""
    tags: t.Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_api(cls, answer: Answer) -> Association:
        return cls(
            id=answer["associationId"],
            arn=answer["associationArn"],
            namespace=answer["namespace"],
            account=answer["serviceAccount"],
            role=answer.get("roleArn", ""),
            target=answer.get("targetRoleArn", ""),
            external_id=answer.get("externalId", ""),
            without_session_tags=bool(answer.get("disableSessionTags")),
            policy=parsed(answer.get("policy") or ""),
            owner=answer.get("ownerArn", ""),
            tags=dict(answer.get("tags") or {}),
        )


@dataclass(frozen=True)
class State:
    association: Association | None = None


def parsed(policy: str) -> t.Any:
    """The parsed policy, which is empty for an empty text; the text itself if it is not JSON."""
    try:
        return json.loads(policy) if policy.strip() else {}
    except ValueError:
        return policy
