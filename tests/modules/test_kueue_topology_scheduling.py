# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kueue_topology_scheduling with a manager of Kueue in memory that exits, as Kueue does, if a gate is on without its parent gate."""

from __future__ import annotations

import typing as t

import pytest
import yaml
from unit.module_utils._karpenter.proof.api_server import Server, kubeconfig

PARENT, STAMP, BEFORE = "TopologyAwareScheduling", "kubectl.kubernetes.io/restartedAt", "mlfleet.hyperpod/before"
NEEDS_PARENT = (
    *("TASProfileMixed", "TASFailedNodeReplacement", "TASFailedNodeReplacementFailFast", "TASReplaceNodeOnPodTermination"),
    *("TASReplaceNodeOnNodeTaints", "TASHandleOverlappingFlavors", "TASMultiLayerTopology"),
    "TASRecomputeAssignmentWithinSchedulingCycle",
)
FILE = """\
# as the add-on leaves it
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
featureGates:
  PartialAdmission: true

integrations:
  frameworks: [batch/job]  # and others
"""
Object = dict[str, t.Any]


class Kueue:
    """``pause``: reads of the Deployment until a new pod is available. ``knows``: gates without which it starts."""

    def __init__(self, tag: str = "v1.6.0-eksbuild.1", text: str = FILE) -> None:
        self.tag = tag
        self.text = text
        self.annotations: dict[str, str] = {}
        self.args: list[str] = []
        self.version = 1
        self.stamp: str | None = None
        self.pause = 0
        self.starts_never = False
        self.pools: list[Object] = []
        self.patched: list[str] = []
        self.refused: list[int] = []
        self.overtaken = 0
        self.running = True
        self.written, self.started = 0, 1
        """Seconds at which another client wrote the file and at which the manager started."""
        self.reads: list[t.Callable[[], t.Any]] = []
        """Functions to call after each read of the file, in this order."""

    @property
    def gates(self) -> dict[str, bool]:
        return dict((yaml.safe_load(self.text) or {}).get("featureGates") or {})

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, t.Any]:
        path = target.partition("?")[0]
        kind = path.rpartition("/")[2]
        if method == "PATCH":
            assert body is not None
            if self.refused:
                return self.refused.pop(0), {"message": "it is refused"}
            if kind == "kueue-manager-config":
                return self._write(body)
            self.patched.append("restart")
            self.stamp = body["spec"]["template"]["metadata"]["annotations"][STAMP]
            self.running, self.pause, self.started = self._starts(), 2, self.written + 1
        elif kind == "nodepools":
            return 200, {"items": self.pools}
        elif kind == "pods":
            return 200, {"items": [] if self.running else [self._crashing()]}
        elif kind == "kueue-manager-config":
            entry = {"manager": "eks", "time": f"2026-11-26T10:00:{self.written:02}Z", "fieldsV1": {"f:data": {}}}
            meta = {"resourceVersion": str(self.version), "annotations": dict(self.annotations), "managedFields": [entry]}
            config_map = {"metadata": meta, "data": {"other.yaml": "a: b", "controller_manager_config.yaml": self.text}}
            if self.reads:
                self.reads.pop(0)()
            return 200, config_map
        return 200, self._deployment()

    def _write(self, body: Object) -> tuple[int, t.Any]:
        if self.overtaken:
            self.overtaken -= 1
            self.version += 1
        if body["metadata"].get("resourceVersion", str(self.version)) != str(self.version):
            return 409, {"message": "the object has been modified"}
        self.version += 1
        self.patched.append("write" if "data" in body else "annotate")
        for name, value in body["metadata"]["annotations"].items():
            self.annotations.pop(name, None)
            self.annotations.update({} if value is None else {name: value})
        self.text = body.get("data", {}).get("controller_manager_config.yaml", self.text)
        return 200, {}

    def rewritten(self) -> None:
        """By somebody else."""
        self.text, self.version = f"{self.text}# theirs\n", self.version + 1

    def _starts(self) -> bool:
        gates = self.gates
        return not self.starts_never and (gates.get(PARENT, True) or all(gates.get(name) is False for name in NEEDS_PARENT))

    def _deployment(self) -> Object:
        self.pause = max(0, self.pause - 1)
        available = int(self.running and not self.pause)
        container = {"image": f"registry.example:5000/kueue:{self.tag}", "args": self.args}
        template = {"metadata": {"annotations": {STAMP: self.stamp} if self.stamp else {}}, "spec": {"containers": [container]}}
        rollout = {"type": "Progressing", "lastUpdateTime": f"2026-11-26T10:00:{self.started:02}Z"}
        status = {"observedGeneration": 3, "replicas": 1, "updatedReplicas": 1, "availableReplicas": available, "conditions": [rollout]}
        meta = {"name": "kueue-controller-manager", "generation": 3}
        return {"metadata": meta, "spec": {"replicas": 1, "template": template}, "status": status}

    def _crashing(self) -> Object:
        ended = {"terminated": {"exitCode": 1, "message": "TASProfileMixed requires TopologyAwareScheduling to be enabled\n"}}
        status = {"state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": ended}
        meta = {"name": "kueue-1", "ownerReferences": [{"name": "kueue-controller-manager-55"}], "annotations": {STAMP: self.stamp}}
        return {"metadata": meta, "status": {"containerStatuses": [status]}}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"state": "paused"}, "value of state must be one of: enabled, disabled"),
        ({"kueue_version": "19"}, "kueue_version: '19' is not allowed. Allowed: a release of Kueue, such as 0.19.2."),
        ({"wait_timeout": 9}, "wait_timeout: 9 is not allowed"),
        ({"poll_interval": 0}, "poll_interval: 0 is not allowed"),
    ],
)
def test_bad_input_is_refused_before_any_request(simulator, given, message):
    refused = simulator.run("kueue_topology_scheduling", **{"state": "disabled", **given})
    assert refused["failed"] and message in refused["msg"], refused


