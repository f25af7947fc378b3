# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scales the targets of ScaledObjects; annotation ``lab/figure`` of one is the metric of all its triggers, by default 0."""

from __future__ import annotations

import math
import time
from pathlib import Path

from lab.kubernetes import definitions
from lab.kubernetes.api import Api, ApiError, Object
from lab.kubernetes.played import Played
from lab.names import ACCOUNT

FIGURE = "lab/figure"
DEFINITIONS = Path(__file__).with_name("definitions.yml")
OBJECTS = "/apis/keda.sh/v1alpha1/scaledobjects"
TARGETS = {"aws-cloudwatch": "targetMetricValue", "aws-sqs-queue": "queueLength", "prometheus": "threshold"}
"""Option with the metric value for one pod, by type of trigger."""
SPACE, NAME = "keda", "keda-operator"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/keda"


class Keda(Played):
    """Reconciles all ScaledObjects repeatedly."""

    def __init__(self, api: Api) -> None:
        super().__init__()
        self.api = api
        self._active: dict[str, float] = {}

    def start(self) -> None:
        """Start with the visible objects of an operator: definitions, a Deployment, a service account with a role."""
        definitions.define(self.api, DEFINITIONS)
        self.api.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        account = {"metadata": {"name": NAME, "annotations": {"eks.amazonaws.com/role-arn": ROLE}}}
        self.api.create(f"/api/v1/namespaces/{SPACE}/serviceaccounts", account)
        labels = {"app.kubernetes.io/name": NAME}
        pod = {"serviceAccountName": NAME, "containers": [{"name": NAME, "image": "keda"}]}
        spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
        deployment = {"metadata": {"name": NAME, "labels": labels}, "spec": spec}
        self.api.create(f"/apis/apps/v1/namespaces/{SPACE}/deployments", deployment)
        super().start()

    def turn(self) -> None:
        for each in self.api.get(OBJECTS)["items"]:
            self._scale(each)

    def _scale(self, item: Object) -> None:
        meta, target = item["metadata"], item["spec"]["scaleTargetRef"]
        plural = {"Deployment": "deployments", "StatefulSet": "statefulsets"}[target["kind"]]
        scale = f"/apis/{target['apiVersion']}/namespaces/{meta['namespace']}/{plural}/{target['name']}/scale"
        try:
            current = self.api.get(scale)["spec"].get("replicas", 0)
        except ApiError as error:
            if error.status != 404:
                raise
            self._update_status(item, ready=False, active=False)
            return
        figure = float((meta.get("annotations") or {}).get(FIGURE, 0))
        if figure > 0:
            self._active[meta["uid"]] = time.monotonic()
        cooled = time.monotonic() - self._active.get(meta["uid"], -math.inf) >= item["spec"]["cooldownPeriod"]
        wanted = replicas(item["spec"], figure, current, cooled=cooled)
        if wanted != current:
            self.api.merge(scale, {"spec": {"replicas": wanted}})
        self._update_status(item, ready=True, active=figure > 0)

    def _update_status(self, item: Object, *, ready: bool, active: bool) -> None:
        states = (
            ("Ready", ready, "ScaledObjectReady" if ready else "ScaledObjectCheckFailed"),
            ("Active", active, "ScalerActive" if active else "ScalerNotActive"),
        )
        conditions = [{"type": kind, "status": str(holds), "reason": reason} for kind, holds, reason in states]
        if (item.get("status") or {}).get("conditions") != conditions:
            meta = item["metadata"]
            path = f"/apis/keda.sh/v1alpha1/namespaces/{meta['namespace']}/scaledobjects/{meta['name']}/status"
            self.api.merge(path, {"status": {"conditions": conditions}})


def replicas(spec: Object, figure: float, current: int, *, cooled: bool) -> int:
    """Number of pods for a metric; without work the current ones stay until the end of the cooldown."""
    low, high = spec["minReplicaCount"], spec["maxReplicaCount"]
    if figure > 0:
        shares = [figure / float(each["metadata"][TARGETS[each["type"]]]) for each in spec["triggers"]]
        return max(low, 1, min(high, math.ceil(max(shares))))
    return low if cooled or current < low else current
