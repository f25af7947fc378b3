"""Task governance by the playbook: creation for two teams, changes of quotas, rights to submit, and removal."""

from __future__ import annotations

import contextlib
import json
import typing as t
from pathlib import Path

import pytest
from eks_world import EKS, EksWorld, until
from fleet_page import fleet_report, stored_in
from governed import ABSENT, INSTANCES, P5, RESEARCH, VISION, Governed, printed
from harness import STATE_DIR, Run
from kueue_place import LAYER, pytorch_job
from lab.aws import permissions
from lab.kueue.governance import ADDON
from lab.kueue.script import Admits
from steps import step

pytestmark = pytest.mark.slow
DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")
OUR_KINDS = {"roles", "rolebindings", "clusterroles", "clusterrolebindings"}
"""All kinds that this collection changes in Kubernetes."""


@pytest.fixture(scope="module")
def governed() -> t.Iterator[Governed]:
    with EksWorld("1.34") as world:
        yield Governed(world)


@contextlib.contextmanager
def read_only(governed: Governed) -> t.Iterator[None]:
    """All profiles have only read access to AWS; no call in the block may be denied."""
    world = governed.world.world
    world.settings(policies=permissions.documented("read-only"))
    governed.forget()
    yield
    assert [each for each in world.calls() if each["error"] in DENIED] == []
    world.settings(policies=permissions.documented())


def allowing(group: str) -> list[t.Any]:
    """The documented policies with one more group in the condition on access entries, as in docs/reference/iam.md."""
    documents = permissions.documented()
    for statement in [each for document in documents for each in document["Statement"] if each.get("Sid") == "MakeSubmitters"]:
        statement["Condition"]["ForAllValues:StringLike"]["eks:kubernetesGroups"].append(group)
    return documents


def test_a_run_creates_everything_for_two_teams(governed: Governed) -> None:
    pods = governed.world
    with step("a run without declarations fails, and changes nothing"):
        governed.refuses("hyperpod_teams is not set for any cluster of this run, so nothing was done.", hyperpod_teams=[], task_governance_scheduler={})

    with step("invalid input is refused before anything changes"):
        governed.refuses("hyperpod_teams[0].name: 'Research' is not allowed.", hyperpod_teams=[{"name": "Research"}])
        governed.refuses("hyperpod_teams[0].submitters: 'alice' is not allowed.", hyperpod_teams=[{"name": "a", "submitters": ["alice"]}])
        governed.refuses("did you mean resources?", hyperpod_teams=[{"name": "a", "resource": []}])
        governed.refuses(f"the cluster has {INSTANCES}, and quotas of other teams guarantee 2", hyperpod_teams=governed.teams(2, 2))
        governed.refuses("the cluster has no instance group of that type", hyperpod_teams=[
            {"name": "a", "resources": [{"instance_type": "ml.g5.8xlarge", "count": 1}]}
        ])
        governed.refuses("v9.9.9", task_governance_addon_version="v9.9.9-eksbuild.1")
        governed.refuses("task_governance_confirm: missing", task_governance_state="absent")

    with step("check and diff, by a person with read access"):
        with read_only(governed):
            planned = governed.run("--check", "--diff", hyperpod_profile="onlooker")
        assert planned.rc == 0 and governed.calls() == [] and pods.changes() == [], planned.log
        for line in (
            f"Team research: gets a quota; gains 2 instances of {P5} (0 before, 2 after); {governed.people['alice']} may submit.",
            f"+add-on {ADDON}",
            "+compute quota vision of team vision",
            "+Role hyperpod-ns-research/mlfleet-hyperpod-submitters",
            f"+access entry {governed.people['bob']}",
        ):
            assert line in printed(planned), (line, planned.log)

    with step("the run creates everything"):
        governed.forget()
        done = governed.run()
        assert done.rc == 0 and done.status == "changed", done.log
        assert governed.counts() == {"research": 2, "vision": 1}
        assert {resource for _verb, resource, _name in pods.changes()} == OUR_KINDS, pods.changes()
        assert pods.seen("localqueue", f"{RESEARCH}-localqueue", "-n", RESEARCH)["spec"]["clusterQueue"] == f"{RESEARCH}-clusterqueue"
        assert {each["metadata"]["name"] for each in pods.seen("workloadpriorityclasses")["items"]} == {"training-priority", "tests-priority"}
        assert governed.groups() == {"alice": ["mlfleet-hyperpod:research"], "bob": ["mlfleet-hyperpod:vision"]}

    with step("a second run changes nothing"):
        governed.unchanged()


