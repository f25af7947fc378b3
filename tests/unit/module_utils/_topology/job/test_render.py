# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import copy
import re
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import KINDS, Kind, kind_named
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import HASH, Wish

from .hyp import Sent, hyp_sends
from .jobs import (
    LAYER,
    QUEUE,
    SPACE,
    Object,
    hyperpod_job,
    job,
    job_set,
    mpi_job,
    pytorch_job,
    rendered,
    template,
    train_job,
)

KUEUE = "kueue.x-k8s.io/"
REQUIRED = Wish("required", f"{LAYER}3")
ANNOTATION = {f"{KUEUE}podset-required-topology": f"{LAYER}3"}
MANIFESTS = {each["kind"]: each for each in (job(), pytorch_job(), hyperpod_job(), job_set(), train_job(), mpi_job())}


def annotated(manifest: Object) -> dict[str, dict[str, str]]:
    """Annotations of Kueue by the path of their object."""
    found: dict[str, dict[str, str]] = {}

    def walk(there: object, path: str) -> None:
        if isinstance(there, dict):
            notes = {name: value for name, value in ((there.get("metadata") or {}).get("annotations") or {}).items() if name != HASH}
            if notes:
                found[path] = notes
            for name, value in there.items():
                walk(value, f"{path}/{name}")
        if isinstance(there, list):
            for number, value in enumerate(there):
                walk(value, f"{path}/{number}")

    walk(manifest, "")
    return found


PATCH = "/spec/runtimePatches/0/trainingRuntimeSpec/template/spec/replicatedJobs/0/template/spec/template"


@pytest.mark.parametrize(
    ("kind", "places", "podsets"),
    [
        ("Job", ["/spec/template"], {"main": 4}),
        ("PyTorchJob", ["/spec/pytorchReplicaSpecs/Worker/template"], {"master": 1, "worker": 3}),
        ("HyperPodPyTorchJob", ["", "/spec/replicaSpecs/0/template"], {"pod": 2}),
        ("JobSet", ["/spec/replicatedJobs/0/template/spec/template"], {"workers": 4}),
        ("TrainJob", [PATCH], {"node": 4}),
        ("MPIJob", ["/spec/mpiReplicaSpecs/Worker/template"], {"launcher": 1, "worker": 4}),
    ],
)
def test_each_kind_has_its_annotation_where_kueue_reads_it(kind, places, podsets):
    given = copy.deepcopy(MANIFESTS[kind])
    found = rendered(given, REQUIRED)
    assert annotated(found.manifest) == dict.fromkeys(places, ANNOTATION)
    assert {each.name: each.pods for each in found.podsets} == podsets
    assert {each.name for each in found.podsets if each.wish} == set(podsets) - {kind_named(kind).leader}
    assert found.manifest["metadata"]["labels"][f"{KUEUE}queue-name"] == QUEUE and found.namespace == SPACE
    assert given == MANIFESTS[kind], "the input is not modified"
    assert bool(found.notes) is bool(kind_named(kind).leader)
    assert [each.name for each in found.podsets if each.leads] == [each for each in [kind_named(kind).leader] if each]


@pytest.mark.parametrize("kind", KINDS, ids=lambda each: each.name)
def test_a_sent_manifest_is_read_back(kind: Kind):
    """A second rendering without options finds the request in the annotations."""
    sent = copy.deepcopy(rendered(MANIFESTS[kind.name], REQUIRED).manifest)
    del sent["metadata"]["annotations"][HASH]
    again = rendered(sent, queue=None)
    assert [each.wish for each in again.podsets if each.wish] == [REQUIRED]
    assert again.hash == rendered(MANIFESTS[kind.name], REQUIRED).hash


def test_a_master_without_workers_is_placed():
    manifest = pytorch_job()
    del manifest["spec"]["pytorchReplicaSpecs"]["Worker"]
    found = rendered(manifest, REQUIRED)
    assert [each.wish for each in found.podsets] == [REQUIRED] and not found.notes