@pytest.fixture
def kueue():
    return Kueue()


@pytest.fixture
def options(kueue, tmp_path):
    with Server(kueue) as kubernetes:
        yield {"kubeconfig": kubeconfig(kubernetes, tmp_path), "poll_interval": 1, "state": "disabled"}


def test_disabled_and_enabled_again(simulator, kueue, options):
    foreseen = simulator.run("kueue_topology_scheduling", check=True, **options)
    assert foreseen["changed"] and kueue.patched == [] and foreseen["topology_scheduling"]["enabled"] is False, foreseen
    done = simulator.run("kueue_topology_scheduling", **options)
    assert done["changes"] == foreseen["changes"] and done["diff"] == foreseen["diff"], done
    assert kueue.patched == ["write", "restart", "annotate"] and kueue.annotations == {}
    assert done["topology_scheduling"] == foreseen["topology_scheduling"] and done["topology_scheduling"]["kueue_version"] == "0.19.2"
    assert kueue.gates == {"PartialAdmission": True, PARENT: False, **dict.fromkeys(NEEDS_PARENT, False)}
    assert "# as the add-on leaves it" in kueue.text and "[batch/job]  # and others" in kueue.text
    assert not simulator.run("kueue_topology_scheduling", **options)["changed"] and len(kueue.patched) == 3

    back = simulator.run("kueue_topology_scheduling", **{**options, "state": "enabled"})
    assert back["topology_scheduling"]["enabled"] is True and kueue.gates == {"PartialAdmission": True}, back
    assert yaml.safe_load(kueue.text) == yaml.safe_load(FILE)


def test_the_file_is_restored_if_the_manager_does_not_start(simulator, kueue, options):
    failed = simulator.run("kueue_topology_scheduling", kueue_version="0.14.0", **options)
    assert failed["failed"] and "TASProfileMixed requires TopologyAwareScheduling to be enabled" in failed["msg"], failed
    assert "The manager's file was restored and the manager is ready again. Nothing has changed." in failed["msg"]
    assert (kueue.text, kueue.annotations, kueue.running) == (FILE, {}, True)


@pytest.mark.slow
def test_a_manager_that_does_not_start_with_the_restored_file(simulator, kueue, options):
    kueue.starts_never = True
    failed = simulator.run("kueue_topology_scheduling", **options)
    assert failed["failed"] and "The manager's file was restored, but the manager does not become ready: " in failed["msg"], failed
    assert kueue.text == FILE and kueue.annotations == {BEFORE: FILE}
    kueue.starts_never = False
    done = simulator.run("kueue_topology_scheduling", **options)
    assert done["changed"] and done["topology_scheduling"]["enabled"] is False and kueue.annotations == {}, done


@pytest.mark.slow
def test_a_started_change_is_completed(simulator, kueue, options):
    kueue.refused = [500, 500, 500]
    assert simulator.run("kueue_topology_scheduling", **options)["failed"] and kueue.text == FILE
    kueue.refused = []
    done = simulator.run("kueue_topology_scheduling", **options)
    written = kueue.text
    kueue.annotations = {BEFORE: FILE}
    second = simulator.run("kueue_topology_scheduling", **options)
    assert [each["field"] for each in second["changes"]] == ["restarted"] and kueue.text == written and kueue.annotations == {}, second
    assert done["changed"]