def test_quotas_and_their_use_are_in_the_fleet_report(governed: Governed, tmp_path: Path) -> None:
    """HyperPod has created the queues. Kueue has reported the use of one of them."""
    pods, file = governed.world, STATE_DIR / "governance.json"
    used, counts = [{"name": "nvidia.com/gpu", "total": "8", "borrowed": "0"}], {"pendingWorkloads": 3, "reservingWorkloads": 1}
    status = {name: [{"name": P5, "resources": used}] for name in ("flavorsUsage", "flavorsReservation")}
    queues = pods.governance.kueue.path("clusterqueues")
    pods.api.merge(f"{queues}/{RESEARCH}-clusterqueue/status", {"status": {**status, **counts, "admittedWorkloads": 1}})

    def read(run: Run) -> list[dict[str, t.Any]]:
        assert run.rc == 0 and run.changed == 0, run.log
        (cluster,) = json.loads(file.read_text())["governance"].values()
        assert (cluster["arn"], cluster["failure"]) == (governed.arn, "")
        teams: list[dict[str, t.Any]] = cluster["teams"]
        return teams

    with step("a run that changes nothing, and check mode by a person with read access, write the file"):
        research, vision = found = read(governed.run(*stored_in(tmp_path)))
        file.unlink()
        with read_only(governed):
            assert read(governed.run("--check", hyperpod_profile="onlooker")) == found
    with step("the file has the quotas that AWS returns, and the use that Kueue reports"):
        assert [(each["team"], each["quota"][0]["instance_type"], each["quota"][0]["count"]) for each in found] == [
            ("research", P5, 2),
            ("vision", P5, 1),
        ]
        gpus = {"flavor": P5, "resource": "nvidia.com/gpu"}
        (amounts,) = research["use"].pop("resources")
        assert amounts == {**gpus, "quota": 16, "used": 8, "borrowed": 0, "reserved": 8}
        assert research["use"] == {"state": "read", "why": "", "pending_workloads": 3, "reserving_workloads": 1, "admitted_workloads": 1}
        (amounts,) = vision["use"].pop("resources")
        assert amounts == {**gpus, "quota": 8, "used": None, "borrowed": None, "reserved": None}
        assert set(vision["use"].values()) == {"read", "", None}, vision
    with step("the fleet report shows them"):
        _made, shown = fleet_report(pods.world, tmp_path, "quotas")
        assert f"research 2 instances of {P5} 8 of 16 nvidia.com/gpu in {P5} 1 3" in shown, shown
        assert f"vision 1 instances of {P5} not known of 8 nvidia.com/gpu in {P5} not known not known" in shown, shown


def test_submitters_have_rights_only_in_the_namespace_of_their_team(governed: Governed) -> None:
    pods = governed.world
    with step("a submitter works in the namespace of the team"):
        for resource in ("jobs.batch", "pytorchjobs.kubeflow.org", "pods", "configmaps"):
            governed.wait_until_may("alice", "create", resource, RESEARCH)
        made = pods.kubectl("create", "job", "mine", "--image=registry.k8s.io/pause:3.10", "-n", RESEARCH, profile="alice")
        assert made.returncode == 0, made.stderr
        assert pods.kubectl("get", "localqueues", "-n", RESEARCH, profile="alice").returncode == 0
        assert pods.kubectl("get", "workloadpriorityclasses", profile="alice").returncode == 0
        assert pods.kubectl("get", "nodes", profile="alice").returncode == 0, "the labels of nodes prove the placement of a job"
        assert pods.kubectl("get", "clusterqueue", f"{RESEARCH}-clusterqueue", profile="alice").returncode == 0
        assert pods.kubectl("delete", "job", "mine", "-n", RESEARCH, profile="alice").returncode == 0

    with step("the submitter has no rights elsewhere, and reads no secrets"):
        refused = pods.kubectl("get", "secrets", "-n", RESEARCH, profile="alice")
        assert refused.returncode and "cannot list resource" in refused.stderr, refused
        for verb, resource, space in (
            ("get", "secrets", RESEARCH),
            ("create", "pods/exec", RESEARCH),
            ("patch", "workloads.kueue.x-k8s.io", RESEARCH),
            ("create", "rolebindings.rbac.authorization.k8s.io", RESEARCH),
            ("create", "jobs.batch", VISION),
            ("get", "pods", VISION),
            ("create", "jobs.batch", "default"),
            ("patch", "nodes", RESEARCH),
        ):
            assert not governed.may("alice", verb, resource, space), (verb, resource, space)
        assert pods.kubectl("get", "clusterqueue", f"{VISION}-clusterqueue", profile="alice").returncode

    with step("secrets are readable only while a variable allows it"):
        assert governed.run(task_governance_secrets=True).changed == 1
        governed.wait_until_may("alice", "get", "secrets", RESEARCH)
        assert not governed.may("alice", "get", "secrets", VISION)
        assert governed.run().changed == 1
        governed.wait_until_may("alice", "get", "secrets", RESEARCH, allowed=False)