@pytest.mark.parametrize(
    ("wish", "notes"),
    [
        (Wish(), {}),
        (Wish("preferred", f"{LAYER}1"), {f"{KUEUE}podset-preferred-topology": f"{LAYER}1"}),
        (Wish("unconstrained"), {f"{KUEUE}podset-unconstrained-topology": "true"}),
        (
            Wish("required", f"{LAYER}1", f"{LAYER}3", 2),
            {
                f"{KUEUE}podset-required-topology": f"{LAYER}1",
                f"{KUEUE}podset-slice-required-topology": f"{LAYER}3",
                f"{KUEUE}podset-slice-size": "2",
            },
        ),
    ],
)
def test_a_request_becomes_annotations(wish, notes):
    found = rendered(job(), wish)
    assert annotated(found.manifest).get("/spec/template", {}) == notes
    assert found.podsets[0].wish == wish


LABELS = {f"{KUEUE}queue-name": QUEUE, f"{KUEUE}priority-class": "high-priority"}


def labelled(value: t.Any, path: str = "") -> list[str]:
    """Paths of the objects with all LABELS."""
    if isinstance(value, list):
        return [found for number, each in enumerate(value) for found in labelled(each, f"{path}[{number}]")]
    if not isinstance(value, dict):
        return []
    own = [path] if (value.get("labels") or {}) == LABELS else []
    return own + [found for name, each in value.items() for found in labelled(each, f"{path}/{name}")]


PATCH = "/spec/runtimePatches[0]/trainingRuntimeSpec/template/spec/replicatedJobs"


@pytest.mark.parametrize(
    ("manifest", "templates"),
    [
        (job(), ["/spec/template"]),
        (pytorch_job(), ["/spec/pytorchReplicaSpecs/Master/template", "/spec/pytorchReplicaSpecs/Worker/template"]),
        (hyperpod_job(), ["/spec/replicaSpecs[0]/template"]),
        (job_set(), ["/spec/replicatedJobs[0]/template/spec/template"]),
        (mpi_job(), ["/spec/mpiReplicaSpecs/Launcher/template", "/spec/mpiReplicaSpecs/Worker/template"]),
        (train_job(), [f"{PATCH}[0]/template/spec/template"]),
    ],
    ids=lambda each: each.get("kind") if isinstance(each, dict) else "",
)
def test_queue_and_priority_are_labels_of_the_job_and_of_each_pod_template(manifest: Object, templates: list[str]) -> None:
    made = rendered(manifest, priority="high-priority").manifest
    assert labelled(made) == [f"{each}/metadata" for each in ("", *templates)]


def test_initializers_of_a_train_job_have_the_queue() -> None:
    manifest = train_job()
    manifest["spec"]["initializer"] = {"dataset": {"storageUri": "s3://a"}, "model": {"storageUri": "s3://b"}}
    (patch,) = rendered(manifest, REQUIRED, priority="high-priority").manifest["spec"]["runtimePatches"]
    jobs = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    assert [each["name"] for each in jobs] == ["node", "dataset-initializer", "model-initializer"]
    assert [each["template"]["spec"]["template"]["metadata"].get("annotations") for each in jobs] == [ANNOTATION, None, None]
    assert len(labelled(patch)) == 3


def test_a_manifest_with_equal_labels_is_accepted_and_one_with_others_is_refused() -> None:
    manifest = job()
    manifest["metadata"]["labels"] = manifest["spec"]["template"]["metadata"] = {f"{KUEUE}queue-name": QUEUE}
    manifest["spec"]["template"]["metadata"] = {"labels": {f"{KUEUE}queue-name": QUEUE}, "annotations": None}
    assert rendered(manifest, queue=None).manifest["spec"]["template"]["metadata"]["labels"] == {f"{KUEUE}queue-name": QUEUE}
    manifest["spec"]["template"]["metadata"]["labels"] = {f"{KUEUE}queue-name": "other"}
    with pytest.raises(Refused, match="queue-name: other"):
        rendered(manifest)


