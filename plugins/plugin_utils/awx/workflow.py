# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The workflow that repairs nodes after a person approved the plan. No I/O."""

from __future__ import annotations

import typing as t

from .fleet import Fleet
from .objects import Object, Values

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
    yield template(fleet, NAME, "Reconcile, verify, plan repairs, wait for an approval, repair")
    yield node(fleet, NAME, REPAIR)
    waits = approval(fleet, APPROVAL, "The plan is in the output of the job before.")
    yield node(fleet, NAME, APPROVAL, waits, success_nodes=REPAIR)
    yield node(fleet, NAME, PLAN, failure_nodes=APPROVAL)  # the job fails if a repair is planned
    yield node(fleet, NAME, VERIFY, always_nodes=PLAN)
    yield node(fleet, NAME, RECONCILE, success_nodes=VERIFY)


def template(fleet: Fleet, name: str, text: str) -> Object:
    """A workflow, without its nodes."""
    notified = tuple(fleet.named(each["name"]) for each in fleet.notifications)
    lists = {"notification_templates_approvals": notified, "notification_templates_error": notified} if notified else {}
    values = {"description": fleet.described(name, text)}
    return Object("workflow_job_template", fleet.named(name), values, {"organization": fleet.organization}, lists, mark=name)


def node(fleet: Fleet, workflow: str, identifier: str, approval: Values | None = None, **edges: str) -> Object:
    """A node that runs the template with the name of the node, or waits for an approval."""
    refers: dict[str, str | None] = {"workflow_job_template": fleet.named(workflow)}
    if not approval:
        refers["unified_job_template"] = fleet.named(identifier)
    lists = {"success_nodes": (), "failure_nodes": (), "always_nodes": (), **{name: (each,) for name, each in edges.items()}}
    return Object("workflow_job_template_node", identifier, approval or {}, refers, lists)


def approval(fleet: Fleet, name: str, text: str) -> Values:
    """The values of a node that waits for an approval."""
    return {"approval_node": {"name": fleet.named(name), "description": text, "timeout": HOURS * 3600}}
