# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with EKS and three instances, task governance for two teams, and people who have no access yet."""

from __future__ import annotations

import contextlib
import json
import subprocess
import typing as t
from concurrent.futures import ThreadPoolExecutor

from eks_world import ADMINISTRATOR, EKS, EksWorld, until, workers
from harness import Run

P5 = "ml.p5.48xlarge"
INSTANCES = 3
FAIR = {"name": "fair", "fair_share": "Enabled", "priority_classes": [{"name": "training", "weight": 80}, {"name": "tests", "weight": 20}]}
ABSENT = {"task_governance_state": "absent", "task_governance_confirm": "ml"}
RESEARCH, VISION = "hyperpod-ns-research", "hyperpod-ns-vision"


class Governed:
    """Runs of the playbook task_governance in this world, and the objects that they create in AWS."""

    def __init__(self, world: EksWorld) -> None:
        self.world = world
        self.sagemaker, self.eks = world.aws("sagemaker"), world.aws("eks")
        self.arn = world.hyperpod("ml", [workers("gpus", INSTANCES, P5)])
        self.people = {"alice": world.person("alice"), "bob": world.person("bob"), "onlooker": world.person("onlooker")}
        world.admit(self.people["onlooker"], "AmazonEKSAdminViewPolicy")
        world.governance.start()

    def team(self, name: str, count: int, *who: str, **more: t.Any) -> dict[str, t.Any]:
        resources = [{"instance_type": P5, "count": count}]
        return {"name": name, "resources": resources, "submitters": [self.people[each] for each in who], **more}

    def teams(self, research: int = 2, vision: int = 1) -> list[dict[str, t.Any]]:
        return [self.team("research", research, "alice"), self.team("vision", vision, "bob", fair_share_weight=40)]

    def given(self, **variables: t.Any) -> str:
        """Variables as JSON: those for two teams, overridden by ``variables``."""
        usual = {"task_governance_scheduler": FAIR, "hyperpod_teams": self.teams(), "task_governance_ready_timeout": 120}
        return json.dumps({**usual, **variables})

    def run(self, *arguments: str, **variables: t.Any) -> Run:
        return self.world.world.playbook("task_governance", "-e", self.given(**variables), *arguments)

    def aws(self, *arguments: str) -> dict[str, t.Any]:
        """Output of the real ``aws`` command."""
        argv = ["aws", "--profile", ADMINISTRATOR, "--output", "json", *arguments]
        found: dict[str, t.Any] = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)
        return found

    def calls(self) -> list[str]:
        return [short(call["operation"]) for call in self.world.world.calls(mutating=True)]

    def forget(self) -> None:
        self.world.world.reset_calls()
        self.world.reset_changes()

    def refuses(self, message: str, **variables: t.Any) -> None:
        self.forget()
        run = self.run(**variables)
        assert run.rc == 2 and message in printed(run), run.log
        assert self.calls() == [] and self.world.changes() == [], (self.calls(), self.world.changes())

    def unchanged(self, **variables: t.Any) -> None:
        self.forget()
        for run in (self.run("--check", "--diff", **variables), self.run(**variables)):
            assert run.rc == 0 and run.changed == 0, run.log
            assert self.calls() == [] and self.world.changes() == [], (self.calls(), self.world.changes())

    def configurations(self) -> list[dict[str, t.Any]]:
        """Existing scheduler configurations."""
        listed = self.sagemaker.list_cluster_scheduler_configs(ClusterArn=self.arn)["ClusterSchedulerConfigSummaries"]
        return [each for each in listed if each["Status"] != "Deleted"]

    def quotas(self) -> dict[str, dict[str, t.Any]]:
        """Existing compute quotas in full, by team."""
        listed = self.sagemaker.list_compute_quotas(ClusterArn=self.arn)["ComputeQuotaSummaries"]
        found = [self.sagemaker.describe_compute_quota(ComputeQuotaId=each["ComputeQuotaId"]) for each in listed if each["Status"] != "Deleted"]
        return {each["ComputeQuotaTarget"]["TeamName"]: each for each in found}

    def counts(self) -> dict[str, int]:
        return {name: each["ComputeQuotaConfig"]["ComputeQuotaResources"][0]["Count"] for name, each in self.quotas().items()}

    def groups(self) -> dict[str, list[str]]:
        """Kubernetes groups of the people with access entries, without the onlooker."""
        entries = self.eks.list_access_entries(clusterName=EKS)["accessEntries"]
        return {
            name: self.eks.describe_access_entry(clusterName=EKS, principalArn=arn)["accessEntry"]["kubernetesGroups"]
            for name, arn in self.people.items()
            if arn in entries and name != "onlooker"
        }

    def may(self, who: str, verb: str, resource: str, space: str) -> bool:
        kind, _slash, part = resource.partition("/")
        arguments = ("auth", "can-i", verb, kind, *(["--subresource", part] if part else []), "--namespace", space)
        return self.world.kubectl(*arguments, profile=who).stdout.strip() == "yes"

    def wait_until_may(self, who: str, verb: str, resource: str, space: str, *, allowed: bool = True) -> None:
        """Retries, because the API server caches identities for ten seconds."""
        until(lambda: self.may(who, verb, resource, space) is allowed)

    def wait_for_quota(self, team: str) -> None:
        until(lambda: self.quotas()[team]["Status"] in ("Created", "Updated"))

    @contextlib.contextmanager
    def while_it_updates(self, **variables: t.Any) -> t.Iterator[t.Callable[[], Run]]:
        """A run that waits for the reply to its first update of a quota, which AWS has applied; ``result()`` lets it continue."""
        control = self.world.world.control
        control.faults({"kind": "hold", "operation": "UpdateComputeQuota"})
        with ThreadPoolExecutor(1) as executor:
            run = executor.submit(self.run, **variables)
            until(lambda: bool(control.held()) or run.done(), seconds=120)
            assert not run.done(), run.result().log

            def result() -> Run:
                control.release()
                return run.result()

            try:
                yield result
            finally:
                control.clear_faults()
                control.release()


def short(operation: str) -> str:
    """The log has operations of EKS as method and path; keep the method and the kind of object."""
    method, space, path = operation.partition(" ")
    return f"{method} {path.split('/')[3]}" if space else operation


def printed(run: Run) -> str:
    """Output of a run in one line."""
    return " ".join(run.output.split())
