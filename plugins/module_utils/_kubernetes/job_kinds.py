# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The kinds of jobs that Kueue can place by topology: where a manifest defines its Pods, and Kueue's names for them."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from .client import Object

OURS = "mlfleet.hyperpod/topology"
"""The manager name of our runtime patch in a TrainJob."""


@dataclass(frozen=True)
class Template:
    """A pod template of a job."""

    podset: str
    """Kueue's name for the template's Pods in a Workload."""
    pods: int | None
    """The number of Pods; None if the manifest does not set it."""
    body: Object
    """The template inside the manifest, not a copy: a change of it changes the manifest."""


Templates = t.Callable[[Object, bool], "list[Template]"]


@dataclass(frozen=True)
class Kind:
    name: str
    group: str
    version: str
    plural: str
    framework: str
    """The kind's name in ``integrations`` of Kueue's configuration."""
    templates: Templates
    """A function that returns a manifest's templates. It first adds missing optional ones to the manifest if its second argument is
    true.
    """
    suspend: tuple[str, ...] = ("spec", "suspend")
    """The path of the field that suspends the job."""
    suspended_first: bool = False
    """Whether to create the job suspended, as in AWS's guide. Kueue then starts it."""
    leader: str = ""
    """The pod set of the one Pod that leads the others; empty if there is none."""
    everywhere: bool = False
    """Whether annotations and labels are set both on the job and on its Pod template, as by AWS's CLI."""
    job_label: str = ""
    """If Jobs own the Pods, the label with which a Pod names the job of this kind; empty if the job owns its Pods itself."""
    external: bool = False
    """Whether only AWS's build of Kueue supports the kind. AWS does not document the kind's name in Kueue's configuration."""
    ttl: tuple[str, ...] = ()
    """The path of the field with the seconds after which an ended job is removed; empty if the kind has no such field."""
    goes_at_once: bool = False
    """Whether an ended job is removed immediately by default: the field at ``ttl`` is then 0 if omitted, and -1 keeps the job."""
    refused: t.Mapping[str, str] = field(default_factory=dict)
    """Refused API versions, and why each is refused."""
    outdated: t.Mapping[str, str] = field(default_factory=dict)
    """Fields of ``spec`` that the kind's controller no longer reads, and their replacements."""
    bodies: t.Callable[[Object, bool], list[Object]] | None = None
    """A function that returns all Pod templates; None if ``templates`` already does."""
    runtime: str = ""
    """The field of ``spec`` that refers to the object with the Pod templates; empty if the job contains its templates."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}"

    def path(self, namespace: str = "") -> str:
        """The API path of the jobs in a namespace, or in all namespaces."""
        inside = f"/namespaces/{namespace}" if namespace else ""
        return f"/apis/{self.api_version}{inside}/{self.plural}"


def pod_templates(kind: Kind, manifest: Object, *, make: bool = False) -> list[Object]:
    """All Pod templates of a job, inside the manifest.

    :param make: add missing optional templates to the manifest.
    """
    return kind.bodies(manifest, make) if kind.bodies else [each.body for each in kind.templates(manifest, make)]


def pods_of(spec: t.Mapping[str, t.Any], name: str) -> int:
    """The number of Pods in a field, 1 if omitted. An invalid value counts as 0; the API server refuses it later."""
    value = spec.get(name, 1)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def mapping(there: t.Any, *names: str) -> Object:
    """The object at a path of names; empty if there is none, or if the value is not an object, as some kinds allow."""
    for name in names:
        there = there.get(name) if isinstance(there, dict) else None
    return there if isinstance(there, dict) else {}


def _items(there: t.Any) -> list[Object]:
    return [each for each in there if isinstance(each, dict)] if isinstance(there, list) else []


def _pods_of_job(spec: t.Mapping[str, t.Any]) -> int:
    """The number of Pods that run at the same time."""
    pods = pods_of(spec, "parallelism")
    return min(pods, pods_of(spec, "completions")) if "completions" in spec else pods


def _of_job(manifest: Object, _make: bool) -> list[Template]:
    spec = mapping(manifest, "spec")
    return [Template("main", _pods_of_job(spec), mapping(spec, "template"))]


def _of_replicas(specs: str) -> Templates:
    def templates(manifest: Object, _make: bool) -> list[Template]:
        found = mapping(manifest, "spec", specs)
        return [
            Template(str(name).lower(), pods_of(mapping(found, name), "replicas"), mapping(found, name, "template"))
            for name in found
        ]

    return templates


def _of_hyperpod(manifest: Object, _make: bool) -> list[Template]:
    specs = _items(mapping(manifest, "spec").get("replicaSpecs"))
    return [Template(str(each.get("name", "")), pods_of(each, "replicas"), mapping(each, "template")) for each in specs]


def _of_job_set(manifest: Object, _make: bool) -> list[Template]:
    found = []
    for each in _items(mapping(manifest, "spec").get("replicatedJobs")):
        job = mapping(each, "template", "spec")
        pods = pods_of(each, "replicas") * _pods_of_job(job)
        found.append(Template(str(each.get("name", "")), pods, mapping(job, "template")))
    return found


NODE = "node"
"""The name of a TrainJob's training Pods in all runtimes of Kubeflow's trainer."""
INITIALIZERS = {"dataset": "dataset-initializer", "model": "model-initializer"}
"""Fields of ``spec.initializer`` of a TrainJob, and the names of their Pods in all runtimes."""


def _of_train_job(manifest: Object, make: bool) -> list[Template]:
    """The Pod template and the default number of Pods are in a runtime. The job's own fields are a patch of the template."""
    trainer = mapping(manifest, "spec", "trainer")
    pods = None if trainer.get("numNodes") is None else pods_of(trainer, "numNodes")
    return [Template(NODE, pods, _patched(manifest, NODE, make))]


