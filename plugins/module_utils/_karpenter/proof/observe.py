# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a cluster, its autoscaler, Karpenter's objects, and the price of a node of the pool."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._aws.network import Network
from ..._hyperpod import prices
from ..._hyperpod.api import HyperPod
from ..._kubernetes.client import Kubernetes, KubernetesError
from ..model import Inside
from ..observe import observe
from ..outside import Outside, observe_outside
from .choice import candidates, groups_by_type
from .manifest import pod
from .model import Candidate, Cost, Desired, Proof, State

NAMESPACES = "/api/v1/namespaces/"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
BAD_REQUEST, CONFLICT = 400, 409
DENIED = (403, 422)
Connect = t.Callable[[str], Kubernetes]


class Observer:
    """
    :param connect: connects to the API server of the EKS cluster with the given ARN.
    :param price_list: None in a partition without the Price List API.
    """

    def __init__(
        self, api: HyperPod, network: Network, price_list: Api | None, connect: Connect, desired: Desired
    ) -> None:
        self.api = api
        self.network = network
        self.price_list = price_list
        self.connect = connect
        self.desired = desired
        self.proof: Proof | None = None
        """The proof of this run, once it has ended."""
        self.last: State | None = None
        self._kubernetes: Kubernetes | None = None

    @property
    def kubernetes(self) -> Kubernetes:
        if self._kubernetes is None:
            raise AssertionError("not connected yet")
        return self._kubernetes

    def __call__(self) -> State:
        """The current state. After a proof, nothing is read again: the state before the proof is returned with the result."""
        if self.proof is not None and self.last is not None:
            return State(self.last.outside, candidates=self.last.candidates, proof=self.proof)
        self.last = self._look()
        return self.last

    def _look(self) -> State:
        outside = self.outside()
        if not outside.autoscaling.works or not outside.cluster.eks_cluster_arn:
            return State(outside)
        self._kubernetes = self._kubernetes or self.connect(outside.cluster.eks_cluster_arn)
        inside = observe(self._kubernetes)
        found = self._kubernetes.find(f"{NAMESPACES}{self.desired.namespace}")
        labels = None if found is None else found["metadata"].get("labels") or {}
        kinds, notes = self._candidates(inside, outside)
        denied = self._denied(self._kubernetes, inside, kinds) if found is not None else ""
        return State(outside, inside, kinds, labels, denied, tuple(notes))

    def _denied(self, kubernetes: Kubernetes, inside: Inside, kinds: tuple[Candidate, ...]) -> str:
        """Why the Pod would be denied, from an access review and a dry run, which change nothing; empty if it would not.

        A refusal of the dry run itself is ignored, because not every webhook supports dry runs.
        """
        pool = inside.pool(self.desired.node_pool)
        if pool is None or not kinds:
            return ""
        may_delete = {"verb": "delete", "resource": "pods", "namespace": self.desired.namespace}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
        answer = kubernetes.create(REVIEWS, {**review, "spec": {"resourceAttributes": may_delete}})
        if not answer["status"].get("allowed"):
            return f"The caller may not delete Pods in namespace {self.desired.namespace}, so no Pod is created"
        try:
            kubernetes.create(f"{self.desired.pods_path}?dryRun=All", pod(self.desired, pool, kinds[0].instance_type))
        except KubernetesError as error:
            if error.status in DENIED:
                return str(error)
            if error.status != CONFLICT and not (error.status == BAD_REQUEST and "dry run" in str(error)):
                raise
        return ""

    def outside(self) -> Outside:
        return observe_outside(self.api, self.network, self.desired.cluster_arn)

    def _candidates(self, inside: Inside, outside: Outside) -> tuple[tuple[Candidate, ...], list[str]]:
        pool = inside.pool(self.desired.node_pool)
        if pool is None:
            return (), []
        offered, cluster = groups_by_type(pool, inside, outside), outside.cluster
        wanted = prices.of_nodes(dict.fromkeys(offered, 1))
        read = prices.read(self.price_list, wanted, region=cluster.region, partition=cluster.partition)
        costs = {each["instance_type"]: Cost(each["price_per_hour"], read["currency"], each["source"]) for each in read["prices"]}
        return candidates(offered, costs), read["notes"]
