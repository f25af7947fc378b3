# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role awx."""

from __future__ import annotations

import dataclasses
import os
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx import fleet as of_fleet, project as of_project, rollouts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.objects import KINDS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_info import COLLECTION, collection_version
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

from . import Variables, view

FIRST = tuple(KINDS)[: tuple(KINDS).index("project") + 1]
"""The kinds before job templates, for which AWX needs the playbooks of the project."""


@dataclass(frozen=True)
class Project:
    """The files of a project for AWX, and their folders."""

    files: list[dict[str, str]]
    """Absolute paths and contents."""
    folders: list[str]


@dataclass(frozen=True)
class Objects:
    """The plan for the objects of AWX."""

    refusals: Findings
    first: list[dict[str, t.Any]]
    """The steps up to the project."""
    then: list[dict[str, t.Any]]


@view
def refusals(variables: Variables) -> Findings:
    folder, fleet = str(variables["awx_project_dir"]), variables["awx_fleet"]
    problems = of_fleet.refusals(variables) if fleet else []
    problems += rollouts.refusals(variables["awx_rollouts"], variables["awx_verbs"], verbs())
    if folder and not os.path.isabs(folder):
        problems.append(not_allowed("awx_project_dir", folder, "the absolute path of a folder"))
    if not folder and not fleet:
        problems.append(not_allowed("awx_fleet", fleet, "the name of the fleet, unless awx_project_dir is set"))
    return refused(problems)


@view
def project(variables: Variables) -> Project:
    folder = str(variables["awx_project_dir"])
    chosen = rollouts.with_rollouts(verbs().values(), rollouts.declared(variables["awx_rollouts"]))
    found = [dataclasses.asdict(each) for each in of_project.files(chosen, collection_version(COLLECTION) or "*")]
    files = [{**each, "path": os.path.join(folder, each["path"])} for each in found]
    return Project(files, sorted({os.path.dirname(each["path"]) for each in files}))


@view
def objects(variables: Variables) -> Objects:
    plan = variables["__awx_plan"]
    steps = plan["steps"]
    others = [_refusal(kind, name) for kind, name in plan["refused"]]
    first = [each for each in steps if each["kind"] in FIRST and each["action"] != "remove"]
    return Objects(refused(others), first, [each for each in steps if each not in first])


def _refusal(kind: str, name: str) -> str:
    why = f"the {kind.replace('_', ' ')} {name} exists and has no mark of this fleet"
    return not_allowed("awx_prefix", name, f"a prefix that makes the name unique, or awx_adopt with {name}", why)
