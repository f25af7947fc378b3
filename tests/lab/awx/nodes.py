# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of running workflows: their jobs, approvals, and the artifacts that later nodes get."""

from __future__ import annotations

import json
import time
import typing as t

from .answers import EDGES
from .launches import allowed, new_job, update
from .objects import Object, Objects, Refused, Values, now
from .workflows import Next, Node, following


class Workflows:
    """Continues workflow jobs. Approvals expire by ``clock``, in seconds."""

    def __init__(self, objects: Objects, clock: t.Callable[[], float] = time.monotonic) -> None:
        self.objects, self.clock = objects, clock

    def step(self, workflow: Object) -> bool:
        """Start the next nodes, or end the workflow.

        :return: whether something changed.
        """
        nodes = self._nodes(workflow)
        for each in nodes.values():
            self._expire(self._job(each))
        found = self._following(nodes)
        for number in found.skip:
            nodes[number].values["do_not_run"] = True
        for number in found.run:
            self._start(workflow, nodes[number])
        if found.result:
            workflow.values |= {"status": found.result, "failed": found.result == "failed", "finished": now()}
        return bool(found.run or found.skip or found.result)

    def jobs_of(self, workflow: Object) -> list[Object]:
        """The jobs of a workflow that have not ended."""
        jobs = [self._job(each) for each in self._nodes(workflow).values()] if workflow.kind.plural == "workflow_jobs" else []
        return [each for each in jobs if each is not None and each.is_active]

    def _nodes(self, workflow: Object) -> dict[int, Object]:
        return {number: each for number, each in self.objects.by_kind["workflow_job_nodes"].items() if each.values["workflow_job"] == workflow.id}

    def _job(self, node: Object) -> Object | None:
        return self.objects.referred("job", node.values["job"])

    def _following(self, nodes: t.Mapping[int, Object]) -> Next:
        plain = []
        for number, each in nodes.items():
            job = self._job(each)
            edges = {edge: [one.id for one in each.related[edge]] for edge in EDGES}
            status = job.values["status"] if job is not None else each.values.get("not_started", "")
            skipped, needs_all = bool(each.values["do_not_run"]), bool(each.values.get("all_parents_must_converge"))
            plain.append(Node(number, edges, status, skipped, needs_all))
        return following(plain)

    def _start(self, workflow: Object, node: Object) -> None:
        artifacts = self._artifacts(node)
        node.values["artifacts"] = artifacts
        template = self.objects.referred("unified_job_template", node.values["unified_job_template"])
        if template is None:
            node.values["not_started"] = "error"
            return
        common = {"workflow_job": workflow.id, "user": workflow.values["user"]}
        if template.kind.plural in ("job_templates", "workflow_job_templates"):
            variables = {**allowed(template, node.values.get("extra_data") or {}), **artifacts, **json.loads(workflow.values["extra_vars"])}
            try:
                job = new_job(self.objects, template, {**common, "launch_type": "workflow"}, variables)
            except Refused:
                node.values["not_started"] = "error"
                return
        elif template.kind.plural == "workflow_approval_templates":
            job = self._approval(template, common)
        else:
            job = update(self.objects, template, workflow.values["user"])
        node.values["job"] = job.id

    def _approval(self, template: Object, common: Values) -> Object:
        names = ("name", "description", "timeout")
        values: Values = {name: template.values.get(name) for name in names} | common
        values |= {"status": "pending", "failed": False, "timed_out": False, "begun": self.clock(), "can_approve_or_deny": True}
        values |= {"workflow_approval_template": template.id, "unified_job_template": template.id, "started": now()}
        return self.objects.add("workflow_approvals", values)

    def _expire(self, job: Object | None) -> None:
        """An approval without a decision in time fails."""
        if job is None or job.kind.plural != "workflow_approvals" or not job.is_active or not job.values["timeout"]:
            return
        if self.clock() - job.values["begun"] >= job.values["timeout"]:
            job.values |= {"status": "failed", "failed": True, "timed_out": True, "finished": now()}

    def _artifacts(self, node: Object) -> Values:
        """Those of all earlier nodes; of later ones, if several set a variable."""
        found: Values = {}
        for each in self.objects.by_kind["workflow_job_nodes"].values():
            if any(node in each.related[edge] for edge in EDGES):
                job = self._job(each)
                found |= each.values.get("artifacts") or {}
                found |= (job.values.get("artifacts") or {}) if job is not None else {}
        return found
