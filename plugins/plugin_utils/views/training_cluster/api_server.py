# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Kubernetes API in check mode, which cannot first change who reaches it."""

from __future__ import annotations

from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster import fields
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.caller import is_among
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import ENTRY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .build import MADE, PLUGINS_MADE
from .declared import caller
from .planned import rows
from .removed_groups import DRAINED

NAMESPACE_MADE, OBJECTS_MADE = "__training_cluster_made_namespace", "__training_cluster_made_objects"
"""The variables with the results of ``kubernetes_objects``."""
READS = {
    PLUGINS_MADE: "device plugins",
    NAMESPACE_MADE: "the namespace of the claim",
    OBJECTS_MADE: "the volume and the claim",
    DRAINED: "the nodes of groups to remove",
}
ACCESS = (fields.PUBLIC, fields.PRIVATE, fields.CIDRS, fields.MODE)


@dataclass(frozen=True)
class ApiServer:
    opens_later: bool
    """Whether the run, unlike check mode, first changes the endpoints of the API server or the access of the caller."""
    unread: Findings
    """The note about objects that check mode could not read for this reason."""


@view
def api_server(variables: Variables) -> ApiServer:
    failed = {name: plain(variables.get(name) or {}) for name in READS}
    reasons = {READS[name]: str(result.get("msg") or "no reason") for name, result in failed.items() if result.get("failed")}
    reason = printable(next(iter(reasons.values()), "")).rstrip(".")
    return ApiServer(
        opens_later=bool(variables["ansible_check_mode"]) and (_changes_endpoint(variables) or _changes_access(variables)),
        unread=finding("training-cluster-unforeseen", what=list(reasons), reason=reason) if reasons else [],
    )


def _changes_endpoint(variables: Variables) -> bool:
    changes = plain(variables.get(MADE) or {}).get("changes") or ()
    return any(each["field"] == field.option for each in changes for field in ACCESS)


def _changes_access(variables: Variables) -> bool:
    changed = [row.name for row in rows(variables) if row.kind == ENTRY and row.changes]
    return is_among(caller(variables), changed)
