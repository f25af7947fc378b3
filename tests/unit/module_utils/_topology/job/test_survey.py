# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import kind_named
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job import survey
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import State, Wish

from .api_server import World
from .hyp import Sent, hyp_sends
from .jobs import LAYER, SPACE, UID, desired, hyperpod_job, job, job_set, live, mpi_job, pods, pytorch_job, state, train_job

ASKING = "kueue.x-k8s.io/podset-required-topology"
REQUIRED = Wish("required", f"{LAYER}3")
ALL = (job, pytorch_job, hyperpod_job, job_set, train_job, mpi_job)


class Direct:
    """A World without a network in between."""

    def __init__(self, world: World) -> None:
        self.world = world

    def find(self, path: str) -> t.Any:
        status, body = self.world.answer("GET", path, None)
        return body if status == 200 else None

    def items(self, path: str) -> t.Any:
        status, body = self.world.answer("GET", path, None)
        assert status == 200, path
        return body["items"]


def kind_of(manifest):
    return kind_named(manifest["kind"])


@pytest.mark.parametrize("make", ALL)
def test_jobs_of_topology_job_are_surveyed(make):
    made = live(desired(make(), REQUIRED))
    assert survey.is_surveyed(kind_of(made), made) and not survey.is_surveyed(kind_of(made), make())
    found = survey.found_of(kind_of(made), made, State(made))
    assert REQUIRED in [each.wish for each in found.desired.rendered.podsets] and found.problem == ""
    assert [each.name for each in found.desired.rendered.podsets if each.leads] == [each for each in [kind_of(made).leader] if each]


def test_an_annotation_of_the_job_counts_if_the_aws_cli_puts_it_there():
    made = {**hyperpod_job(), "metadata": {"name": "a", "namespace": SPACE, "annotations": {ASKING: f"{LAYER}3"}}}
    assert survey.is_surveyed(kind_of(made), made)
    (podset,) = survey.found_of(kind_of(made), made, State(made)).desired.rendered.podsets
    assert podset.wish == REQUIRED
    plain = {**job(), "metadata": made["metadata"]}
    assert not survey.is_surveyed(kind_of(plain), plain)


@pytest.mark.parametrize("case", hyp_sends(), ids=lambda each: each.case)
def test_jobs_of_hyp_are_surveyed_for_their_request(case: Sent) -> None:
    made = case.manifest
    assert survey.is_surveyed(kind_of(made), made) is bool(case.wish)
    (podset,) = survey.found_of(kind_of(made), made, State(made)).desired.rendered.podsets
    assert (podset.wish, podset.name, podset.pods) == (case.wish, "pod", made["spec"]["replicaSpecs"][0]["replicas"])


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ({ASKING: "a", "kueue.x-k8s.io/podset-preferred-topology": "a"}, "Allowed: one of them"),
        ({"kueue.x-k8s.io/podset-slice-required-topology": "a", "kueue.x-k8s.io/podset-slice-size": "9" * 5000}, "a number of at least 1"),
    ],
)
def test_an_invalid_annotation_is_reported_without_a_failure(annotations, message):
    made = live(desired(job(2)))
    made["spec"]["template"]["metadata"] = {"annotations": annotations}
    found = survey.found_of(kind_of(made), made, state(job=made, pods=pods("n1", "n3")))
    assert message in found.problem and found.problem.startswith(f"Job {SPACE}/mnist: ") and not found.wrong


@pytest.mark.parametrize("odd", [{"metadata": "a"}, {"metadata": {"annotations": ["a"]}}, "a", None])
def test_a_malformed_template_is_ignored(odd):
    made = {**pytorch_job(), "spec": {"pytorchReplicaSpecs": {"Worker": {"template": odd}}}}
    assert not survey.is_surveyed(kind_of(made), made)


def test_levels_are_printable():
    made = live(desired(job(2)))
    made["spec"]["template"]["metadata"] = {"annotations": {ASKING: "a\x1b[31m"}}
    (podset,) = survey.found_of(kind_of(made), made, State(made)).desired.rendered.podsets
    assert "\x1b" not in podset.wish.level


def test_a_job_created_by_a_surveyed_job_is_left_out():
    world = World()
    made = live(desired(pytorch_job(), REQUIRED))
    world.put(f"/apis/kubeflow.org/v1/namespaces/{SPACE}/pytorchjobs/mnist", made)
    inner = live(desired(job(2), REQUIRED))
    for uid, name in ((UID, "made"), ("another", "by-a-cron-job")):
        owners = [{"uid": uid, "controller": True}]
        meta = {**inner["metadata"], "name": name, "uid": name, "ownerReferences": owners}
        world.put(f"/apis/batch/v1/namespaces/{SPACE}/jobs/{name}", {**inner, "metadata": meta})
    found = survey.Survey(Direct(world))()
    assert [each.desired.rendered.described for each in found] == [f"Job {SPACE}/by-a-cron-job", f"PyTorchJob {SPACE}/mnist"]


def at(*nodes):
    return survey.found_of(kind_of(job()), live(desired(job(2), REQUIRED)), state(pods=pods(*nodes)))


@pytest.mark.parametrize(("readings", "wrong"), [(["n2"], False), (["n3", "n2"], False), (["n3", "n3", "n3"], True)])
def test_a_misplacement_counts_if_it_persists(readings, wrong):
    slept = []
    (found,) = survey.steady(lambda: [at("n1", readings.pop(0))], Clock(sleep=slept.append))
    assert (found.wrong, readings, tuple(slept)) == (wrong, [], survey.PAUSES[: len(slept)])


def test_a_single_misplaced_job_is_read_again():
    readings = ["n3", "n2"]
    found = survey.steady(lambda: [at("n1", "n2"), at("n1", readings.pop(0))], Clock(sleep=lambda _seconds: None))
    assert ([each.wrong for each in found], readings) == ([False, False], [])