@pytest.mark.parametrize(
    ("metadata", "refused"), [(None, ""), ({"labels": None}, ""), ("text", "metadata of a Pod template"), ({"labels": []}, ""), ({"labels": "a"}, "labels")]
)
def test_invalid_metadata_of_a_template_is_refused(metadata: t.Any, refused: str) -> None:
    manifest = job()
    manifest["spec"]["template"]["metadata"] = metadata
    if refused:
        with pytest.raises(Refused, match=refused):
            rendered(manifest)
    else:
        assert rendered(manifest).manifest["spec"]["template"]["metadata"]["labels"] == {f"{KUEUE}queue-name": QUEUE}


@pytest.mark.parametrize(
    ("pod", "message"),
    [
        ("x", "manifest.spec of a Pod template: 'x' is not allowed. Allowed: an object."),
        ([1], "manifest.spec of a Pod template: [1] is not allowed. Allowed: an object."),
        ({"nodeSelector": 1}, "manifest.nodeSelector of a Pod template: 1 is not allowed. Allowed: an object."),
        ({"nodeSelector": ["a"]}, "manifest.nodeSelector of a Pod template: ['a'] is not allowed. Allowed: an object."),
    ],
)
def test_parts_of_a_template_that_are_no_objects_are_refused(pod: t.Any, message: str) -> None:
    for manifest in (job(), pytorch_job(), job_set()):
        for each in kind_named(manifest["kind"]).templates(manifest, False):  # type: ignore[union-attr]
            each.body["spec"] = pod
        for wish in (Wish(), REQUIRED):
            with pytest.raises(Refused) as refused:
                rendered(manifest, wish)
            assert str(refused.value) == message


def test_a_namespace_that_is_no_string_is_refused_by_name() -> None:
    manifest = job(template={"spec": {"hostNetwork": True}})
    for namespace in (123, True, ["a"]):
        manifest["metadata"]["namespace"] = namespace
        for given in (None, "123"):
            with pytest.raises(Refused, match=f"manifest.metadata.namespace: {re.escape(repr(namespace))} is not allowed. Allowed: "):
                rendered(manifest, namespace=given)


@pytest.mark.parametrize("field", ["podTemplateOverrides", "podSpecOverrides"])
def test_fields_of_older_train_jobs_are_refused_by_name(field: str) -> None:
    manifest = train_job()
    manifest["spec"][field] = [{"targetJobs": [{"name": "node"}]}]
    with pytest.raises(Refused, match=f"manifest.spec.{field}: this field is not allowed. Allowed: spec.runtimePatches, which replaces this field"):
        rendered(manifest)


