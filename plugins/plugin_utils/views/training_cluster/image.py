# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The training image and its repository."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.plugins.loader import module_loader
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.plan import BUILD, KEEP, Row
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.variables import IMAGE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused

from .. import Variables, view
from .declared import values

PLANNED, MADE = "__training_cluster_planned_image", "__training_cluster_made_image"
"""The variables with the results of ``training_image``, the first one in check mode."""
CREATOR = "community.aws.ecs_ecr"
"""The module that creates the repository. Its collection is not a dependency of this one."""


@view
def image(variables: Variables) -> dict[str, t.Any]:
    """Options of ``training_image``, and the AWS profile; None for those that are not declared. Empty if no image is declared."""
    given = values(variables)["image"]
    return {**dict.fromkeys(IMAGE), **given, "profile": variables.get("hyperpod_profile")} if given else {}


@dataclass(frozen=True)
class Repository:
    missing: bool
    """Whether the repository does not exist. An existing one is not changed."""
    refusals: Findings
    """The refusal of a missing repository that this control node cannot create."""


@view
def repository(variables: Variables) -> Repository:
    missing = _result(variables, PLANNED).get("repository_uri") == KNOWN_AFTER_APPLY
    if not missing or module_loader.find_plugin(CREATOR):
        return Repository(missing, [])
    collection = CREATOR.rpartition(".")[0]
    why = f"it does not exist, and collection {collection}, which creates it, is not installed on the control node"
    allowed = f"an existing repository, or a new one after the command ansible-galaxy collection install {collection}"
    name = f"repository {values(variables)['image']['repository']}"
    return Repository(missing, refused([not_allowed("training_cluster_image", name, allowed, why)]))


def reference(variables: Variables) -> str:
    """The URI of the repository with the digest of the image; empty if the image is not in ECR."""
    found = str(_result(variables, MADE).get("reference") or "")
    return "" if found == KNOWN_AFTER_APPLY else found


def image_rows(variables: Variables) -> list[Row]:
    """The row of the image in the plan."""
    given, found = values(variables)["image"], plain(variables.get(PLANNED) or {})
    if not given:
        return []
    note = "in a new repository" if repository(variables).missing else ""
    return [Row("ecr_image", f"{given['repository']}:{given['tag']}", BUILD if found.get("changes") else KEEP, note)]


def _result(variables: Variables, name: str) -> dict[str, t.Any]:
    found: dict[str, t.Any] = plain(variables.get(name) or {}).get("training_image") or {}
    return found
