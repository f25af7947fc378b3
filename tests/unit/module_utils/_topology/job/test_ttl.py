# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.ttl import needed, seconds_of, vanishing

from .jobs import SPACE, hyperpod_job, job, job_set, mpi_job, pytorch_job, rendered, train_job

FIELD = "ttlSecondsAfterFinished"
ENOUGH = needed(10)


def by_policy(make, seconds):
    made = make()
    made["spec"]["runPolicy"] = {FIELD: seconds}
    return made


def of_itself(make, seconds):
    made = make()
    made["spec"][FIELD] = seconds
    return made


@pytest.mark.parametrize(
    ("manifest", "seconds"),
    [
        (hyperpod_job(), 0),
        (by_policy(hyperpod_job, None), 0),
        (by_policy(hyperpod_job, 0), 0),
        (by_policy(hyperpod_job, -1), None),
        (by_policy(hyperpod_job, 60), 60),
        (by_policy(hyperpod_job, "60"), None),
        (job(), None),
        (of_itself(job, 0), 0),
        (of_itself(job_set, 5), 5),
        (pytorch_job(), None),
        (by_policy(pytorch_job, -1), 0),
        (by_policy(mpi_job, 7), 7),
        (of_itself(train_job, 0), None),
    ],
)
def test_the_time_to_live_is_read(manifest, seconds):
    of = rendered(manifest)
    assert seconds_of(of.kind, of.manifest) == seconds


def vanishing_note(manifest, stage="running", interval=10):
    return vanishing(rendered(manifest), source="manifest", stage=stage, interval=interval)


@pytest.mark.parametrize("stage", ["none", "admitted", "running", "finished"])
@pytest.mark.parametrize(
    "manifest", [job(), pytorch_job(), train_job(), by_policy(hyperpod_job, -1), by_policy(hyperpod_job, ENOUGH), of_itself(job, ENOUGH)]
)
def test_a_job_that_is_kept_has_no_note(manifest, stage):
    assert vanishing_note(manifest, stage) == ""


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (hyperpod_job(), f"HyperPodPyTorchJob {SPACE}/mnist is removed 0 s after its end (spec.runPolicy.{FIELD}, by default)"),
        (by_policy(hyperpod_job, 3), f"is removed 3 s after its end (spec.runPolicy.{FIELD}), and another run would then submit it again"),
        (of_itself(job, ENOUGH - 1), f"Job {SPACE}/mnist is removed {ENOUGH - 1} s after its end (spec.{FIELD})"),
    ],
)
def test_an_automatic_removal_is_noted(manifest, message):
    for stage in ("none", "admitted", "running"):
        assert message in vanishing_note(manifest, stage)
    assert vanishing_note(manifest, interval=1) == "" or "3 s" in message or "0 s" in message


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (hyperpod_job(), f"manifest.spec.runPolicy.{FIELD}: its default 0 is not allowed: with wait=finished"),
        (by_policy(hyperpod_job, 0), f"manifest.spec.runPolicy.{FIELD}: 0 is not allowed: with wait=finished and poll_interval=10 the job may be removed"),
        (by_policy(hyperpod_job, ENOUGH - 1), f"Allowed: -1, which keeps the job, or at least {ENOUGH} seconds."),
        (of_itself(job, 10), f"manifest.spec.{FIELD}: 10 is not allowed"),
        (of_itself(job, 10), f"Allowed: no value, which keeps the job, or at least {ENOUGH} seconds."),
        (by_policy(pytorch_job, 10), f"manifest.spec.runPolicy.{FIELD}: 10 is not allowed"),
    ],
)
def test_a_wait_for_the_end_of_a_vanishing_job_is_refused(manifest, message):
    with pytest.raises(Refused) as refused:
        vanishing_note(manifest, "finished")
    assert message in str(refused.value) and "\n" not in str(refused.value)