@pytest.mark.parametrize("kind", ["RayJob", "RayCluster"])
def test_the_refusal_of_ray_jobs_names_an_alternative(kind: str) -> None:
    with pytest.raises(Refused, match=f"'{kind}' is not allowed. Allowed: Job, .*; create a {kind} with kubectl, and set the label kueue"):
        rendered({"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "tune"}, "spec": {}})


def test_rights_of_pods_are_refused_unless_they_are_allowed() -> None:
    manifest = job()
    manifest["spec"]["template"]["spec"]["hostNetwork"] = True
    given = {"namespace": "training", "queue": "a"}
    with pytest.raises(Refused, match='hostNetwork is not allowed: .* or the option pod_rights: \\["hostNetwork"\\]'):
        rendered(manifest, **given)
    found = rendered(manifest, allowed=["hostNetwork"], **given)
    assert found.rights == ("hostNetwork",) and "hostNetwork" in found.reach
    assert rendered(job(), **given).reach == ""
    assert rendered(manifest, sent=False, **given).rights == (), "a job to delete may have any rights"


@pytest.mark.parametrize("case", hyp_sends(), ids=lambda each: each.case)
def test_the_manifest_equals_that_of_hyp(case: Sent) -> None:
    """The campaign runs the program itself. All metadata and the spec are compared completely."""
    sent = copy.deepcopy(case.manifest)
    labels = sent["metadata"].get("labels") or {}
    given = case.as_people_write_it()
    queue, priority = (labels.get(f"{KUEUE}{name}") for name in ("queue-name", "priority-class"))
    made = rendered(given, case.wish, namespace=sent["metadata"]["namespace"], queue=queue, priority=priority).manifest
    assert made["metadata"]["annotations"].pop(HASH), "a second run recognises its job by it; hyp does not need it because it runs once"
    (inside,) = sent["spec"]["replicaSpecs"]
    repeated = {name: inside["template"]["metadata"].pop(name) for name in ("name", "namespace")}
    assert repeated == {name: sent["metadata"][name] for name in repeated}, "the operator names the pods, so a template needs no name"
    assert without_empty(made) == without_empty(sent)


def without_empty(there: Object) -> Object:
    """Empty metadata equals missing metadata."""
    made = copy.deepcopy(there)
    for place in (made, made["spec"]["replicaSpecs"][0]["template"]):
        place["metadata"] = {name: value for name, value in (place.get("metadata") or {}).items() if value}
    return made


def test_a_job_is_sent_suspended_without_an_effect_on_its_hash():
    plain, suspended, running = (rendered(each) for each in (job(), job(suspend=True), job(suspend=False)))
    assert plain.manifest["spec"]["suspend"] is True and running.manifest["spec"]["suspend"] is False
    assert plain.hash == suspended.hash == running.hash == plain.manifest["metadata"]["annotations"][HASH]
    for each in (pytorch_job(), mpi_job(), job_set(), train_job(), hyperpod_job()):
        assert "suspend" not in str(rendered(each).manifest)


def test_the_hash_distinguishes_manifests():
    assert len({rendered(*each).hash for each in ((job(),), (job(5),), (job(), REQUIRED), (job(), Wish("unconstrained")))}) == 4
    assert rendered(job(), queue="other").hash != rendered(job()).hash


def with_meta(**meta: object) -> Object:
    manifest = job()
    manifest["metadata"] |= meta
    return manifest


def with_selector(manifest: Object) -> Object:
    manifest["spec"]["template"]["spec"]["nodeSelector"] = {f"{LAYER}3": "nn-1"}
    return manifest


def with_notes(**notes: str) -> Object:
    manifest = job()
    manifest["spec"]["template"]["metadata"] = {"annotations": {f"{KUEUE}{name.replace('_', '-')}": value for name, value in notes.items()}}
    return manifest


@pytest.mark.parametrize(
    ("manifest", "wish", "message"),
    [
        ({"kind": "Deployment"}, Wish(), "manifest.kind: 'Deployment' is not allowed. Allowed: Job, PyTorchJob,"),
        ({**job(), "apiVersion": "batch/v2"}, Wish(), "manifest.apiVersion: 'batch/v2' is not allowed. Allowed: batch/v1 for a Job."),
        ({**mpi_job(), "apiVersion": "kubeflow.org/v1"}, Wish(), "Kueue manages MPIJobs of the MPI operator only"),
        ({**job(), "metadata": None}, Wish(), "manifest.metadata: missing"),
        (with_meta(generateName="a-"), Wish(), "metadata.name, which identifies the job"),
        (with_meta(name="A"), Wish(), "manifest.metadata.name: 'A' is not allowed."),
        (with_meta(namespace="other"), Wish(), f"namespace: '{SPACE}' is not allowed. Allowed: other, as in the manifest"),
        ({**job(), "spec": None}, Wish(), "manifest.spec: missing"),
        ({**job(), "status": {}}, Wish(), "manifest.status: not allowed"),
        (with_meta(labels=["a"]), Wish(), "manifest.metadata.labels: ['a'] is not allowed"),
        (with_meta(annotations={HASH: "x"}), Wish(), "this module writes it"),
        (with_meta(labels={f"{KUEUE}queue-name": "other"}), Wish(), f"'{KUEUE}queue-name: other' is not allowed"),
        (with_notes(podset_required_topology="rack"), REQUIRED, "podset-required-topology: rack' is not allowed: the options request"),
        (with_notes(podset_preferred_topology="rack"), REQUIRED, "podset-preferred-topology: rack' is not allowed: the options request"),
        (
            with_notes(podset_preferred_topology="rack", podset_required_topology="rack"),
            Wish(),
            "podset-required-topology and kueue.x-k8s.io/podset-preferred-topology on the main Pods is not allowed",
        ),
        (with_notes(podset_slice_required_topology="rack"), Wish(), "podset-slice-size: ' is not allowed"),
        (with_selector(job()), REQUIRED, "either the node selector or the topology"),
        (job(4), Wish("", "", f"{LAYER}3", 3), "slice_size: 3 is not allowed: there are 4 main Pods. Allowed: a divisor of the number of Pods."),
        ({**job_set(), "spec": {}}, REQUIRED, "the job has no Pod template"),
    ],
)
def test_invalid_manifests_are_refused(manifest, wish, message):
    with pytest.raises(Refused) as refused:
        rendered(manifest, wish)
    assert message in str(refused.value)


def test_a_selector_on_another_label_is_accepted():
    assert rendered(with_selector(job()), Wish("required", f"{LAYER}2")).podsets[0].wish.level == f"{LAYER}2"


def test_a_namespace_is_required():
    with pytest.raises(Refused) as refused:
        rendered(job(), namespace=None)
    assert "namespace: missing" in str(refused.value)


def test_a_job_to_delete_needs_no_spec():
    manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "namespace": "b"}}
    found = rendered(manifest, sent=False, namespace=None)
    assert (found.described, found.path, found.hash) == ("Job b/a", "/apis/batch/v1/namespaces/b/jobs/a", "")


