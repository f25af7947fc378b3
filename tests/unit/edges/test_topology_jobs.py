# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks submit and placement for two EKS clusters: a job is submitted to one of them and reported."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from simulated import REGION, simulated_aws
from simulated.limits import Run, playbook
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig
from unit.module_utils._topology.job.api_server import World
from unit.module_utils._topology.job.jobs import SPACE, condition, job

pytestmark = pytest.mark.slow
NAME = f"Job {SPACE}/mnist"
GROUP = {
    "InstanceGroupName": "gpus",
    "InstanceType": "ml.m5.large",
    "InstanceCount": 1,
    "ExecutionRole": "arn:aws:iam::111111111111:role/hyperpod-nodes",
}


class Place:
    """Two clusters on a simulated AWS, which share one API server in memory."""

    def __init__(self, folder: Path, aws: t.Any) -> None:
        self.folder, self.aws, self.kubernetes = folder, aws, World()
        for number, name in enumerate(("ml", "other"), start=1):
            self._cluster(name, number)
        self.source = folder / "hyperpod.yml"
        self.source.write_text(f"plugin: mlfleet.hyperpod.hyperpod\nregions: [{REGION}]\n")
        self.config = ""

    def _cluster(self, name: str, number: int) -> None:
        ec2 = self.aws.client("ec2")
        vpc = ec2.create_vpc(CidrBlock=f"10.{number}.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.{number}.1.0/24", AvailabilityZone=f"{REGION}a")["Subnet"]["SubnetId"]
        group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        arn = self.aws.client("sagemaker").create_cluster(
            ClusterName=name,
            InstanceGroups=[GROUP],
            VpcConfig={"Subnets": [subnet], "SecurityGroupIds": [group]},
            Orchestrator={"Eks": {"ClusterArn": f"arn:aws:eks:{REGION}:111111111111:cluster/{name}"}},
            NodeProvisioningMode="Continuous",
        )["ClusterArn"]
        waited = self.aws.start("cluster", name=name, cluster_arn=arn, poll_interval=1, wait_timeout=60)
        assert not waited.get("failed"), waited["msg"]

    def run(self, verb: str, *arguments: str, **variables: t.Any) -> Run:
        given = json.dumps({"topology_job_kubeconfig": self.config, **variables})
        environment = {
            "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "example",
            "AWS_ENDPOINT_URL": self.aws.url,
        }
        return playbook(self.folder, verb, "-e", given, *arguments, source=str(self.source), **environment)

    def submit(self, *arguments: str, **variables: t.Any) -> Run:
        placement = {"topology_job_placement": "required", "topology_job_layer": 3, "topology_job_timeout": 2, "topology_job_cluster": "ml"}
        given = {"topology_job_manifest": job(2), "topology_job_team": "a", **placement, **variables}
        return self.run("submit", *arguments, **{name: each for name, each in given.items() if each is not None})

    def proof(self) -> dict[str, t.Any]:
        found: dict[str, t.Any] = json.loads((self.folder / "home/.mlfleet/hyperpod/placement.json").read_text())
        return found


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Place]:
    folder = tmp_path_factory.mktemp("submit")
    with simulated_aws(folder) as aws:
        yield Place(folder, aws)


@pytest.fixture
def place(world: Place) -> t.Iterator[Place]:
    world.kubernetes = World()
    with Server(world.kubernetes) as server:
        world.config = kubeconfig(server, world.folder)
        yield world


def codes(run: Run, key: str = "ml") -> list[tuple[str, str, str]]:
    assert run.clusters is not None, run.output
    return [(each["kind"], each["code"], each["subject"]) for each in run.clusters[key]["findings"]]


def runs_at(place: Place, *nodes: str) -> None:
    """Kueue assigns n1 and n2, and the pods run on ``nodes``."""
    place.kubernetes.turns = [lambda here: None, lambda here: (here.admit("n1", "n2"), here.run(*nodes)), lambda here: None]


