# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The operators that manage MPIJobs. Two operators of Kubeflow install the same CRD, each with a version of its own.

Sources: manifests of kubeflow/training-operator 1.9 and kubeflow/mpi-operator 0.6. A cluster can have both only if the training
operator runs with ``--enable-scheme`` for other kinds of jobs (kubeflow/trainer #1930 and #1777). The training operator of HyperPod
has its own kind of job.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .._core.text import printable
from .client import Kubernetes, Object

CRD = "mpijobs.kubeflow.org"
CRD_PATH = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{CRD}"
DEPLOYMENTS = "/apis/apps/v1/deployments"
TRAINING, MPI = "training-operator", "mpi-operator"
"""The ends of the repositories of both images."""
NOUNS = {TRAINING: "the training operator of Kubeflow", MPI: "the MPI operator of Kubeflow"}
VERSIONS = {TRAINING: "v1", MPI: "v2beta1"}
"""The only version of the CRD that each operator supports."""
SCHEME = re.compile("--?enable-scheme(?:=(?P<kind>.*))?")
STEP = (
    "Start the training operator with --enable-scheme for each kind of job except mpijob, and use the CRD and the jobs of the MPI "
    "operator (v2beta1), or remove one of the operators"
)
LONGEST = 150


@dataclass(frozen=True)
class Operator:
    """An operator that manages MPIJobs."""

    image: str
    """``TRAINING`` or ``MPI``."""
    place: str
    """The namespace and the name of its Deployment."""

    def __str__(self) -> str:
        return f"{NOUNS[self.image]} (Deployment {self.place})"


@dataclass(frozen=True)
class Owners:
    served: tuple[str, ...] = ()
    """The versions that the CRD serves; empty without the CRD."""
    operators: tuple[Operator, ...] = ()

    @property
    def clash(self) -> str:
        """The evidence that an operator cannot manage its MPIJobs: a sentence without its period. Empty without evidence."""
        served = f"CRD {CRD} serves only {', '.join(self.served)}"
        if {TRAINING, MPI} <= {each.image for each in self.operators}:
            return f"{_joined(self.operators)} both manage MPIJobs, and {served}"
        wrong = [each for each in self.operators if VERSIONS[each.image] not in self.served]
        return f"{served}, but {_joined(wrong)} supports only {VERSIONS[wrong[0].image]}" if wrong else ""


def read(kubernetes: Kubernetes) -> Owners:
    """:raises KubernetesError:"""
    definition = kubernetes.find(CRD_PATH)
    if definition is None:
        return Owners()
    served = tuple(_line(each["name"]) for each in definition["spec"]["versions"] if each.get("served"))
    return Owners(served, tuple(each for item in kubernetes.items(DEPLOYMENTS) for each in _operators(item)))


def _operators(item: Object) -> t.Iterator[Operator]:
    place = _line(f"{item['metadata']['namespace']}/{item['metadata']['name']}")
    for container in item["spec"]["template"]["spec"].get("containers") or ():
        repository = re.sub(r"(:[^:/@]*)?(@.*)?$", "", str(container.get("image") or ""))
        image = repository.rpartition("/")[2]
        if image == MPI or (image == TRAINING and _enables_mpi_jobs(container)):
            yield Operator(image, place)


def _enables_mpi_jobs(container: Object) -> bool:
    """Without the flag, the training operator manages all kinds of jobs."""
    words = [str(each) for each in (*(container.get("command") or ()), *(container.get("args") or ()))]
    flags = [(place, SCHEME.fullmatch(word)) for place, word in enumerate(words)]
    kinds = [match["kind"] or next(iter(words[place + 1 :]), "") for place, match in flags if match]
    return not kinds or any(kind.lower() == "mpijob" for kind in kinds)


def _joined(operators: t.Iterable[Operator]) -> str:
    return " and ".join(map(str, operators))


def _line(value: t.Any) -> str:
    return printable(value)[:LONGEST]
