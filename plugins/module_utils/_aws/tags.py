# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Tags as people write them, a mapping, and as AWS does, a list of pairs."""

from __future__ import annotations

import typing as t

from .._core.arn import ClusterArn


def api_tags(tags: t.Mapping[str, str]) -> list[dict[str, str]]:
    """As AWS takes them, in an order that does not depend on who wrote them."""
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]


def plain_tags(tags: t.Iterable[t.Mapping[str, str]] | None) -> dict[str, str]:
    """As AWS answers them; it leaves out the list, or a value, that is empty."""
    return {tag["Key"]: tag.get("Value", "") for tag in tags or ()}


def collection_tags(arn: ClusterArn, component: str) -> dict[str, str]:
    """The two tags that mark what belongs to this collection."""
    return {"mlfleet.hyperpod/cluster": arn.text, "mlfleet.hyperpod/component": component}