def test_a_team_submits_and_proves_the_placement_of_its_job(governed: Governed) -> None:
    """Only with the rights that the playbook has granted; the levels are those of the flavors of its queue."""
    pods, name = governed.world, f"PyTorchJob {RESEARCH}/llama"
    until(lambda: len(pods.seen("nodes")["items"]) == INSTANCES)
    nodes = sorted(each["metadata"]["name"] for each in pods.seen("nodes")["items"])
    for node, last in zip(nodes, ("nn-31", "nn-31", "nn-32")):
        labels = {f"{LAYER}{number}": each for number, each in enumerate(("nn-1", "nn-21", last), start=1)}
        pods.api.merge(f"/api/v1/nodes/{node}", {"metadata": {"labels": labels}})
    pods.governance.kueue.script["llama"] = [Admits({"master": nodes[:1], "worker": nodes[:2]})]
    about = {"topology_job_placement": "required", "topology_job_layer": 3, "topology_job_priority_class": "training-priority"}
    given = {"topology_job_manifest": pytorch_job("llama"), **about, "topology_job_timeout": 180, "hyperpod_profile": "alice"}

    def submit(team: str) -> Run:
        return pods.world.playbook("submit", "-e", json.dumps({**given, "topology_job_team": team}))

    with step("a job in the queue of the team, with proven placement"):
        done = submit("research")
        assert done.rc == 0 and f"{name} is placed as requested: the worker Pods are in nn-31 (2)" in printed(done), done.log
        made = pods.seen("pytorchjob", "llama", "-n", RESEARCH)["metadata"]["labels"]
        assert made["kueue.x-k8s.io/queue-name"] == f"{RESEARCH}-localqueue"
    with step("a job in the queue of another team is refused"):
        refused = submit("vision")
        assert refused.rc == 2 and "was answered with 403" in printed(refused), refused.log
        assert pods.seen("pytorchjobs", "-n", VISION)["items"] == []
    assert pods.kubectl("delete", "pytorchjob", "llama", "-n", RESEARCH, profile="alice").returncode == 0


def test_our_modules_return_what_the_aws_command_shows(governed: Governed) -> None:
    cluster_options = {"cluster_arn": governed.arn, "region": "us-west-2"}
    quotas = governed.world.module("compute_quota_info", {**cluster_options, "details": True})["compute_quotas"]
    listed = governed.aws("sagemaker", "list-compute-quotas", "--cluster-arn", governed.arn)["ComputeQuotaSummaries"]
    assert {(each["compute_quota_id"], each["version"], each["status"]) for each in quotas} == {
        (each["ComputeQuotaId"], each["ComputeQuotaVersion"], each["Status"]) for each in listed
    }
    (config,) = governed.world.module("cluster_scheduler_config_info", {**cluster_options, "details": True})["cluster_scheduler_configs"]
    argv = ("describe-cluster-scheduler-config", "--cluster-scheduler-config-id", config["cluster_scheduler_config_id"])
    classes = governed.aws("sagemaker", *argv)["SchedulerConfig"]["PriorityClasses"]
    assert config["priority_classes"] == [{"name": each["Name"], "weight": each["Weight"]} for each in classes]
    eks_options = {"eks_cluster": EKS, "region": "us-west-2"}
    (addon,) = governed.world.module("eks_addon_info", {**eks_options, "name": ADDON})["eks_addons"]
    seen = governed.aws("eks", "describe-addon", "--cluster-name", EKS, "--addon-name", ADDON)["addon"]
    assert (addon["addon_arn"], addon["version"], addon["status"]) == (seen["addonArn"], seen["addonVersion"], seen["status"])
    entries = governed.world.module("eks_access_entry_info", eks_options)["eks_access_entries"]
    assert [each["principal_arn"] for each in entries] == governed.aws("eks", "list-access-entries", "--cluster-name", EKS)["accessEntries"]


