# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One description of a job, rendered for each kind."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import known_kind, pod_templates
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Share
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job import manifest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import KINDS, RESTARTABLE

from .described import IMAGE, RUN, desired

SHARE = Share(32, huge_pages=True, memory=2**41)
QUEUED: dict[str, t.Any] = {"queue": "ml", "priority": "low", "topology": "preferred", "level": "x/layer", "namespace": "hyperpod-ns-ml"}
Object = dict[str, t.Any]


def job(kind: str, share: Share = SHARE, **given: t.Any) -> Object:
    return manifest.job(RUN, desired(**given), known_kind(kind), share)


def pod(kind: str, **given: t.Any) -> Object:
    """The specification of its Pods, with the container as the operator completes it."""
    made = job(kind, **given)
    (template,) = pod_templates(known_kind(kind), made)
    spec: Object = template["spec"]
    if kind == "TrainJob":
        trainer = made["spec"]["trainer"]
        of_trainer = {"image": trainer["image"], "args": trainer["args"], "env": trainer["env"], "resources": trainer["resourcesPerNode"]}
        spec = {**spec, "containers": [{**spec["containers"][0], **of_trainer}]}
    return spec


def container(kind: str, **given: t.Any) -> Object:
    (found,) = pod(kind, **given)["containers"]
    return t.cast(Object, found)


@pytest.mark.parametrize("kind", KINDS)
def test_each_pod_takes_a_whole_node(kind: str) -> None:
    spec, one = pod(kind), container(kind)
    terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert [each["matchFields"][0]["values"] for each in terms] == [["a"], ["b"]]
    expected = {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "5120Mi", "memory": "131072Mi"}
    assert one["resources"]["limits"] == expected and one["resources"]["requests"] == {**expected, "cpu": "8"}
    assert one["image"] == IMAGE and {each["key"] for each in spec["tolerations"]} == {"nvidia.com/gpu", "vpc.amazonaws.com/efa"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("memory", "expected"), [(0, ("131072Mi", "65536Mi")), (16 * 2**30, ("16384Mi", "8192Mi"))])
def test_no_more_memory_than_a_node_has(kind: str, memory: int, expected: tuple[str, str]) -> None:
    share = Share(0, memory=memory)
    made = job(kind, share)
    (template,) = pod_templates(known_kind(kind), made)
    resources = made["spec"]["trainer"]["resourcesPerNode"] if kind == "TrainJob" else template["spec"]["containers"][0]["resources"]
    volumes = {each["name"]: each for each in template["spec"]["volumes"]}
    assert (resources["limits"]["memory"], volumes["shared"]["emptyDir"]["sizeLimit"]) == expected
    assert set(resources["limits"]) == {"nvidia.com/gpu", "memory"}


@pytest.mark.parametrize("kind", KINDS)
def test_pods_have_no_privileges(kind: str) -> None:
    spec, one = pod(kind), container(kind)
    assert not {"hostNetwork", "hostPID", "hostIPC", "serviceAccountName"} & set(spec) and "securityContext" not in one
    assert not [each for each in spec["volumes"] if "hostPath" in each]
    assert kind == "TrainJob" or spec["automountServiceAccountToken"] is False


@pytest.mark.parametrize(("claim", "expected"), [(None, {"emptyDir": {}}), ("fsx", {"persistentVolumeClaim": {"claimName": "fsx"}})])
@pytest.mark.parametrize("kind", KINDS)
def test_volumes_are_mounted(kind: str, claim: str | None, expected: Object) -> None:
    given = {"claim": claim, "checkpoint": "c", "namespace": "ml"} if claim else {}
    volumes = {each["name"]: each for each in pod(kind, **given)["volumes"]}
    mounts = {each["name"]: each for each in container(kind, **given)["volumeMounts"]}
    assert volumes["checkpoints"] == {"name": "checkpoints", **expected}
    assert mounts["checkpoints"] == {"name": "checkpoints", "mountPath": "/checkpoints", "subPath": "mlfleet-training"}
    assert volumes["program"]["configMap"] == {"name": f"training-{RUN}"} and mounts["program"]["readOnly"] is True
    assert volumes["shared"]["emptyDir"]["medium"] == "Memory" and mounts["shared"]["mountPath"] == "/dev/shm"


