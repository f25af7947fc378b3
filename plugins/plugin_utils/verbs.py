# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs, which are the playbooks of this collection that people run, from meta/verbs."""

from __future__ import annotations

import functools
import typing as t
from dataclasses import dataclass, field
from pathlib import Path

import yaml

FOLDER = Path(__file__).resolve().parents[2] / "meta/verbs"
AREAS = ("login-access", "clusters", "training", "reports")
"""The files of the table, in the order of the documentation."""
CLUSTERS = ("Slurm", "EKS", "both")
CHANGES = ("nodes", "AWS", "Kubernetes", "Slurm", "records")
"""What a verb may change: nodes through SSH, resources of AWS, objects of Kubernetes, Slurm's state, and the collection's own
records in Parameter Store and Secrets Manager. The lock does not count."""
ROLES = ("auditor", "submitter", "operator")
"""Who starts a verb: people who read reports, people who run jobs, and people who change clusters."""
RUN, CHECK = "run", "check"
Asked = t.Mapping[str, t.Mapping[str, t.Any]]


@dataclass(frozen=True)
class Template:
    """A suggested job template of AWX."""

    schedule: str = ""
    """One of ``SCHEDULES``; empty if people start the template."""
    job_tags: tuple[str, ...] = ()
    simultaneous: bool = False
    """Whether several jobs may run at the same time. The lock protects each cluster."""
    vars: t.Mapping[str, t.Any] = field(default_factory=dict)
    """Variables of its playbook in the project. They are no extra variables, which AWX may get from the jobs of a workflow."""
    extra_vars: t.Mapping[str, t.Any] = field(default_factory=dict)
    """Extra variables that the template sets."""
    waits: int = 0
    """Seconds that a job may wait before it begins, in addition to the usual timeout."""


SCHEDULES = ("every 10 minutes", "hourly", "daily", "weekly", "monthly")
"""The suggested intervals."""


@dataclass(frozen=True)
class Verb:
    name: str
    area: str
    purpose: str
    """In Markdown; links are relative to the root of the repository."""
    clusters: str
    changes: tuple[str, ...]
    """Some of ``CHANGES``; empty for a verb that only reads."""
    role: str
    survey: tuple[str, ...]
    """The variables that AWX asks for."""
    job_type: str = RUN
    waves: bool = False
    """Whether a rollout can run the verb on one wave of clusters at a time. A second run for a wave must be harmless."""
    templates: t.Mapping[str, Template] = field(default_factory=dict)
    orders: Asked = field(default_factory=dict)
    """Extra variables that select the action of one run."""
    options: Asked = field(default_factory=dict)
    """Extra variables that configure the action."""

    @property
    def title(self) -> str:
        return self.name.replace("_", " ").capitalize()


@functools.cache
def verbs() -> t.Mapping[str, Verb]:
    """The verbs by name, in the order of the documentation."""
    return {name: _verb(name, area, entry) for area in AREAS for name, entry in _read(FOLDER / f"{area}.yml").items()}


def _read(path: Path) -> dict[str, dict[str, t.Any]]:
    read: dict[str, dict[str, t.Any]] = yaml.load(
        path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )
    return read


def _verb(name: str, area: str, entry: t.Mapping[str, t.Any]) -> Verb:
    templates = {title: _template(found) for title, found in entry.get("templates", {name.replace("_", " "): {}}).items()}
    lists = {field: tuple(entry[field]) for field in ("changes", "survey")}
    return Verb(**{**entry, **lists, "name": name, "area": area, "templates": templates})


def _template(found: dict[str, t.Any]) -> Template:
    return Template(**{**found, "job_tags": tuple(found.get("job_tags", ()))})
