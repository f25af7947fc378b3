# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Extra variables that a job of an AWX workflow may have.

AWX passes the statistics of a job to the later jobs of a workflow as extra variables, whatever their names are. ansible-core takes
statistics from the result of any module, so a compromised node can create ``ansible_connection`` or ``remediation_approve``.
"""

from __future__ import annotations

import typing as t

from .awx.survey import survey
from .verbs import Verb

WORKFLOW_JOB = "awx_workflow_job_id"
"""AWX sets this variable in jobs of workflows. A statistic can change its value, but not remove it."""
OF_AWX = ("awx_", "tower_")
PLANNED = "planned_repairs"
"""The numbers of the plans of a job, for a later job that repairs nodes after an approval."""
ARTIFACTS = ("hyperpod", PLANNED)
"""Statistics of our own, which no playbook takes as an option."""


def foreign(extra: t.Mapping[str, t.Any], verbs: t.Iterable[Verb], *, rollout_verb: str = "") -> list[str]:
    """The names of the extra variables that may have been created by a node.

    A job of a workflow gets the defaults of the survey, but no answers.

    :param rollout_verb: the playbook of a rollout, as the playbook of the project names it.
    """
    if WORKFLOW_JOB not in extra:
        return []
    asked = {(each["variable"], _text(each.get("default"))) for verb in verbs for each in survey(verb)["spec"]}
    asked |= {("rollout_verb", rollout_verb)} if rollout_verb else set()
    return sorted(
        name
        for name, value in extra.items()
        if not name.startswith(OF_AWX) and name not in ARTIFACTS and (name, _text(value)) not in asked
    )


def _text(value: t.Any) -> str:
    """As AWX has the value. Ansible reads texts that AWX marks as unsafe as YAML: an empty text is null, and false is a boolean."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