JOB_LAUNCH = (
    *("torchrun", "--nnodes=2", "--nproc-per-node=8", "--max-restarts=0", "--rdzv-backend=c10d"),
    *(f"--rdzv-endpoint=training-{RUN}-0.training-{RUN}:29500", "--rdzv-conf=join_timeout=960,read_timeout=450", f"--rdzv-id={RUN}"),
)
LAUNCHED = {
    "PyTorchJob": ("torchrun",),
    "TrainJob": ("torchrun",),
    "HyperPodPyTorchJob": ("hyperpodrun", "--nnodes=2", "--nproc-per-node=8", "--max-restarts=0"),
    "Job": JOB_LAUNCH,
}


@pytest.mark.parametrize(
    ("given", "every", "directory"),
    [({}, 0, "none"), ({"claim": "fsx", "checkpoint": "c", "namespace": "ml", "checkpoint_every": 5}, 5, "c")],
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_launcher_has_the_expected_arguments(kind: str, given: Object, every: int, directory: str) -> None:
    of_job = ["--steps=8", f"--checkpoint-every={every}", f"--directory=/checkpoints/{directory}", "--deadline=70"]
    launched = container(kind, arguments=["--size=$(A)"], steps=8, timeout=70, **given)
    assert launched["args"] == [*LAUNCHED[kind], "/mlfleet/train.py", *of_job, "--size=$$(A)"]
    assert "command" not in launched


KILLED = {"claim": "fsx", "checkpoint": "c", "namespace": "ml", "steps": 60, "resume_from": 40, "kill": True}
STORE = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"


@pytest.mark.parametrize("kind", RESTARTABLE)
def test_the_launcher_restarts_the_processes_after_one_was_killed(kind: str) -> None:
    made, one = job(kind, **KILLED)["spec"], container(kind, environment={STORE: "0"}, **KILLED)
    assert one["args"].count("--kill-at=55") == 1 and "--checkpoint-every=5" in one["args"]
    restarts = "--max-restarts=3" in one["args"] if kind == "Job" else made["elasticPolicy"]["maxRestarts"] == 3
    assert restarts and {each["name"]: each["value"] for each in one["env"]}[STORE] == "1"
    policy = made["template"]["spec"] if kind == "Job" else made["pytorchReplicaSpecs"]["Worker"]
    limit = made if kind == "Job" else made["runPolicy"]
    assert (policy["restartPolicy"], limit["backoffLimit"]) == ("Never", 0)


@pytest.mark.parametrize(("nodes", "limit"), [(["a", "b"], 4), (["a", "b", "c", "d"], 8)])
def test_containers_restart_after_a_pod_was_deleted(nodes: list[str], limit: int) -> None:
    """The operator ends a job when its containers were restarted as often as the limit: once for each node but one."""
    given = {**KILLED, "kill": False, "replace_pod": True, "nodes": nodes}
    made, one = job("PyTorchJob", **given)["spec"], container("PyTorchJob", **given)
    assert {"--hold-at=55", "--checkpoint-every=5", "--resume"} <= {*one["args"]} and not [each for each in one["args"] if "--kill-at" in each]
    assert made["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] == "OnFailure" and made["elasticPolicy"]["maxRestarts"] == 0
    assert made["runPolicy"]["backoffLimit"] == limit > len(nodes) - 1
    assert "restartPolicy" not in pod("PyTorchJob", **given), "the operator writes it"
    assert STORE not in {each["name"] for each in one["env"]}


def test_the_pod_with_the_rendezvous_is_the_first_one_of_the_operator() -> None:
    assert manifest.rendezvous(RUN) == f"training-{RUN}-worker-0"
    assert "rdzvHost" not in job("PyTorchJob")["spec"]["elasticPolicy"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_job_is_interrupted_by_default(kind: str) -> None:
    one = container(kind, **{**KILLED, "kill": False})
    assert not [each for each in one["args"] if each.startswith(("--kill-at", "--hold-at"))] and "--checkpoint-every=20" in one["args"]
    assert STORE not in {each["name"] for each in one["env"]}


@pytest.mark.parametrize("kind", KINDS)
def test_environment_variables_are_escaped(kind: str) -> None:
    given = {each["name"]: each["value"] for each in container(kind, environment={"A": "$(B)", "NCCL_DEBUG": "WARN"})["env"]}
    assert (given["A"], given["NCCL_DEBUG"], given["OPT_OUT_TRACKING"]) == ("$$(B)", "WARN", "true")


@pytest.mark.parametrize("kind", KINDS)
def test_jobs_have_deadlines(kind: str) -> None:
    spec = job(kind, queue_timeout=60, start_timeout=900, timeout=600)["spec"]
    assert spec.get("runPolicy", spec)["activeDeadlineSeconds"] == 1650
    assert kind == "TrainJob" or spec.get("runPolicy", spec)["ttlSecondsAfterFinished"] == 600


@pytest.mark.parametrize("kind", KINDS)
def test_everything_is_labelled(kind: str) -> None:
    made = job(kind)
    (template,) = pod_templates(known_kind(kind), made)
    labels = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod", "mlfleet.hyperpod/training": RUN}
    for each in (made, manifest.program(RUN, desired()), manifest.service(RUN, desired())):
        assert each["metadata"]["labels"] == labels
        assert (each["metadata"]["name"], each["metadata"]["namespace"]) == (f"training-{RUN}", "mlfleet-training")
    assert template["metadata"]["labels"] == {"mlfleet.hyperpod/training": RUN}


@pytest.mark.parametrize("kind", KINDS)
def test_kueue_finds_its_labels_and_annotations_where_it_reads_them(kind: str) -> None:
    made = job(kind, **QUEUED)
    queue = {"kueue.x-k8s.io/queue-name": "ml", "kueue.x-k8s.io/priority-class": "low"}
    assert queue.items() <= made["metadata"]["labels"].items()
    (template,) = pod_templates(known_kind(kind), made)
    assert queue.items() <= template["metadata"]["labels"].items()
    assert template["metadata"]["annotations"]["kueue.x-k8s.io/podset-preferred-topology"] == "x/layer"
    assert "kueue.x-k8s.io/queue-name" not in job(kind)["metadata"]["labels"]


def test_each_node_gets_one_pod() -> None:
    assert job("PyTorchJob")["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 2
    assert job("HyperPodPyTorchJob")["spec"]["replicaSpecs"][0]["replicas"] == 2
    assert (job("TrainJob")["spec"]["trainer"]["numNodes"], job("TrainJob")["spec"]["trainer"]["numProcPerNode"]) == (2, 8)
    spec = job("Job")["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 2, 2)


def test_no_autoscaler_is_created() -> None:
    policy = job("PyTorchJob")["spec"]["elasticPolicy"]
    assert (policy["rdzvBackend"], policy["minReplicas"], policy["maxReplicas"]) == ("c10d", 2, 2) and "metrics" not in policy


def test_the_registry_secret_is_used() -> None:
    assert pod("Job", pull_secrets=["s"])["imagePullSecrets"] == [{"name": "s"}] and "imagePullSecrets" not in pod("Job")


def test_the_program_is_in_the_config_map() -> None:
    assert manifest.program(RUN, desired())["data"] == {"train.py": "print(1)\n"}


def test_names_of_pods_are_there_before_they_are_ready() -> None:
    spec = manifest.service(RUN, desired())["spec"]
    assert (spec["clusterIP"], spec["publishNotReadyAddresses"]) == ("None", True)
    assert spec["selector"] == {"mlfleet.hyperpod/training": RUN}


def test_nothing_is_restarted() -> None:
    pytorch = job("PyTorchJob")["spec"]
    assert pytorch["pytorchReplicaSpecs"]["Worker"]["restartPolicy"] == "Never" and pytorch["elasticPolicy"]["maxRestarts"] == 0
    assert pytorch["runPolicy"]["backoffLimit"] == 0 and job("HyperPodPyTorchJob")["spec"]["runPolicy"]["jobMaxRetryCount"] == 0
    spec = job("Job")["spec"]
    assert (spec["backoffLimit"], spec["template"]["spec"]["restartPolicy"]) == (0, "Never")


CLAIMED: dict[str, t.Any] = {"claim": "fsx", "checkpoint": "c", "namespace": "ml"}


@pytest.mark.parametrize(
    ("given", "resumes"),
    [
        (CLAIMED, False),
        ({**CLAIMED, "resume_from": 4, "steps": 8}, True),
        ({**CLAIMED, "kill": True}, True),
        ({**CLAIMED, "replace_pod": True}, True),
    ],
)
def test_a_new_job_refuses_a_directory_with_a_checkpoint(given: Object, resumes: bool) -> None:
    assert ("--resume" in container("PyTorchJob", **given)["args"]) is resumes


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_pods_share_a_node(kind: str) -> None:
    (apart,) = pod(kind)["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert apart == {"labelSelector": {"matchLabels": {"mlfleet.hyperpod/training": RUN}}, "topologyKey": "kubernetes.io/hostname"}


@pytest.mark.parametrize("kind", KINDS)
def test_checkpoints_are_removed_only_if_wanted(kind: str) -> None:
    assert "--remove" in container(kind, remove_checkpoints=True, **CLAIMED)["args"] and "--remove" not in container(kind, **CLAIMED)["args"]


@pytest.mark.parametrize(("start_timeout", "join", "read"), [(900, 960, 450), (10, 70, 60), (7200, 7260, 3600)])
def test_launchers_wait_for_nodes_that_pull_the_image(start_timeout: int, join: int, read: int) -> None:
    elastic = job("PyTorchJob", start_timeout=start_timeout)["spec"]["elasticPolicy"]
    assert elastic["rdzvConf"] == [{"key": "join_timeout", "value": str(join)}, {"key": "read_timeout", "value": str(read)}]
    assert f"--rdzv-conf=join_timeout={join},read_timeout={read}" in container("Job", start_timeout=start_timeout)["args"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_launcher_logs_that_it_joins(kind: str) -> None:
    assert {"name": "LOGLEVEL", "value": "INFO"} in container(kind)["env"]
    assert {"name": "LOGLEVEL", "value": "ERROR"} in container(kind, environment={"LOGLEVEL": "ERROR"})["env"]


MODEL: dict[str, t.Any] = {"program": None, "arguments": ["-m", "tune", "--out=$HOME"], "hugging_face_token": "hf_secret_value"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_program_in_the_image_gets_only_its_arguments(kind: str) -> None:
    args = container(kind, **MODEL)["args"]
    assert args[-3:] == ["-m", "tune", "--out=$$HOME"] and args[0] in ("torchrun", "hyperpodrun")
    assert not [each for each in args if each.startswith(("--steps", "--directory", manifest.PROGRAM))]
    assert manifest.program(RUN, desired(**MODEL))["data"] == {}


@pytest.mark.parametrize("kind", KINDS)
def test_the_token_is_a_file_and_nowhere_else(kind: str) -> None:
    spec, one = pod(kind, **MODEL), container(kind, **MODEL)
    (volume,) = [each for each in spec["volumes"] if "secret" in each]
    (mount,) = [each for each in one["volumeMounts"] if each["name"] == volume["name"]]
    assert {each["name"]: each["value"] for each in one["env"]}["HF_TOKEN_PATH"] == f"{mount['mountPath']}/token" and mount["readOnly"]
    assert volume["secret"] == {"secretName": f"training-{RUN}", "defaultMode": 0o444}
    assert "hf_secret_value" not in json.dumps(job(kind, **MODEL))
    assert not [each for each in pod(kind)["volumes"] if "secret" in each]


def test_the_secret_belongs_to_the_config_map() -> None:
    made = manifest.secret(RUN, desired(**MODEL), {"metadata": {"uid": "u-1"}})
    assert made["stringData"] == {"token": "hf_secret_value"} and made["metadata"]["name"] == f"training-{RUN}"
    (owner,) = made["metadata"]["ownerReferences"]
    assert owner == {"apiVersion": "v1", "kind": "ConfigMap", "name": f"training-{RUN}", "uid": "u-1"}
