# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The workflow that repairs nodes after a person approved the plan. No I/O."""

from __future__ import annotations

import typing as t

from .fleet import Fleet
from .objects import Object

NAME = "repair after approval"
RECONCILE, VERIFY, PLAN, REPAIR = "reconcile", "verify", "plan repairs", "repair as planned"
"""The templates of its jobs."""
APPROVAL = "approve repairs"
HOURS = 12
"""How long it waits for an approval."""


def possible(templates: t.Container[str]) -> bool:
    """Whether AWX has all job templates of the workflow."""
    return all(each in templates for each in (RECONCILE, VERIFY, PLAN, REPAIR))


def wanted(fleet: Fleet, templates: t.Container[str]) -> t.Iterator[Object]:
    """The workflow, then its nodes: each after those that follow it, because AWX connects only existing nodes."""
    if not possible(templates):
        return
    notified = tuple(fleet.named(each["name"]) for each in fleet.notifications)
    values = {"description": fleet.described(NAME, "Reconcile, verify, plan repairs, wait for an approval, repair")}
    lists = {"notification_templates_approvals": notified, "notification_templates_error": notified} if notified else {}
    yield Object("workflow_job_template", fleet.named(NAME), values, {"organization": fleet.organization}, lists, mark=NAME)
    text = "The plan is in the output of the job before."
    approval = {"name": fleet.named(APPROVAL), "description": text, "timeout": HOURS * 3600}
    yield _node(fleet, REPAIR)
    yield _node(fleet, APPROVAL, {"approval_node": approval}, success_nodes=REPAIR)
    yield _node(fleet, PLAN, failure_nodes=APPROVAL)  # the job fails if a repair is planned
    yield _node(fleet, VERIFY, always_nodes=PLAN)
    yield _node(fleet, RECONCILE, success_nodes=VERIFY)


def _node(fleet: Fleet, identifier: str, approval: t.Mapping[str, t.Any] | None = None, **edges: str) -> Object:
    refers: dict[str, str | None] = {"workflow_job_template": fleet.named(NAME)}
    if not approval:
        refers["unified_job_template"] = fleet.named(identifier)
    lists = {"success_nodes": (), "failure_nodes": (), "always_nodes": (), **{name: (each,) for name, each in edges.items()}}
    return Object("workflow_job_template_node", identifier, approval or {}, refers, lists)
