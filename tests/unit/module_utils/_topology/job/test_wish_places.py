# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Annotations of topology-aware scheduling that would be ignored are refused."""

from __future__ import annotations

import copy

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Wish

from .jobs import LAYER, Object, hyperpod_job, job, job_set, mpi_job, pytorch_job, rendered, train_job

KUEUE = "kueue.x-k8s.io/"
KEY = f"{KUEUE}podset-required-topology"
REQUIRED = Wish("required", f"{LAYER}3")
JOB_SET_TEMPLATE = "spec.replicatedJobs[0].template.spec.template.metadata.annotations"
OPTIONS = ", or options such as required_topology."


def place(manifest: Object, *path: str | int, key: str = KEY, value: str = f"{LAYER}3") -> Object:
    """The manifest with a key at a path; missing objects on the path are created."""
    made = copy.deepcopy(manifest)
    there = made
    for step in path:
        there = there[step] if isinstance(step, int) else there.setdefault(step, {})
    there[key] = value
    return made


def patched(pods: str, key: str = KEY) -> Object:
    """A TrainJob with a patch for one set of its pods."""
    template = {"metadata": {"annotations": {key: f"{LAYER}3"}}}
    jobs = [{"name": pods, "template": {"spec": {"template": template}}}]
    manifest = train_job()
    manifest["spec"]["runtimePatches"] = [{"manager": "people", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}]
    return manifest


META = ("metadata", "annotations")
INSIDE = ("spec", "template", *META)
PATCHES = "spec.runtimePatches[0].trainingRuntimeSpec.template.spec.replicatedJobs[0].template.spec.template.metadata.annotations"
WORKERS = ("spec", "mpiReplicaSpecs", "Worker", "template", *META)


@pytest.mark.parametrize("wish", [Wish(), REQUIRED], ids=["manifest", "options"])
@pytest.mark.parametrize(
    ("manifest", "path", "allowed"),
    [
        (place(job(), *META), "metadata.annotations", "spec.template.metadata.annotations"),
        (place(pytorch_job(), *META), "metadata.annotations", "spec.pytorchReplicaSpecs.Worker.template.metadata.annotations"),
        (place(mpi_job(), *META), "metadata.annotations", "spec.mpiReplicaSpecs.Worker.template.metadata.annotations"),
        (place(job_set(), *META), "metadata.annotations", JOB_SET_TEMPLATE),
        (place(job_set(), "spec", "replicatedJobs", 0, "template", *META), "spec.replicatedJobs[0].template.metadata.annotations", JOB_SET_TEMPLATE),
        (place(train_job(), *META), "metadata.annotations", "a patch of the node Pods in spec.runtimePatches"),
        (place(train_job(), "spec", "annotations"), "spec.annotations", "a patch of the node Pods in spec.runtimePatches"),
        (patched("launcher"), PATCHES, "a patch of the node Pods in spec.runtimePatches"),
        (place(job(), "spec", "template", "metadata", "labels"), "spec.template.metadata.labels", "spec.template.metadata.annotations"),
        (place(job(), "spec", "template", "spec", "nodeSelector"), "spec.template.spec.nodeSelector", "spec.template.metadata.annotations"),
    ],
)
def test_other_places_are_refused_by_their_path(manifest: Object, path: str, allowed: str, wish: Wish) -> None:
    with pytest.raises(Refused) as refused:
        rendered(manifest, wish)
    message = str(refused.value)
    assert message.startswith(f"manifest.{path}.{KEY}: this place is not allowed: the annotation would be ignored there. Allowed: ")
    assert allowed in message and message.endswith(OPTIONS)


def test_annotations_of_a_hyperpod_job_must_repeat_those_of_its_pods() -> None:
    """As the AWS CLI sends it."""
    alone = place(hyperpod_job(), *META)
    with pytest.raises(Refused, match="metadata.annotations.*: this place is not allowed: the annotation would be ignored there. Allowed: .*replicaSpecs"):
        rendered(alone)
    both = place(alone, "spec", "replicaSpecs", 0, "template", *META)
    assert rendered(both).podsets[0].wish == rendered(alone, REQUIRED).podsets[0].wish == REQUIRED
    with pytest.raises(Refused, match="manifest.metadata.annotations.* is not allowed"):
        rendered(place(alone, "spec", "replicaSpecs", 0, "template", *META, value=f"{LAYER}1"))


@pytest.mark.parametrize("manifest", [place(job(), *INSIDE), patched("node"), place(mpi_job(), *WORKERS)])
def test_annotations_of_pod_templates_are_a_request(manifest: Object) -> None:
    assert [each.wish for each in rendered(manifest).podsets if each.wish] == [REQUIRED]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("podset-require-topology", "it is not a known annotation of Kueue"),
        ("podset-group-name", "this module does not support it"),
        ("podset-slice-required-topology-constraints", "this module does not support it"),
        ("podset-topology-spreading", "this module does not support it"),
    ],
)
@pytest.mark.parametrize("path", [META, INSIDE], ids=["job", "template"])
def test_other_names_are_refused(name: str, why: str, path: tuple[str, ...]) -> None:
    with pytest.raises(Refused) as refused:
        rendered(place(job(), *path, key=f"{KUEUE}{name}"))
    message = str(refused.value)
    assert message.startswith(f"manifest.{'.'.join(path)}.{KUEUE}{name}: this name is not allowed: {why}. Allowed: {KEY}, ")
    assert ("create the Job with kubectl" in message) is ("support" in why)


def test_untrusted_names_are_printable_and_bounded() -> None:
    with pytest.raises(Refused) as refused:
        rendered(place(job(), "spec", "\x1b[2J", "x" * 5000, key=f"{KUEUE}podset-\x1b" + "y" * 5000))
    assert str(refused.value).isprintable() and len(str(refused.value)) < 1000


@pytest.mark.parametrize("key", [f"{KUEUE}podset", f"{KUEUE}workload", "podset-required-topology"])
def test_other_keys_are_accepted(key: str) -> None:
    assert rendered(place(job(), "spec", "template", "metadata", "labels", key=key))
