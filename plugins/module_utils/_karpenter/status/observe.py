# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads Karpenter's state in Kubernetes and AWS, and waits."""

from __future__ import annotations

import typing as t

from ..._aws.network import Network
from ..._aws.service_quota.api import ServiceQuotas
from ..._core.failure import Failure, refuse_option
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits, repeated
from ..._hyperpod.api import HyperPod
from ..._kubernetes.client import Kubernetes
from ..._kubernetes.patience import answer, until
from ..causes import CAPACITY, ON_ITS_WAY, UNKNOWN
from ..observe import observe
from ..outside import observe_outside, with_failures, with_quotas
from ..why import Reasons
from .model import GONE, READY, Desired, State
from .until import failed, left, left_text, unready, unready_text

Connect = t.Callable[[str], Kubernetes]
BY_QUOTA = (CAPACITY, ON_ITS_WAY, UNKNOWN)
"""Causes over which a low quota takes precedence."""


class Observer:
    """Reads one cluster.

    :param connect: connects to the API server of the EKS cluster with the given ARN. Called only once, because a tunnel is slow.
    :param quotas: called only if Pods wait for a node.
    """

    def __init__(
        self,
        api: HyperPod,
        network: Network,
        connect: Connect,
        quotas: t.Callable[[], ServiceQuotas],
        desired: Desired,
        *,
        waits: Waits | None,
    ) -> None:
        self.api = api
        self.network = network
        self.connect = connect
        self.quotas = quotas
        self.desired = desired
        self.waits = waits
        """None if the module does not wait."""
        self._kubernetes: Kubernetes | None = None

    def __call__(self) -> State:
        """
        :raises AwsError: also if the cluster does not exist.
        :raises KubernetesError: if the API server does not reply or does not accept the caller.
        :raises Failure: if Karpenter is not ready in time, or the autoscaler fails.
        """
        return self._explained(self._waited())

    def look(self) -> State:
        outside = observe_outside(self.api, self.network, self.desired.cluster_arn)
        eks = outside.cluster.eks_cluster_arn
        if not eks:
            refuse_option("cluster_arn", self.desired.cluster_arn, "a cluster with EKS", "this cluster uses Slurm")
        if self._kubernetes is None:
            self._kubernetes = self.connect(eks)
        return State(observe(self._kubernetes), outside)

    def _waited(self) -> State:
        if self.waits is None or self.desired.until not in (READY, GONE):
            return self.look()
        subject = f"Karpenter of cluster {self.desired.cluster_arn}"
        if self.desired.until == GONE:
            try:
                return until(
                    self.waits,
                    self.look,
                    done=lambda state: not left(self.desired, state),
                    subject=subject,
                    state=lambda state: left_text(self.desired, state),
                )
            except WaitTimeout:
                return answer(self.look, self.waits.clock)  # the caller decides about the remaining nodes
        try:
            return until(
                self.waits,
                self.look,
                done=lambda state: not unready(self.desired, state),
                failed=repeated(failed),
                subject=subject,
                state=lambda state: unready_text(self.desired, state),
            )
        except WaitTimeout as error:
            raise Failure(f"{error}. Fix the reported problem, then run again.") from error

    def _explained(self, state: State) -> State:
        """Add AWS's failures and quotas if they could explain why Pods wait."""
        inside, outside = state.inside, state.outside
        if not any(pod.waits for pod in inside.pods):
            return state
        outside = with_failures(outside, self.api)
        reasons = Reasons(inside, outside)
        found = [reasons.why(pod) for pod in inside.pods if pod.waits]
        if any(cause is not None and cause.code in BY_QUOTA for cause in found):
            outside = with_quotas(outside, self.api, self.quotas())
        return State(inside, outside)
