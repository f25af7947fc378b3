# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backend; moto finds its handlers by the module name."""

from __future__ import annotations

import typing as t

from moto.eks.models import EKSBackend


class Eks(EKSBackend):
    """moto's backend with the replies to requests with a token, which may be repeated."""

    def __init__(self, *arguments: t.Any, **named: t.Any) -> None:
        super().__init__(*arguments, **named)
        self.done: dict[tuple[str, str], dict[str, t.Any]] = {}

    def tagged(self, arn: str) -> dict[str, str] | None:
        """The mutable tags of the resource with the ARN; None if there is none."""
        for cluster in self.clusters.values():
            entries = {entry.own_arn: entry.tags for entry in cluster.access_entries.values()}
            known = {each.arn: each.tags for each in (cluster, *cluster.addons.values(), *cluster.identities.values())}
            found = {**entries, **known}.get(arn)
            if found is not None:
                return t.cast("dict[str, str]", found)
        return None
