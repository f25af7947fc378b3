# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes objects of HyperPod's task governance: Kueue from the add-on, namespaces and queues from quotas, priority classes.

Names are those in HyperPod's guide, sagemaker-hyperpod-eks-operate-console-ui-governance-tasks-scheduling.
"""

from __future__ import annotations

import json
import typing as t

from lab.kubernetes.api import Api, ApiError, Object
from lab.kubernetes.hyperpod_nodes import TYPE
from lab.kubernetes.played import Played

from .admission import OF_TEAMS
from .objects import HOSTNAME
from .operator import FRAMEWORKS, Kueue

ADDON = "amazon-sagemaker-hyperpod-taskgovernance"
VERSION = "v1beta2"
WORKS = ("Created", "Updating", "Updated", "UpdateFailed", "Deleting", "DeleteFailed")
"""Statuses of policies that were created and are not deleted yet."""
ACTIVE = ("ACTIVE", "DEGRADED", "UPDATING", "UPDATE_FAILED")
COHORT = "hyperpod"
TOPOLOGY = "nodes"
LAYERS = tuple(f"topology.k8s.aws/network-node-layer-{number}" for number in (1, 2, 3))


class TaskGovernance(Played):
    """Follows the simulated API for the HyperPod clusters on an EKS cluster. ``held``: teams whose namespaces it does not create."""

    def __init__(self, api: Api, sagemaker: t.Any, eks: t.Any, eks_cluster: str) -> None:
        super().__init__()
        self.api = api
        self.kueue = Kueue(api)
        self.sagemaker = sagemaker
        self.eks = eks
        self.eks_cluster = eks_cluster
        self.held: set[str] = set()
        self._installed = False
        self._settings = ""
        self._teams: dict[str, list[Object]] = {}
        self._classes: dict[str, int] = {}

    def turn(self) -> None:
        wanted = self._addon_works()
        if wanted and not self._installed:
            self.kueue.install(VERSION)
            levels = [{"nodeLabel": each} for each in (*LAYERS, HOSTNAME)]
            self.kueue.put("topologies", "Topology", TOPOLOGY, {"levels": levels})
            self._settings = ""
        elif self._installed and not wanted:
            self.kueue.uninstall()
        self._installed = wanted
        if wanted:
            self._keep_file()
            self.kueue.turn()
        if wanted or self._teams or self._classes:
            self._keep_classes()
            self._keep_teams()

    def _addon_works(self) -> bool:
        if ADDON not in self.eks.list_addons(clusterName=self.eks_cluster)["addons"]:
            return False
        addon = self.eks.describe_addon(clusterName=self.eks_cluster, addonName=ADDON)["addon"]
        return addon["status"] in ACTIVE or (self._installed and addon["status"] == "DELETING")

    def _keep_file(self) -> None:
        """Write the file when the settings of the add-on change; until then, changes of others are kept."""
        settings = self.eks.describe_addon(clusterName=self.eks_cluster, addonName=ADDON)["addon"].get("configurationValues", "")
        if settings != self._settings:
            self.kueue.configure(FRAMEWORKS, json.loads(settings or "{}").get("featureGates"))
            self._settings = settings

    def _keep_classes(self) -> None:
        wanted = {f"{each['Name']}-priority": each["Weight"] for each in self._priorities()}
        path = self.kueue.path("workloadpriorityclasses")
        for name in self._classes.keys() - wanted.keys():
            self.kueue.delete(f"{path}/{name}")
            del self._classes[name]
        for name, weight in wanted.items():
            if self._classes.get(name) != weight:
                self.kueue.put("workloadpriorityclasses", "WorkloadPriorityClass", name, value=weight)
                self.api.merge(f"{path}/{name}", {"value": weight})
                self._classes[name] = weight

    def _priorities(self) -> t.Iterator[Object]:
        for summary in self.sagemaker.list_cluster_scheduler_configs()["ClusterSchedulerConfigSummaries"]:
            if summary["Status"] in WORKS:
                found = self.sagemaker.describe_cluster_scheduler_config(ClusterSchedulerConfigId=summary["ClusterSchedulerConfigId"])
                yield from found["SchedulerConfig"].get("PriorityClasses", ())

    def _keep_teams(self) -> None:
        quotas = self.sagemaker.list_compute_quotas(MaxResults=100)["ComputeQuotaSummaries"]
        wanted = {
            each["ComputeQuotaTarget"]["TeamName"]: each["ComputeQuotaConfig"].get("ComputeQuotaResources", [])
            for each in quotas
            if each["Status"] in WORKS
        }
        for team in sorted(self._teams.keys() - wanted.keys()):
            self._remove(team)
            del self._teams[team]
        for team in sorted(wanted.keys() - self.held):
            if self._teams.get(team) != wanted[team] and self._make(team, wanted[team]):
                self._teams[team] = wanted[team]

    def _make(self, team: str, resources: t.Sequence[Object]) -> bool:
        """Create the objects of a team; False while an old namespace of that name is being deleted."""
        space = f"hyperpod-ns-{team}"
        queue = f"{space}-clusterqueue"
        for each in resources:
            flavor = {"nodeLabels": {TYPE: each["InstanceType"]}, "topologyName": TOPOLOGY}
            self.kueue.put("resourceflavors", "ResourceFlavor", each["InstanceType"], flavor)
        self.kueue.put("clusterqueues", "ClusterQueue", queue, {"cohort": COHORT})
        self.api.merge(f"{self.kueue.path('clusterqueues')}/{queue}", {"spec": {"resourceGroups": groups(resources)}})
        try:
            self.kueue.space(space, OF_TEAMS)
            self.kueue.put("localqueues", "LocalQueue", f"{space}-localqueue", {"clusterQueue": queue}, space)
            return "deletionTimestamp" not in self.api.get(f"/api/v1/namespaces/{space}")["metadata"]
        except ApiError as error:
            if error.status not in (403, 404):
                raise
            return False

    def _remove(self, team: str) -> None:
        space = f"hyperpod-ns-{team}"
        self.kueue.delete(f"{self.kueue.path('clusterqueues')}/{space}-clusterqueue")
        self.kueue.delete(f"/api/v1/namespaces/{space}")


def groups(resources: t.Sequence[Object]) -> list[Object]:
    """Resource groups of a ClusterQueue; whole instances count as eight accelerators each."""
    flavors = [
        {
            "name": each["InstanceType"],
            "resources": [{"name": "nvidia.com/gpu", "nominalQuota": str(each.get("Accelerators", 8 * each.get("Count", 0)))}],
        }
        for each in resources
    ]
    return [{"coveredResources": ["nvidia.com/gpu"], "flavors": flavors}] if flavors else []
