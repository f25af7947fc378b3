# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""verify_training on an EKS cluster without HyperPod: hollow nodes whose instances the simulated EC2 has."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
import yaml
from eks_world import EKS, EKS_ARN, EksWorld, until, workers
from harness import STATE_DIR, Run
from lab.accelerators.story import healthy
from lab.kubernetes.kubelets import Machine
from lab.names import ACCOUNT, REGION
from lab.pods import claims
from steps import step
from training_logs import LOOK, NCCL, STEPS, TRAINING, TYPE, Node, import_logged

pytestmark = pytest.mark.slow

KIND, GROUP, SPACE, EFA = TYPE.removeprefix("ml."), "gpus", "research", 32
IMAGE = "ami-12c6146b"
CHECKS = ("nodes", "health", "nccl", "storage", "train", "resume")
SKIPPED = {"survive": "skipped", "recover": "skipped"}
OFFERS = {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": str(EFA), "hugepages-2Mi": "10256Mi"}
TYPE_LABEL, GROUP_LABEL = "node.kubernetes.io/instance-type", "eks.amazonaws.com/nodegroup"
OWN = {"hyperpod_region": REGION, "hyperpod_profile": "lab", "training_cluster_name": EKS}
"""Variables of the cluster's host."""


class Plain:
    """An EKS cluster with two nodes for training and one for the system."""

    def __init__(self, world: EksWorld, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.ids: dict[str, str] = {}
        """The instance of each node."""

    def join(self, number: int, kind: str, group: str, resources: dict[str, str], efa: int = 0) -> str:
        """Start an instance of a node group, which joins the cluster; returns the node's name."""
        subnet = self.world.subnets[0]
        nics = [{"DeviceIndex": index, "SubnetId": subnet, "InterfaceType": "efa" if efa else "interface"} for index in range(efa or 1)]
        tags = {f"kubernetes.io/cluster/{EKS}": "owned", "eks:cluster-name": EKS, "eks:nodegroup-name": group}
        given = [{"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]
        request = {"ImageId": IMAGE, "InstanceType": kind, "MinCount": 1, "MaxCount": 1}
        made = self.world.aws("ec2").run_instances(**request, NetworkInterfaces=nics, TagSpecifications=given)["Instances"][0]
        name, zone = f"ip-10-1-2-{number}.{REGION}.compute.internal", made["Placement"]["AvailabilityZone"]
        self.ids[name] = made["InstanceId"]
        labels = {TYPE_LABEL: kind, GROUP_LABEL: group, "topology.kubernetes.io/zone": zone}
        self.world.kubelets.add(Machine(name, labels, resources=resources, provider_id=f"aws:///{zone}/{made['InstanceId']}"))
        return name

    def definitions(self, **hosts: dict[str, str]) -> str:
        """The path of an inventory with these definitions."""
        path = self.folder / f"{'-'.join(hosts)}.yml"
        path.write_text(yaml.safe_dump({"hyperpod_definitions": {"hosts": hosts}}))
        return str(path)

    def verify(self, *arguments: str, inventory: t.Sequence[str] = (), **variables: t.Any) -> Run:
        given = {"claim": "fsx", "namespace": SPACE, "steps": STEPS, **variables}
        values = json.dumps({f"verify_training_{name}": value for name, value in given.items()})
        sources = [part for each in (inventory or [self.definitions(plain=OWN)]) for part in ("-i", each)]
        return self.world.world.playbook("verify_training", *sources, "-e", values, *arguments)

    def left(self) -> list[str]:
        kinds = "configmaps,services,pods,jobs,pytorchjobs"
        return [each for label in (LOOK, NCCL, TRAINING) for each in self.world.kubectl("get", "-A", "-o", "name", kinds, "-l", label).stdout.split()]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Plain]:
    import_logged()
    with EksWorld() as world:
        world.training.start()
        world.api.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        claims.claim(world.api, SPACE, "fsx", shared=True)
        made = Plain(world, tmp_path_factory.mktemp("plain"))
        try:
            for number in (1, 2):
                made.join(number, KIND, GROUP, OFFERS, EFA)
            made.join(3, "m5.large", "system", {})
            until(lambda: len(world.seen("nodes")["items"]) == 3)
            yield made
        finally:
            world.aws("ec2").terminate_instances(InstanceIds=[*made.ids.values()])


def document(key: str = "plain") -> t.Any:
    return json.loads((STATE_DIR / "verify_training.json").read_text())["clusters"][key]


def verdicts() -> dict[str, str]:
    return {each["name"]: each["verdict"] for each in document()["checks"]} | {"": document()["verdict"]}


def test_a_cluster_without_hyperpod_is_verified(plain: Plain, tmp_path: Path) -> None:
    world, (first, second) = plain.world, sorted(plain.ids)[:2]
    with step("check mode reads the nodes and starts no Pods"):
        world.reset_changes()
        planned = plain.verify("--check")
        assert planned.rc == 0 and "A PyTorchJob would run on 2 nodes." in planned.log and world.changes() == [], planned.log
        assert "2 nodes of p5.48xlarge, with 8 GPUs each: their price is unknown." in planned.output and "Could not match" not in planned.output
        assert planned.cluster("plain")["status"] == "unchanged" and planned.report["clusters"].keys() == {"plain"}, planned.report

    with step("all checks pass, and the report has the cluster under the name of its host"):
        world.logs.programs.update({name: Node(world, healthy(TYPE), tmp_path) for name in (first, second)})
        done = plain.verify("-vvv", "--diff")
        assert done.rc == 0 and "k8s-aws-v1." not in done.output, done.log
        assert verdicts() == {**dict.fromkeys(("", *CHECKS), "passed"), **SKIPPED}, done.log
        found = document()
        assert (found["arn"], found["account"], found["instance_type"]) == (EKS_ARN, ACCOUNT, KIND)
        assert "466 GB/s bus bandwidth over EFA" in done.output and plain.left() == []
        reported = done.cluster("plain")
        assert (reported["status"], reported["arn"], reported["region"]) == ("unchanged", EKS_ARN, REGION), reported
        assert {each["code"] for each in reported["findings"]} >= {"training-passed"}
        assert 'name="plain' in (STATE_DIR / "verify_training.xml").read_text() and "plain" in (STATE_DIR / "verify_training.html").read_text()

    with step("again, without a change"):
        again = plain.verify()
        assert again.rc == 0 and again.changed == 0 and again.cluster("plain")["status"] == "unchanged", again.log

    with step("a node group without GPUs, and one that has no nodes"):
        for group, words in (("system", "No node with GPUs exists"), ("other", "No node is in the node group other.")):
            none = plain.verify("--check", groups=[group])
            assert none.rc == 2 and words in none.log and none.cluster("plain")["status"] == "failed", none.log


def test_nodes_that_ec2_does_not_confirm_are_reported(plain: Plain) -> None:
    world, first = plain.world, min(plain.ids)
    with step("an unknown node with GPUs is not verified, unless node groups are chosen"):
        stranger = Machine("stranger", {TYPE_LABEL: KIND}, resources=OFFERS, provider_id="aws:///us-west-2a/i-00000000000000bad")
        world.kubelets.add(stranger)
        found = plain.verify("--check")
        assert found.rc == 2 and "stranger (EC2 has no instance i-00000000000000bad)" in found.log, found.log
        chosen = plain.verify("--check", groups=[GROUP])
        assert chosen.rc == 0 and "A PyTorchJob would run on 2 nodes." in chosen.log, chosen.log
        world.kubelets.remove("stranger")

    with step("a node whose label contradicts EC2 prevents the training"):
        path = f"/api/v1/nodes/{first}"
        world.api.merge(path, {"metadata": {"labels": {GROUP_LABEL: "other"}}})
        world.reset_changes()
        lies = plain.verify()
        assert lies.rc == 2 and f"Nodes contradict EC2: {first}: The label with the node group contains other" in lies.log, lies.log
        assert verdicts()["nodes"] == "failed" and world.changes() == [] and plain.left() == []
        world.api.merge(path, {"metadata": {"labels": {GROUP_LABEL: GROUP}}})


def test_bad_variables_are_refused_before_any_request(plain: Plain) -> None:
    world = plain.world.world
    world.reset_calls()
    for wrong, words in (
        ({"hyperpod_region": ""}, "hyperpod_region: missing; set it to the Region of training_cluster_name."),
        ({"training_cluster_name": "a b"}, "training_cluster_name: a b is not allowed"),
        ({"verify_training_image": "A b"}, "verify_training_image: A b is not allowed"),
    ):
        refused = plain.verify("--check", inventory=[plain.definitions(plain={**OWN, **wrong})])
        assert refused.rc == 2 and words in refused.log, refused.log
    misspelt = plain.verify("--check", clam="fsx")
    assert misspelt.rc == 2 and "did you mean verify_training_claim?" in misspelt.log, misspelt.log
    assert world.calls() == []
    gone = plain.verify("--check", inventory=[plain.definitions(plain={**OWN, "training_cluster_name": "gone"})])
    assert gone.rc == 2 and "DescribeCluster for EKS cluster gone failed; check the name and the Region" in gone.log, gone.log
    unnamed = plain.verify("--check", inventory=[plain.definitions(plain={"hyperpod_region": REGION})])
    assert unnamed.rc == 2 and "For an EKS cluster without HyperPod, set training_cluster_name" in unnamed.log, unnamed.log


def test_clusters_with_and_without_hyperpod_are_verified_together(plain: Plain) -> None:
    world = plain.world
    world.hyperpod("ml", [workers(GROUP, 1, TYPE)])
    node = "hyperpod-"
    until(lambda: any(each["metadata"]["name"].startswith(node) for each in world.seen("nodes")["items"]))
    (name,) = (each["metadata"]["name"] for each in world.seen("nodes")["items"] if each["metadata"]["name"].startswith(node))
    world.api.merge(f"/api/v1/nodes/{name}/status", {"status": {"capacity": OFFERS, "allocatable": OFFERS}})
    both = [str(Path(world.paths.repo, "inventories/lab/hyperpod.yml")), plain.definitions(plain=OWN, later={"hyperpod_region": REGION})]
    with step("both are verified, and a definition of something else is ignored"):
        done = plain.verify("--check", inventory=both, groups=[GROUP])
        assert done.rc == 0 and done.report["clusters"].keys() == {"ml", "plain"}, done.log
        assert "would run on 2 nodes." in done.log and "would run on 1 node." in done.log and "later" not in done.output
    for arguments in (["--limit", "plain"], ["-e", "hyperpod_only=plain"]):
        with step(f"{' '.join(arguments)} selects one of them"):
            one = plain.verify("--check", *arguments, inventory=both, groups=[GROUP])
            assert one.rc == 0 and one.report["clusters"].keys() == {"plain"}, one.log
    with step("hyperpod_only selects the other one"):
        other = plain.verify("--check", "-e", "hyperpod_only=ml", inventory=both, groups=[GROUP])
        assert other.rc == 0 and other.report["clusters"].keys() == {"ml"}, other.log
    with step("a name of no cluster is refused"):
        refused = plain.verify("--check", "-e", "hyperpod_only=later", inventory=both)
        assert refused.rc == 2 and "hyperpod_only: later is not allowed" in refused.log, refused.log