def test_a_job_is_submitted_to_the_named_cluster(place: Place) -> None:
    refused = place.submit(topology_job_cluster=None)
    assert refused.rc == 2 and "topology_job_cluster: missing; a job is submitted to one cluster, and this run has ml, other" in refused.output
    assert not refused.called_aws and place.kubernetes.changes == [], refused.output
    runs_at(place, "n1", "n2")
    proof, file = place.folder / "proof", place.folder / "mnist.yaml.j2"
    note = f"{{{{ lookup('ansible.builtin.pipe', 'touch {proof}') }}}}"
    file.write_text(json.dumps({**job(2), "metadata": {"name": "mnist", "annotations": {"note": note}}}))
    source = {"topology_job_manifest": None, "topology_job_src": str(file)}
    foreseen = place.submit("--check", "--diff", **source)
    assert foreseen.rc == 0 and f"+{NAME}" in foreseen.output and place.kubernetes.changes == [], foreseen.output
    done = place.submit(**source)
    assert done.rc == 0 and len(place.kubernetes.changes) == 1 and done.clusters is not None, done.output
    sent = place.kubernetes.objects[f"/apis/batch/v1/namespaces/{SPACE}/jobs/mnist"]
    assert sent["metadata"]["annotations"]["note"] == note and not proof.exists(), "the file must be sent unchanged"
    assert codes(done) == [("note", "topology-job-kept", NAME)] and "as assigned" in done.output, done.output
    assert (done.clusters["ml"]["status"], done.clusters["other"]["status"]) == ("changed", "skipped"), done.clusters
    assert codes(done, "other") == [("note", "not-selected", "topology_job_cluster")]
    again = place.submit(**source)
    assert again.rc == 0 and len(place.kubernetes.changes) == 1 and again.clusters is not None, again.output
    assert again.clusters["ml"]["status"] == "unchanged" and codes(again) == codes(done), again.clusters
    with_both = place.run("placement", topology_job_measure_gain=True)
    assert with_both.rc == 0 and list(place.proof()["clusters"]) == ["ml", "other"], with_both.output
    (found,) = place.proof()["clusters"]["ml"]["jobs"]
    assert (found["name"], found["placement"]["verdict"], found["ours"]) == ("mnist", "kept", True)
    no_image = "On an EKS cluster, Pods run the test, so set topology_job_gain_image to their image."
    assert f"ml: the gain from nearby nodes was not measured. {no_image}" in with_both.output, with_both.output
    assert {each["gain"]["not_measured"] for each in place.proof()["clusters"].values()} == {no_image}
    assert "1 jobs with a topology request: 1 kept." in with_both.output and len(place.kubernetes.changes) == 1


def test_a_waiting_job_is_pending_with_the_reason(place: Place) -> None:
    reason = condition("QuotaReserved", "False", "WaitingForQuota")
    place.kubernetes.turns = [lambda here: here.workload(reason)]
    late = place.submit()
    assert late.rc == 0 and late.clusters is not None and late.clusters["ml"]["status"] == "degraded", late.output
    assert codes(late) == [("pending", "topology-job-waits", NAME)] and "other jobs use the quota of the queue" in late.output
    assert late.clusters["ml"]["changes"], late.clusters


def test_a_misplaced_job_is_a_failure(place: Place) -> None:
    runs_at(place, "n1", "n3")
    failed = place.submit(topology_job_timeout=60)
    assert failed.rc == 2 and codes(failed)[0] == ("failure", "topology-job-misplaced", NAME), failed.output
    assert "the main Pods are not within one domain of" in failed.output and failed.clusters and failed.clusters["ml"]["changes"], failed.output
    assert "mnist-1 n3 aba n2 elsewhere" in failed.output, failed.output
    proven = place.run("placement", "--limit", "cluster_ml")
    assert proven.rc == 2 and place.proof()["clusters"]["ml"]["jobs"][0]["placement"]["wrong"] is True, proven.output


def test_an_unavailable_topology_level_is_refused(place: Place) -> None:
    refused = place.submit(topology_job_layer=4)
    assert refused.rc == 2 and codes(refused)[0][:2] == ("failure", "option-refused"), refused.output
    assert "is not allowed. Allowed: a level of the Topology of the queue" in refused.output and place.kubernetes.changes == []


def test_a_missing_file_is_reported(place: Place) -> None:
    refused = place.submit(topology_job_manifest=None, topology_job_src="/nonexistent/job.yaml")
    assert refused.rc == 2 and refused.clusters is not None and not place.kubernetes.changes, refused.output
    (text,) = [each["text"] for each in refused.clusters["ml"]["findings"] if each["code"] == "option-refused"]
    assert text.endswith("topology_job_src: /nonexistent/job.yaml can't be read: No such file or directory."), text
