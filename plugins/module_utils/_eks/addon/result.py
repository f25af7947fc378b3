# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of an add-on."""

from __future__ import annotations

import typing as t

from .model import Addon, Catalogue, Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    addon, catalogue = state.addon, state.catalogue or Catalogue("")
    if addon is None:
        return {"eks_addon": {"exists": False, "name": desired.name, "eks_cluster": desired.cluster}}
    offered = {"default_version": catalogue.default, "latest_version": catalogue.latest}
    return {"eks_addon": {"exists": True, **to_result(desired.cluster, desired.name, addon), **offered}}


def to_result(cluster: str, name: str, addon: Addon) -> dict[str, t.Any]:
    return {
        "name": name,
        "eks_cluster": cluster,
        "addon_arn": addon.arn,
        "version": addon.version,
        "status": addon.status,
        "issues": [str(issue) for issue in addon.issues],
        "configuration": addon.configuration,
        "service_account_role_arn": addon.role,
        "pod_identity_associations": [each.to_result() for each in addon.identities],
        "namespace": addon.namespace,
        "tags": dict(addon.tags),
    }
