# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with operators of Kubeflow, as its API server returns it."""

from __future__ import annotations

import typing as t

CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/mpijobs.kubeflow.org"
DEPLOYMENTS = "/apis/apps/v1/deployments"
TRAINING, MPI = "ghcr.io/kubeflow/training-v1/training-operator:v1-93c5489", "mpioperator/mpi-operator:0.6.0"
Object = dict[str, t.Any]


def deployment(image: str, *arguments: str, name: str = "operator") -> Object:
    """An operator. The first argument is in the command, as in the manifests of Kubeflow."""
    container = {"name": "operator", "image": image, "command": ["/manager", *arguments[:1]], "args": list(arguments[1:])}
    spec = {"template": {"spec": {"containers": [{"name": "proxy", "image": "proxy"}, container]}}}
    return {"metadata": {"namespace": "kubeflow", "name": name}, "spec": spec}


class Cluster:
    """``served``: versions of the CRD, which does not exist without one. ``refused``: statuses by path."""

    def __init__(self, served: t.Iterable[str], *deployments: Object) -> None:
        self.versions: list[Object] = [{"name": each, "served": True} for each in served]
        self.deployments = list(deployments)
        self.refused: dict[str, int] = {}
        self.requests: list[str] = []

    def answer(self, _method: str, target: str, _body: Object | None) -> tuple[int, Object]:
        path = target.partition("?")[0]
        self.requests.append(path)
        if path in self.refused:
            return self.refused[path], {"message": "no"}
        if path == CRD and self.versions:
            return 200, {"spec": {"versions": self.versions}}
        return (200, {"items": self.deployments}) if path == DEPLOYMENTS else (404, {})
