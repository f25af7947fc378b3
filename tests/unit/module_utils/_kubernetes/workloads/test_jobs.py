# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that are read, those that are omitted, and kinds that the API server does not serve or the caller may not read."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import KINDS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.workloads.jobs import Job, Jobs, read_jobs

JOBS, JOB_SETS, MPI_V1 = "/apis/batch/v1/jobs", "/apis/jobset.x-k8s.io/v1alpha2/jobsets", "/apis/kubeflow.org/v1/mpijobs"
OURS = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}


class ApiServer:
    """Listings by path. A path without one is not served.

    :param failed: statuses by path.
    :param served: paths that discovery returns although their listing fails.
    """

    def __init__(self, listed: dict[str, list[t.Any]], failed: dict[str, int] | None = None, served: t.Collection[str] = ()) -> None:
        self.listed, self.failed, self.served = listed, failed or {}, served

    def items(self, path: str) -> list[t.Any]:
        status = self.failed.get(path, 200 if path in self.listed else 404)
        if status != 200:
            raise KubernetesError(f"GET {path} was answered with {status}: no.", status)
        return self.listed[path]

    def find(self, path: str) -> t.Any:
        found = [each.rpartition("/") for each in self.served]
        resources = [{"name": plural} for folder, _slash, plural in found if folder == path]
        return {"resources": resources} if resources else None


def read(listed: dict[str, list[t.Any]], failed: dict[str, int] | None = None, served: t.Collection[str] = ()) -> Jobs:
    return read_jobs(t.cast(t.Any, ApiServer(listed, failed, served)))


def item(name: str, owner: str = "", *, space: str = "a", controller: bool = True, ended: str = "", **meta: t.Any) -> t.Any:
    api_version, _slash, kind = owner.rpartition("/")
    owners = [{"apiVersion": api_version, "kind": kind, "name": "x", "controller": controller}] if owner else []
    conditions = [{"type": ended, "status": "True"}] if ended else []
    metadata = {"name": name, "namespace": space, "ownerReferences": owners, **meta}
    return {"metadata": metadata, "status": {"conditions": conditions}}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_all_kinds_are_read(kind: t.Any) -> None:
    found = read({kind.path(): [item("train"), item("check", labels=OURS)]})
    assert found.unfinished == (Job(kind.api_version, kind.name, "a", "train"),)
    assert found.ours == (Job(kind.api_version, kind.name, "a", "check"),) and found.unread == ()


@pytest.mark.parametrize(
    ("job", "counts"),
    [
        (item("x"), True),
        (item("x", ended="Suspended"), True),
        (item("x", ended="Complete"), False),
        (item("x", ended="Failed"), False),
        (item("x", space="kube-system"), False),
        (item("x", deletionTimestamp="2026-11-30T09:00:00Z"), False),
        (item("x", "jobset.x-k8s.io/v1alpha2/JobSet"), False),
        (item("x", "kubeflow.org/v1/MPIJob"), False),
        (item("x", "kubeflow.org/v2beta1/MPIJob", controller=False), True),
        (item("x", "batch/v1/CronJob"), True),
        (item("x", "batch.volcano.sh/v1alpha1/Job"), True),
    ],
)
def test_jobs_that_people_would_lose_count(job: t.Any, counts: bool) -> None:
    assert bool(read({JOBS: [job]}).unfinished) == counts


def test_jobs_of_this_collection_count_after_their_end_unless_another_job_controls_them() -> None:
    owned = item("owned", "trainer.kubeflow.org/v1alpha1/TrainJob", labels=OURS)
    found = read({JOBS: [item("over", ended="Complete", labels=OURS)], JOB_SETS: [owned]})
    assert [each.name for each in found.ours] == ["over"] and found.unfinished == ()


def test_another_served_version_is_read() -> None:
    assert read({MPI_V1: [item("train")]}).unfinished == (Job("kubeflow.org/v1", "MPIJob", "a", "train"),)


def test_a_kind_that_is_not_served_is_none_and_one_that_cannot_be_read_is_unknown() -> None:
    every = {each.path(): 403 for each in KINDS} | {MPI_V1: 403}
    assert read({}) == Jobs() == read({}, every)
    found = read({JOBS: [item("train")]}, {JOB_SETS: 403, MPI_V1: 500}, served=[JOB_SETS])
    assert found.unread == (f"JobSets: GET {JOB_SETS} was answered with 403: no", f"MPIJobs: GET {MPI_V1} was answered with 500: no")
    assert [each.name for each in found.unfinished] == ["train"]
