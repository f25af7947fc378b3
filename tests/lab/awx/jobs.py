# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress of jobs: syncs of projects, updates of inventories, playbooks in processes of their own, and workflows."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import threading
import typing as t
from dataclasses import dataclass, field
from pathlib import Path

from . import process, projects, runs
from .kinds import JOBS
from .launches import update
from .nodes import Workflows
from .objects import Object, Objects, now


@dataclass
class World:
    """What the jobs of one AWX have outside of it."""

    folder: Path
    """For copies of projects, and a folder for each job."""
    repositories: t.Mapping[str, Path] = field(default_factory=dict)
    """The local folder for each ``scm_url``. Syncs of other URLs fail."""
    environment: t.Mapping[str, str] = field(default_factory=dict)
    """Further variables of the processes of jobs."""
    secrets: t.Mapping[str, str] = field(default_factory=dict)
    """The values in the external secret store, by ``secret_name``."""
    temporary: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="awx-")))
    """For temporary files of jobs, among them sockets, whose paths must be short."""


class Jobs:
    """Continues the jobs of an AWX. Callers hold the lock."""

    def __init__(self, objects: Objects, world: World, lock: threading.RLock) -> None:
        self.objects, self.world, self.lock = objects, world, lock
        self.workflows = Workflows(objects)
        self._processes: dict[int, subprocess.Popen[str]] = {}
        self._is_closed = False

    def request(self) -> None:
        """Each request continues the syncs of projects by one status, so tests need no clock. Other jobs continue without requests."""
        for each in list(self.objects.by_kind["project_updates"].values()):
            if each.values["status"] == "running":
                self._synced(each)
            elif each.values["status"] == "pending":
                self._begin(each)
        self.progress()

    def progress(self) -> None:
        """Start the jobs that can start."""
        for _round in range(len(self.objects.all())):
            changed = [each for each in self._active() if self._continued(each)]
            if not changed:
                return

    def close(self) -> None:
        with self.lock:
            self._is_closed = True
            processes = list(self._processes.values())
        for each in processes:
            process.killed(each)
            with contextlib.suppress(ValueError):  # the thread of the process has closed its pipes
                each.wait()
        shutil.rmtree(self.world.temporary, ignore_errors=True)

    def _active(self) -> list[Object]:
        return [each for plural in JOBS for each in list(self.objects.by_kind[plural].values()) if each.is_active]

    def _continued(self, job: Object) -> bool:
        """:return: whether the job's status changed, so that others can start."""
        before = job.values["status"]
        if job.values.get("is_canceled"):
            self._cancel(job)
        elif job.kind.plural == "workflow_jobs":
            if before == "running" or (before == "pending" and not self._must_wait(job)):
                job.values |= {"status": "running", "started": job.values.get("started") or now()}
                return self.workflows.step(job) or job.values["status"] != before
        elif job.kind.plural == "inventory_updates" and before == "pending" and self._dependencies(job) == "successful":
            self._begin(job)
            self._run(job, lambda: runs.inventory_update(self.objects, self.world, job))
        elif job.kind.plural == "jobs" and before == "pending" and not self._must_wait(job):
            if self._dependencies(job) == "successful":
                self._begin(job)
                self._run(job, lambda: runs.playbook(self.objects, self.world, job))
        return job.values["status"] != before

    def _must_wait(self, job: Object) -> bool:
        """Jobs of a template run one after the other."""
        others = [each for each in self.objects.by_kind[job.kind.plural].values() if each.is_active and each.id < job.id]
        same = [each for each in others if each.values["unified_job_template"] == job.values["unified_job_template"]]
        return bool(same) and not job.values.get("allow_simultaneous")

    def _dependencies(self, job: Object) -> str:
        """The status of the updates that a job waits for: the project's sync, and sources that are updated on launch."""
        if "needs" not in job.values:
            job.values["needs"] = self._needs(job)
        ended = {each.values["status"] for each in job.values["needs"] if not each.is_active}
        if ended - {"successful"}:
            self._end(job, "failed", job_explanation="Previous Task Failed")
            return "failed"
        return "pending" if any(each.is_active for each in job.values["needs"]) else "successful"

    def _needs(self, job: Object) -> list[Object]:
        if job.kind.plural == "inventory_updates":
            source = self.objects.referred("inventory_source", job.values["inventory_source"])
            users = [self.objects.referred("source_project", source.values["source_project"])]
            launched = [each for each in users if each is not None and each.values["scm_update_on_launch"]]
        else:
            sources = self.objects.by_kind["inventory_sources"].values()
            users = [self.objects.referred("project", job.values["project"])]
            launched = [each for each in users if each is not None and each.values["scm_update_on_launch"]]
            launched += [each for each in sources if each.values["inventory"] == job.values["inventory"] and each.values["update_on_launch"]]
        active = [one for each in users if each is not None for one in self.objects.updates_of(each) if one.is_active]
        return active + [update(self.objects, each, job.values["user"]) for each in launched]

    def _begin(self, job: Object) -> None:
        job.values |= {"status": "running", "started": now()}
        self._show_at_template(job)

    def _end(self, job: Object, status: str, **values: t.Any) -> None:
        job.values |= {"status": status, "failed": status != "successful", "finished": now(), "event_processing_finished": True, **values}
        self._show_at_template(job)

    def _show_at_template(self, job: Object) -> None:
        """A template shows the status of its last job."""
        for name in ("project", "inventory_source") if job.kind.plural.endswith("_updates") else ("unified_job_template",):
            template = self.objects.referred(name, job.values.get(name))
            if template is not None:
                template.values |= {"status": job.values["status"], "last_job_failed": job.values["failed"]}
                template.values["last_job_run"] = job.values.get("finished")

    def _synced(self, job: Object) -> None:
        project = self.objects.get("projects", job.values["project"])
        repository = self.world.repositories.get(project.values["scm_url"])
        if repository is None or not repository.is_dir():
            self._end(job, "failed", stdout=f"fatal: repository '{project.values['scm_url']}' not found\n")
            return
        copy = self.world.folder / "projects" / str(project.id)
        revision = projects.synced(repository, copy)
        project.values |= {"scm_revision": revision, "playbooks": projects.playbooks(copy)}
        self._end(job, "successful", scm_revision=revision)

    def _cancel(self, job: Object) -> None:
        if job.id in self._processes:
            process.killed(self._processes[job.id])
        for each in self.workflows.jobs_of(job):
            each.values["is_canceled"] = True
        self._end(job, "canceled")

    def _run(self, job: Object, start: t.Callable[[], runs.Run]) -> None:
        """Start the process of a job, and a thread that waits for its end."""
        try:
            run = start()
        except runs.NotStarted as reason:
            self._end(job, "error", job_explanation=str(reason))
            return
        self._processes[job.id] = run.process

        def wait() -> None:
            output, errors = run.process.communicate()
            with self.lock:
                del self._processes[job.id]
                if job.is_active and not self._is_closed:
                    status = "successful" if run.process.returncode == 0 else "failed"
                    self._end(job, status, **run.ended(output, errors))
                    self.progress()

        threading.Thread(target=wait, daemon=True).start()