def test_our_patch_of_a_train_job_is_added_to_those_of_others():
    manifest = train_job()
    manifest["spec"]["runtimePatches"] = [{"manager": "people"}]
    foreign, ours = rendered(manifest, REQUIRED).manifest["spec"]["runtimePatches"]
    meta = {"annotations": ANNOTATION, "labels": {f"{KUEUE}queue-name": QUEUE}}
    jobs = [{"name": "node", "template": {"spec": {"template": {"metadata": meta}}}}]
    assert foreign == {"manager": "people"}
    assert ours == {"manager": "mlfleet.hyperpod/topology", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}


def test_an_existing_patch_of_ours_is_reused():
    manifest = train_job()
    inner = {"name": "node", "template": {"spec": {"template": template()}}}
    patch = {"manager": "people", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [inner]}}}}
    manifest["spec"]["runtimePatches"] = [patch]
    assert len(rendered(manifest, REQUIRED).manifest["spec"]["runtimePatches"]) == 1
    bare = {**train_job(), "metadata": {"name": "mnist"}}
    assert "runtimePatches" not in rendered(bare, queue=None).manifest["spec"]


def test_a_train_job_without_a_number_of_pods_is_accepted():
    sliced = Wish("", "", f"{LAYER}3", 3)
    manifest = train_job()
    with pytest.raises(Refused):
        rendered(manifest, sliced)
    for trainer in ({"image": "a"}, {"image": "a", "numNodes": None}):
        manifest["spec"]["trainer"] = trainer
        assert [(each.name, each.pods, each.wish) for each in rendered(manifest, sliced).podsets] == [("node", None, sliced)]
    del manifest["spec"]["trainer"]
    assert rendered(manifest, sliced).podsets[0].pods is None
