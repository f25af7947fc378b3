# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations that moto lacks."""

from __future__ import annotations

import typing as t

from moto.eks.models import eks_backends
from moto.eks.responses import EKSResponse

from .. import request
from .access import AccessEntries
from .addons import Addons
from .clusters import Clusters
from .identities import Identities
from .nodegroups import NodeGroups
from .operation import Answer, NotFoundException, operation
from .updates import Updates
from .versions import Versions


class Responses(AccessEntries, Addons, Clusters, Identities, NodeGroups, Updates, Versions, EKSResponse):
    @property
    def eks_backend(self) -> t.Any:
        """The backend of the Region in the signature, because moto misreads paths with the name of a service-linked role."""
        return eks_backends[self.current_account][request.current().region]

    @operation
    def tag_resource(self, resourceArn: str, tags: dict[str, str]) -> None:
        self._tags(resourceArn).update(tags)

    @operation
    def untag_resource(self, resourceArn: str, tagKeys: list[str]) -> None:
        found = self._tags(resourceArn)
        for key in tagKeys:
            found.pop(key, None)

    @operation
    def list_tags_for_resource(self, resourceArn: str) -> Answer:
        return {"tags": dict(self._tags(resourceArn))}

    def _tags(self, arn: str) -> dict[str, str]:
        found = self.eks_backend.tagged(arn)
        if found is None:
            raise NotFoundException(message=f"Resource {arn} was not found")
        return t.cast("dict[str, str]", found)
