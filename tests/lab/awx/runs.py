# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a job to its process, and from the end of the process to the results of the job."""

from __future__ import annotations

import json
import subprocess
import typing as t
from dataclasses import dataclass
from pathlib import Path

from . import process
from .injected import NoSecret, injected, variables
from .launches import variables_of
from .objects import Object, Objects, Values

if t.TYPE_CHECKING:
    from .jobs import World


class NotStarted(Exception):
    """The job has no process."""


@dataclass(frozen=True)
class Run:
    process: subprocess.Popen[str]
    ended: t.Callable[[str, str], Values]
    """The results of the job, from the output and errors of the process."""


def playbook(objects: Objects, world: World, job: Object) -> Run:
    """Start the playbook of a job.

    :raises NotStarted: if the project was never synced, or a secret does not exist.
    """
    project = objects.get("projects", job.values["project"])
    job.values["scm_revision"] = project.values["scm_revision"]
    order, found = _order(objects, world, job, project)
    unsafe = {name: process.unsafe(value) for name, value in job.values["unsafe"].items()}
    passed = {**json.loads(job.values["extra_vars"]), **unsafe, **found, **variables(objects, job)}
    inventory = objects.get("inventories", job.values["inventory"])
    started = process.playbook(order, job.values["playbook"], _arguments(job), passed, _content(inventory))
    return Run(started, lambda _output, errors: _results(order.folder, errors))


def inventory_update(objects: Objects, world: World, job: Object) -> Run:
    """Start the inventory plugin of a source.

    :raises NotStarted: as for a playbook.
    """
    source = objects.get("inventory_sources", job.values["inventory_source"])
    inventory = objects.get("inventories", job.values["inventory"])
    job.related["credentials"] = list(source.related["credentials"])
    order, _found = _order(objects, world, job, objects.get("projects", source.values["source_project"]))

    def ended(output: str, errors: str) -> Values:
        if started.returncode == 0:
            content = json.loads(output)
            inventory.values.setdefault("content", {})[source.id] = content
            inventory.values["total_hosts"] = len(content.get("_meta", {}).get("hostvars", {}))
        return {"stdout": errors}

    started = process.hosts(order, source.values["source_path"])
    return Run(started, ended)


def _order(objects: Objects, world: World, job: Object, project: Object) -> tuple[process.Order, Values]:
    folder, copy = world.folder / job.kind.plural / str(job.id), world.folder / "projects" / str(project.id)
    if not copy.is_dir():
        raise NotStarted("The project has no revision.")
    try:
        found = injected(objects, job.related["credentials"], world.secrets, str(folder))
    except NoSecret as missing:
        raise NotStarted(str(missing)) from missing
    own = {"JOB_ID": str(job.id), "INVENTORY_ID": str(job.values["inventory"]), "PROJECT_REVISION": project.values["scm_revision"]}
    if job.kind.plural == "inventory_updates":
        own["ANSIBLE_INVENTORY_UNPARSED_FAILED"] = "True"
    environment = {**own, **world.environment, **found.environment}
    order = process.Order(folder, copy, world.temporary / str(job.id), environment, found.files, found.key)
    return order, found.variables


def _arguments(job: Object) -> list[str]:
    values = job.values
    options = {"--limit": values.get("limit"), "--tags": values.get("job_tags"), "--skip-tags": values.get("skip_tags")}
    options["--forks"] = values.get("forks")
    arguments = [part for name, value in options.items() if value for part in (name, str(value))]
    arguments += ["--check"] * (values.get("job_type") == "check") + ["--diff"] * bool(values.get("diff_mode"))
    return arguments + [f"-{'v' * values['verbosity']}"] * bool(values.get("verbosity"))


def _content(inventory: Object) -> Values:
    """The inventory as its script prints it."""
    merged: Values = {"_meta": {"hostvars": {}}}
    for content in inventory.values.get("content", {}).values():
        merged["_meta"]["hostvars"] |= content.get("_meta", {}).get("hostvars", {})
        merged |= {name: group for name, group in content.items() if name != "_meta"}
    own = variables_of(inventory.values.get("variables"))
    group = merged.setdefault("all", {})
    group["vars"] = {**group.get("vars", {}), **own}
    return merged


def _results(folder: Path, errors: str) -> Values:
    output = folder / "artifacts/job/stdout"
    text = output.read_text(encoding="utf-8") if output.is_file() else errors
    return {"artifacts": process.artifacts(folder), "stdout": text}