@pytest.mark.slow
def test_a_file_of_the_add_on_is_waited_for_until_the_manager_runs_with_it(simulator, kueue, options):
    gates = {"PartialAdmission": True, PARENT: False, **dict.fromkeys(NEEDS_PARENT, False)}
    kueue.text, kueue.written = f"{FILE.partition('featureGates')[0]}{yaml.safe_dump({'featureGates': gates})}", 5
    kueue.pause = 3  # the add-on may restart it as well
    done = simulator.run("kueue_topology_scheduling", **options)
    assert [each["field"] for each in done["changes"]] == ["restarted"] and kueue.patched == ["restart"], done
    kueue.pause = 3
    second = simulator.run("kueue_topology_scheduling", **options)
    assert not second["changed"] and kueue.patched == ["restart"] and kueue.pause == 0, "the module waited for the manager"
    kueue.starts_never, kueue.written = True, 9
    failed = simulator.run("kueue_topology_scheduling", **options)
    assert failed["failed"] and "This run had not changed the manager's file." in failed["msg"], failed


@pytest.mark.slow
def test_a_concurrent_write_of_the_file(simulator, kueue, options):
    kueue.overtaken = 1
    assert simulator.run("kueue_topology_scheduling", **options)["changed"] and kueue.gates[PARENT] is False
    kueue.overtaken = 9
    refused = simulator.run("kueue_topology_scheduling", **{**options, "state": "enabled"})
    assert refused["failed"] and "keeps changing concurrently" in refused["msg"], refused


def test_a_write_after_the_read_is_not_lost(simulator, kueue, options):
    kueue.reads = [kueue.rewritten]
    assert simulator.run("kueue_topology_scheduling", **options)["changed"] and kueue.gates[PARENT] is False
    assert "# theirs" in kueue.text


def test_a_write_during_the_restart_is_not_overwritten(simulator, kueue, options):
    kueue.starts_never = True
    kueue.reads = [lambda: None, lambda: None, kueue.rewritten]
    failed = simulator.run("kueue_topology_scheduling", **options)
    assert failed["failed"] and "The manager's file was changed concurrently and was not restored" in failed["msg"], failed
    assert kueue.text.endswith("# theirs\n") and kueue.gates[PARENT] is False


@pytest.mark.slow
def test_unsafe_changes_are_refused(simulator, kueue, options):
    kueue.pools = [{"metadata": {"name": "gpus"}}]
    for change, back, message in (
        (("args", ["--feature-gates=A=true"]), ("args", []), "started with --feature-gates"),
        (("text", "a: b"), ("text", FILE), "has no configuration of Kueue"),
        (("running", False), ("running", True), "is not ready, even before the change: 1 of 1 Pods are new, and 0 are available"),
        (("tag", "main"), ("tag", "v0.19.2"), "kueue_version: missing, and image registry.example:5000/kueue:main"),
    ):
        setattr(kueue, *change)
        refused = simulator.run("kueue_topology_scheduling", **options)
        assert refused["failed"] and message in refused["msg"] and kueue.patched == [], refused
        assert (refused["topology_scheduling"]["installed"], refused["topology_scheduling"]["node_pools"]) == (True, ["gpus"])
        setattr(kueue, *back)
    simulator.run("kueue_topology_scheduling", **options)
    kueue.annotations, kueue.args = {BEFORE: FILE}, ["--feature-gates=A=true"]
    refused = simulator.run("kueue_topology_scheduling", **options)
    assert refused["failed"] and "started with --feature-gates" in refused["msg"], "the started change is not complete, and the file cannot complete it"
    kueue.annotations, kueue.args = {}, []
    refused = simulator.run("kueue_topology_scheduling", **{**options, "state": "enabled"})
    assert refused["failed"] and "NodePools exist (gpus)" in refused["msg"], refused


@pytest.mark.slow
def test_without_kueue_nothing_is_disabled(simulator, kueue, options):
    kueue.answer = lambda method, path, body: (404, {})
    result = simulator.run("kueue_topology_scheduling", **options)
    assert not result["changed"] and result["topology_scheduling"]["installed"] is False, result
    refused = simulator.run("kueue_topology_scheduling", **{**options, "state": "enabled"})
    assert refused["failed"] and "Kueue, which schedules by topology, is not installed" in refused["msg"]
