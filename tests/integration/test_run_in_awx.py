# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook ``awx`` builds everything in the stand-in of AWX, whose jobs ansible-runner then runs in clean folders."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from awx_place import APPROVAL, FOLDER, REPAIRS, SCM_URL, build, complete, job_environment
from harness import World
from lab.accelerators.story import healthy
from lab.awx.server import running
from repairs import TYPE, broken
from work import slurm_state


@pytest.fixture
def project(ready: World, tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    made = ready.playbook("awx", "-e", f"awx_project_dir={folder}")
    assert made.rc == 0, made.output
    complete(folder, tmp_path / "store")
    return folder


def stored(job: dict[str, t.Any]) -> dict[str, t.Any]:
    """The report of a job in the store."""
    path = Path(job["artifacts"]["hyperpod"]["stored"].removeprefix("file://"))
    return dict(json.loads(path.read_text()))


@pytest.mark.slow
def test_a_job_that_an_operator_starts_heals_a_replaced_node(ready: World, tmp_path: Path, project: Path) -> None:
    with running(FOLDER, {SCM_URL: project}, environment=job_environment()) as awx:
        olga = build(ready, awx, tmp_path, "reconcile")
        (template,) = olga.client.get("job_templates/?name=reconcile")["results"]
        assert olga.client.send("PATCH", f"job_templates/{template['id']}/", {"forks": 1}).status == 403

        ready.replace(ready.login_nodes()[0]["instance_id"])
        job = olga.run("reconcile")
        assert job["status"] == "successful", olga.output(job)
        assert job["artifacts"]["hyperpod"]["clusters"]["ml"]["status"] == "changed"
        ready.expect_all_serve()
        assert stored(job)["clusters"]
        assert awx.problems == []


@pytest.mark.slow
def test_a_repair_waits_for_the_approval_of_its_plan(ready: World, tmp_path: Path, project: Path) -> None:
    (entry,) = ready.hosts("worker-group-1")
    worker = entry["name"]
    with running(FOLDER, {SCM_URL: project}, environment=job_environment()) as awx:
        olga = build(ready, awx, tmp_path, "reconcile", "verify", "remediate")
        ready.accelerate(worker, healthy(TYPE))
        try:
            well = olga.launch(REPAIRS, "workflow_job_template")
            assert olga.approval(well) is None, "a fleet without faults needs no approval"
            ended = olga.jobs_of(well)
            failed = [olga.output(job) for job in ended.values() if job["status"] != "successful"]
            assert not failed and set(ended) == {"reconcile", "verify", "plan repairs"}, "\n".join(failed)

            ready.accelerate(worker, broken(), after_reboot=healthy(TYPE))
            ready.reset_calls()
            sick = olga.launch(REPAIRS, "workflow_job_template")
            approval = olga.approval(sick)
            jobs = olga.jobs_of(sick)
            assert approval is not None and jobs["plan repairs"]["status"] == "failed", jobs
            (plan,) = jobs["plan repairs"]["artifacts"]["planned_repairs"]
            assert plan in olga.output(jobs["plan repairs"])
            assert repairs(ready) == [] and slurm_state(ready, worker) == "idle"

            olga.approve(approval)
            assert olga.ended(sick) == "successful", olga.jobs_of(sick)
            jobs = olga.jobs_of(sick)
            assert repairs(ready) == ["BatchRebootClusterNodes"] and slurm_state(ready, worker) == "idle"
            assert stored(jobs["repair as planned"])["clusters"], jobs
            assert jobs[APPROVAL]["status"] == "successful" and awx.problems == []
        finally:
            ready.decelerate(worker)


def repairs(world: World) -> list[str]:
    return [each["operation"] for each in world.calls(mutating=True) if each["operation"].startswith("Batch")]