def _bodies_of_train_job(manifest: Object, make: bool) -> list[Object]:
    """The templates in the job's patches. The runtime may have Pods without a patch.

    :param make: first add the missing patches of the training Pods and the declared initializers.
    """
    initializer = mapping(manifest, "spec", "initializer")
    names = [NODE, *(name for field, name in INITIALIZERS.items() if field in initializer)]
    if make:
        for name in names:
            _patched(manifest, name, True)
    return [body for _name, body in _patches(manifest)]


def _patches(manifest: Object) -> list[tuple[str, Object]]:
    """The patches of Pod templates, each with the name that the runtime gives to the Pods."""
    patches = _items(mapping(manifest, "spec").get("runtimePatches"))
    jobs = [job for each in patches for job in _items(mapping(each, *_PATCH).get("replicatedJobs"))]
    return [(str(job.get("name")), mapping(job, *_POD_TEMPLATE)) for job in jobs if mapping(job, *_POD_TEMPLATE)]


def _patched(manifest: Object, name: str, make: bool) -> Object:
    """The first patch of the Pods ``name``, or a new empty patch, which is added to the manifest only with ``make``."""
    known = next((body for each, body in _patches(manifest) if each == name), None)
    if known is not None:
        return known
    body: Object = {}
    if make:
        patches = _items(manifest["spec"].get("runtimePatches"))
        ours = next((each for each in patches if each.get("manager") == OURS and "replicatedJobs" in mapping(each, *_PATCH)), None)
        if ours is None:
            ours = {"manager": OURS, "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": []}}}}
            patches.append(ours)
        body["metadata"] = {}
        mapping(ours, *_PATCH)["replicatedJobs"].append({"name": name, "template": {"spec": {"template": body}}})
        manifest["spec"]["runtimePatches"] = patches
    return body


_PATCH = ("trainingRuntimeSpec", "template", "spec")
_POD_TEMPLATE = ("template", "spec", "template")
_RUNTIME_PATCHES = "spec.runtimePatches, which replaces this field in newer releases of Kubeflow's trainer"
_JOB_SET = "jobset.sigs.k8s.io/jobset-name"
_RUN_POLICY = ("spec", "runPolicy", "suspend")
_TTL = "ttlSecondsAfterFinished"
_TTL_OF_POLICY = ("spec", "runPolicy", _TTL)
JOB = Kind("Job", "batch", "v1", "jobs", "batch/job", _of_job, suspended_first=True, ttl=("spec", _TTL))
KINDS = (
    JOB,
    Kind(
        "PyTorchJob",
        "kubeflow.org",
        "v1",
        "pytorchjobs",
        "kubeflow.org/pytorchjob",
        _of_replicas("pytorchReplicaSpecs"),
        suspend=_RUN_POLICY,
        leader="master",
        ttl=_TTL_OF_POLICY,
    ),
    Kind(
        "HyperPodPyTorchJob",
        "sagemaker.amazonaws.com",
        "v1",
        "hyperpodpytorchjobs",
        "sagemaker.amazonaws.com/hyperpodpytorchjob",
        _of_hyperpod,
        suspend=_RUN_POLICY,
        everywhere=True,
        external=True,
        ttl=_TTL_OF_POLICY,
        goes_at_once=True,
    ),
    Kind(
        "JobSet",
        "jobset.x-k8s.io",
        "v1alpha2",
        "jobsets",
        "jobset.x-k8s.io/jobset",
        _of_job_set,
        job_label=_JOB_SET,
        ttl=("spec", _TTL),
    ),
    Kind(
        "TrainJob",
        "trainer.kubeflow.org",
        "v1alpha1",
        "trainjobs",
        "trainer.kubeflow.org/trainjob",
        _of_train_job,
        job_label=_JOB_SET,
        outdated=dict.fromkeys(("podTemplateOverrides", "podSpecOverrides"), _RUNTIME_PATCHES),
        bodies=_bodies_of_train_job,
        runtime="runtimeRef",
    ),
    Kind(
        "MPIJob",
        "kubeflow.org",
        "v2beta1",
        "mpijobs",
        "kubeflow.org/mpijob",
        _of_replicas("mpiReplicaSpecs"),
        suspend=_RUN_POLICY,
        leader="launcher",
        job_label="training.kubeflow.org/job-name",
        ttl=_TTL_OF_POLICY,
        refused={"v1": "Kueue manages MPIJobs of the MPI operator only, not those of the training operator"},
    ),
)
PODSET_LABELS = (
    "kueue.x-k8s.io/podset",
    "jobset.sigs.k8s.io/replicatedjob-name",
    "training.kubeflow.org/replica-type",
    "training.kubeflow.org/job-role",
)
"""The labels that name a Pod's pod set. Kueue's own label comes first."""


def known_kind(name: str) -> Kind:
    """:raises KeyError:"""
    return {each.name: each for each in KINDS}[name]


def kind_named(name: str) -> Kind | None:
    return next((each for each in KINDS if each.name == name), None)