def test_the_aws_command_shows_the_pod_identity_association(governed: Governed) -> None:
    role, pods = "arn:aws:iam::111111111111:role/hyperpod-pods-research", {"namespace": RESEARCH, "service_account": "train"}
    eks_options = {"eks_cluster": EKS, "region": "us-west-2"}
    made = governed.world.module("eks_pod_identity_association", {**eks_options, **pods, "role_arn": role, "tags": {"team": "research"}})
    assert made["changed"], made
    cluster_arguments = ("--cluster-name", EKS)
    (found,) = governed.world.module("eks_pod_identity_association_info", {**eks_options, **pods})["eks_pod_identity_associations"]
    listed = governed.aws("eks", "list-pod-identity-associations", *cluster_arguments, "--namespace", RESEARCH)["associations"]
    assert [each["associationId"] for each in listed if each["serviceAccount"] == "train"] == [found["association_id"]]
    argv = ("describe-pod-identity-association", *cluster_arguments, "--association-id", found["association_id"])
    seen = governed.aws("eks", *argv)["association"]
    names = {"association_arn": "associationArn", "namespace": "namespace", "service_account": "serviceAccount", "role_arn": "roleArn"}
    assert {name: found[name] for name in names} == {name: seen[aws_name] for name, aws_name in names.items()}
    assert (found["role_arn"], found["tags"], found["disable_session_tags"]) == (role, seen["tags"], seen["disableSessionTags"])
    gone = governed.world.module("eks_pod_identity_association", {**eks_options, **pods, "state": "absent"})
    assert gone["changed"], gone
    assert governed.aws("eks", "list-pod-identity-associations", *cluster_arguments, "--namespace", RESEARCH)["associations"] == []


def test_quotas_change_and_people_move_between_teams(governed: Governed) -> None:
    pods = governed.world
    moved = [governed.team("research", 1), governed.team("vision", 2, "alice", "bob", fair_share_weight=40)]
    ids = {team: each["ComputeQuotaId"] for team, each in governed.quotas().items()}
    with step("check mode reports the changes"):
        planned = governed.run("--check", "--diff", hyperpod_teams=moved)
        assert planned.rc == 0, planned.log
        for line in (f"loses 1 instances of {P5} (2 before, 1 after)", f"gains 1 instances of {P5} (1 before, 2 after)"):
            assert line in printed(planned), planned.log
        assert f"{governed.people['alice']} may no longer submit" in printed(planned) and governed.counts() == {"research": 2, "vision": 1}
    with step("quotas shrink before others grow"):
        governed.forget()
        done = governed.run(hyperpod_teams=moved)
        assert done.rc == 0 and governed.counts() == {"research": 1, "vision": 2}, done.log
        updates = [each for each in pods.world.calls(mutating=True) if each["operation"] == "UpdateComputeQuota"]
        assert [each["arguments"]["ComputeQuotaId"] for each in updates] == [ids["research"], ids["vision"]], updates
        assert governed.groups() == {"alice": ["mlfleet-hyperpod:vision"], "bob": ["mlfleet-hyperpod:vision"]}
        governed.wait_until_may("alice", "create", "jobs.batch", RESEARCH, allowed=False)
        governed.wait_until_may("alice", "create", "jobs.batch", VISION)
    with step("a second run changes nothing"):
        governed.unchanged(hyperpod_teams=moved)
    with step("a group that another person added stays"):
        both = {"kubernetesGroups": ["mlfleet-hyperpod:vision", "other"]}
        governed.eks.update_access_entry(clusterName=EKS, principalArn=governed.people["alice"], **both)
        refused = governed.run()
        assert refused.rc == 2 and "UpdateAccessEntry for access entry" in printed(refused) and "AccessDenied" in printed(refused), refused.log
        pods.world.settings(policies=allowing("other"))
        assert governed.run().rc == 0
        pods.world.settings(policies=permissions.documented())
        assert sorted(governed.groups()["alice"]) == ["mlfleet-hyperpod:research", "other"]
        governed.eks.update_access_entry(clusterName=EKS, principalArn=governed.people["alice"], kubernetesGroups=["mlfleet-hyperpod:research"])
        governed.unchanged()


def test_concurrent_changes_of_quotas_are_kept(governed: Governed) -> None:
    with step("the change of another person is kept"):
        with governed.while_it_updates(hyperpod_teams=governed.teams(1, 2)) as result:
            vision = governed.quotas()["vision"]
            about = {"ComputeQuotaId": vision["ComputeQuotaId"], "TargetVersion": vision["ComputeQuotaVersion"]}
            governed.sagemaker.update_compute_quota(**about, Description="of another person")
            done = result()
        assert done.rc == 0 and governed.counts() == {"research": 1, "vision": 2}, done.log
        assert governed.quotas()["vision"]["Description"] == "of another person"
    with step("instances that another team takes are reported, and the next run continues"):
        with governed.while_it_updates() as result:
            target = {"TeamName": "other"}
            config = {"ComputeQuotaResources": [{"InstanceType": P5, "Count": 1}]}
            governed.sagemaker.create_compute_quota(Name="other", ClusterArn=governed.arn, ComputeQuotaTarget=target, ComputeQuotaConfig=config)
            governed.wait_for_quota("other")
            late = result()
        assert late.rc == 2 and "(other 1, vision 1)" in printed(late), late.log
        assert governed.counts() == {"research": 1, "vision": 1, "other": 1}
        more = governed.run(hyperpod_teams=[*governed.teams(), {"name": "other", "state": "absent"}])
        assert more.rc == 0 and governed.counts() == {"research": 2, "vision": 1}, more.log
    governed.unchanged()


def test_a_run_waits_for_the_namespace_of_a_team(governed: Governed) -> None:
    third = [*governed.teams(1, 1), governed.team("late", 1, "bob")]
    governed.world.governance.held.add("late")
    late = governed.run(hyperpod_teams=third, task_governance_ready_timeout=5)
    assert late.rc == 2 and "without namespace hyperpod-ns-late" in printed(late), late.log
    assert "mlfleet-hyperpod:late" not in governed.groups()["bob"]
    governed.world.governance.held.clear()
    assert governed.run(hyperpod_teams=third).rc == 0
    assert governed.groups()["bob"] == ["mlfleet-hyperpod:late", "mlfleet-hyperpod:vision"]
    gone = [*governed.teams(), {"name": "late", "state": "absent"}]
    done = governed.run(hyperpod_teams=gone)
    assert done.rc == 0 and governed.counts() == {"research": 2, "vision": 1}, done.log
    assert governed.groups()["bob"] == ["mlfleet-hyperpod:vision"]
    until(lambda: governed.world.kubectl("get", "namespace", "hyperpod-ns-late").returncode != 0)
    governed.unchanged(hyperpod_teams=gone)


def test_absent_removes_everything_in_order(governed: Governed) -> None:
    pods = governed.world
    with step("check mode reports what would be removed"):
        governed.forget()
        planned = governed.run("--check", task_governance_state="absent")
        assert planned.rc == 0 and governed.calls() == [] and "loses its quota" in printed(planned), planned.log
    with step("quotas that are not declared keep the scheduler configuration and the add-on"):
        only = governed.run(hyperpod_teams=governed.teams()[:1], task_governance_remove_addon=True, **ABSENT)
        assert only.rc == 0 and only.status == "degraded" and "does not name stay (vision)" in printed(only), only.log
        assert governed.counts() == {"vision": 1} and governed.groups() == {"bob": ["mlfleet-hyperpod:vision"]}
        until(lambda: pods.kubectl("get", "namespace", RESEARCH).returncode != 0)
    with step("everything except the add-on, in an order that AWS accepts"):
        governed.forget()
        done = governed.run(**ABSENT)
        assert done.rc == 0 and done.status == "changed", done.log
        order = [each for each in governed.calls() if each.lower().startswith("delete") and "Parameter" not in each]
        assert order == ["DELETE access-entries", "DeleteComputeQuota", "DeleteClusterSchedulerConfig"], order
        assert governed.quotas() == {} and governed.groups() == {}
        assert ADDON in governed.eks.list_addons(clusterName=EKS)["addons"]
        ours = ("clusterroles", "clusterrolebindings", "--selector=app.kubernetes.io/managed-by=mlfleet.hyperpod")
        assert [pods.seen(kind, ours[-1])["items"] for kind in ours[:-1]] == [[], []]
    with step("a second run changes nothing"):
        governed.unchanged(**ABSENT)
    with step("the add-on, only if a variable requests it"):
        assert governed.run(task_governance_remove_addon=True, **ABSENT).rc == 0
        assert governed.eks.list_addons(clusterName=EKS)["addons"] == []
        until(lambda: pods.kubectl("get", "deployment", "kueue-controller-manager", "-n", "kueue-system").returncode != 0)
    with step("a cluster without task governance can be deleted"):
        governed.sagemaker.delete_cluster(ClusterName="ml")
