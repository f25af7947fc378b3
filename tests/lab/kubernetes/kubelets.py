# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the kubelets of many nodes: Node objects with Leases; bound pods run, and end if they should.

Annotations of a pod control it: ``lab/run-seconds`` (2, for pods that may end), ``lab/exit-code`` and ``lab/start-seconds``
(0.2). The image pause runs until the pod's deadline; images whose names begin with ``unpullable`` do not exist.
"""

from __future__ import annotations

import dataclasses
import datetime
import heapq
import itertools
import re
import threading
import time
import typing as t

from .api import Api, ApiError, Object

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
PODS = "/api/v1/pods?fieldSelector=spec.nodeName!="
HEARTBEAT_SECONDS = 10.0
PAUSE = re.compile(r"(.*/)?pause(:.*)?")
UNPULLABLE = "unpullable"
VERSION = "v1.32.3-eks-lab"


@dataclasses.dataclass(frozen=True)
class Machine:
    """Data of a node that its kubelet registers."""

    name: str
    labels: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    taints: t.Sequence[Object] = ()
    resources: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    provider_id: str = ""
    address: str = "127.0.0.1"
    version: str = VERSION
    """That of its kubelet."""

    @property
    def capacity(self) -> dict[str, str]:
        return {"cpu": "192", "memory": "2Ti", "pods": "110", "ephemeral-storage": "500Gi", **self.resources}


class Kubelets:
    """Machines are added with :meth:`add` and removed with :meth:`remove`; annotations of pods control their states."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.machines: dict[str, Machine] = {}
        self.lock = threading.Lock()
        self._pods: dict[str, dict[str, t.Any]] = {}
        self._due: list[tuple[float, int, str, str, Object]] = []
        self._turn = itertools.count()
        self._wake = threading.Condition()
        self._ended = threading.Event()

    def start(self) -> None:
        for work in (self._heartbeats, self._watch, self._clock, self._clock):
            threading.Thread(target=work, daemon=True).start()

    def stop(self) -> None:
        self._ended.set()

    def add(self, machine: Machine) -> None:
        with self.lock:
            self.machines[machine.name] = machine  # pods may already be bound to it
        self.api.create("/api/v1/nodes", node_of(machine))
        self.condition(machine, "Ready", "True", "KubeletReady")
        spec = {"holderIdentity": machine.name, "leaseDurationSeconds": 40, "renewTime": _now(fraction=True)}
        lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": machine.name}, "spec": spec}
        self.api.create(LEASES, lease)

    def remove(self, name: str) -> None:
        """Remove a machine and its Node, as HyperPod does; controllers delete its pods."""
        with self.lock:
            self.machines.pop(name, None)
        for path in (f"/api/v1/nodes/{name}", f"{LEASES}/{name}"):
            ignore_missing(lambda path=path: self.api.delete(path))

    def condition(self, machine: Machine, kind: str, status: str, reason: str) -> None:
        """Set a condition among those of a healthy node."""
        well = {"MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False", "Ready": "True", kind: status}
        conditions = [
            {"type": each, "status": value, "reason": reason, "message": "", "lastHeartbeatTime": _now(), "lastTransitionTime": _now()}
            for each, value in well.items()
        ]
        addresses = [{"type": "InternalIP", "address": machine.address}, {"type": "Hostname", "address": machine.name}]
        status_of = {
            "capacity": machine.capacity,
            "allocatable": machine.capacity,
            "conditions": conditions,
            "addresses": addresses,
            "nodeInfo": {**_INFO, "kubeletVersion": machine.version, "kubeProxyVersion": machine.version},
        }
        self.api.merge(f"/api/v1/nodes/{machine.name}/status", {"status": status_of})

    def _heartbeats(self) -> None:
        while not self._ended.wait(HEARTBEAT_SECONDS):
            for name in list(self.machines):
                ignore_missing(lambda name=name: self.api.merge(f"{LEASES}/{name}", {"spec": {"renewTime": _now(fraction=True)}}))

    def _watch(self) -> None:
        while not self._ended.is_set():
            try:
                for event in self.api.watch(PODS):
                    if event["type"] == "DELETED":
                        self._pods.pop(event["object"]["metadata"]["uid"], None)
                    else:
                        self._consider(event["object"])
            except (OSError, ApiError):
                self._ended.wait(1)

    def _consider(self, pod: Object) -> None:
        if pod["spec"]["nodeName"] not in self.machines:
            return
        uid = pod["metadata"]["uid"]
        if uid not in self._pods:
            turn = next(self._turn)
            self._pods[uid] = {"ip": f"10.245.{turn // 250 % 250}.{turn % 250 + 1}", "began": _now(), "leaving": False, "stuck": False}
            if pod["status"].get("phase") == "Pending":
                self._later(float(_note(pod, "start-seconds", "0.2")), "start", pod)
        if self._pods[uid]["stuck"] and not _unpullable(pod):  # the image was changed
            self._pods[uid]["stuck"] = False
            self._later(0.2, "start", pod)
        if pod["metadata"].get("deletionTimestamp") and not self._pods[uid]["leaving"]:
            self._pods[uid]["leaving"] = True
            self._later(0.2, "delete", pod)

    def _later(self, seconds: float, action: str, pod: Object) -> None:
        with self._wake:
            heapq.heappush(self._due, (time.monotonic() + seconds, next(self._turn), pod["metadata"]["uid"], action, pod))
            self._wake.notify()

    def _clock(self) -> None:
        while not self._ended.is_set():
            with self._wake:
                wait = self._due[0][0] - time.monotonic() if self._due else 1.0
                if wait > 0:
                    self._wake.wait(min(wait, 1.0))
                    continue
                _moment, _turn, uid, action, pod = heapq.heappop(self._due)
            if uid in self._pods:
                ignore_missing(lambda action=action, pod=pod: self._act(action, pod))

    def _act(self, action: str, pod: Object) -> None:
        uid = pod["metadata"]["uid"]
        deadline = pod["spec"].get("activeDeadlineSeconds")
        if action == "start" and deadline:
            self._later(float(deadline), "deadline", pod)
        if action == "start" and _unpullable(pod):
            self._pods[uid]["stuck"] = True
            self._wait(pod, "ErrImagePull")
            self._complain(pod)
            self._later(0.5, "back off", pod)
        elif action == "back off":
            if self._pods[uid]["stuck"]:
                self._wait(pod, "ImagePullBackOff")
        elif action == "start":
            self._pods[uid]["began"] = _now()
            self._report(pod, "Running", 0)
            if pod["spec"].get("restartPolicy") != "Always" and not all(map(PAUSE.fullmatch, _images(pod))):
                self._later(float(_note(pod, "run-seconds", "2")), "end", pod)
        elif action == "deadline":
            status = {"phase": "Failed", "reason": "DeadlineExceeded", "message": "Pod was active on the node longer than the specified deadline"}
            self.api.merge(f"{_path(pod)}/status", {"status": status})
        elif action == "end":
            code = int(_note(pod, "exit-code", "0"))
            self._report(pod, "Failed" if code else "Succeeded", code)
        else:
            self.api.delete(_path(pod), {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}})
            self._pods.pop(uid, None)

    def _report(self, pod: Object, phase: str, code: int) -> None:
        record, runs = self._pods[pod["metadata"]["uid"]], phase == "Running"
        ended = {"exitCode": code, "reason": "Error" if code else "Completed", "startedAt": record["began"], "finishedAt": _now()}
        state = {"running": {"startedAt": record["began"]}} if runs else {"terminated": ended}
        self._write(pod, phase, runs, lambda _image: state)

    def _wait(self, pod: Object, reason: str) -> None:
        def state(image: str) -> Object:
            missing = image.startswith(UNPULLABLE)
            waiting = {"reason": reason, "message": f'image "{image}": not found'} if missing else {"reason": "ContainerCreating"}
            return {"waiting": waiting}

        self._write(pod, "Pending", False, state)

    def _complain(self, pod: Object) -> None:
        """Create the event of a kubelet for an image that cannot be pulled."""
        meta, image = pod["metadata"], next(image for image in _images(pod) if image.startswith(UNPULLABLE))
        event = {
            "metadata": {"generateName": f"{meta['name']}."},
            "involvedObject": {"kind": "Pod", "name": meta["name"], "namespace": meta["namespace"], "uid": meta["uid"]},
            "reason": "Failed", "message": f'Failed to pull image "{image}": not found', "type": "Warning",
            "source": {"component": "kubelet", "host": pod["spec"]["nodeName"]},
            "count": 1, "firstTimestamp": _now(), "lastTimestamp": _now(),
        }
        self.api.create(f"/api/v1/namespaces/{meta['namespace']}/events", event)

    def _write(self, pod: Object, phase: str, runs: bool, state: t.Callable[[str], Object]) -> None:
        record = self._pods[pod["metadata"]["uid"]]
        flags = {"Initialized": True, "PodScheduled": True, "Ready": runs, "ContainersReady": runs}
        status = {
            "phase": phase,
            "podIP": record["ip"],
            "podIPs": [{"ip": record["ip"]}],
            "startTime": record["began"],
            "conditions": [{"type": each, "status": str(value), "lastTransitionTime": _now()} for each, value in flags.items()],
            "containerStatuses": [
                {
                    "name": container["name"],
                    "image": container["image"],
                    "imageID": "" if phase == "Pending" else container["image"],
                    "containerID": "" if phase == "Pending" else f"lab://{pod['metadata']['uid']}",
                    "ready": runs,
                    "started": runs,
                    "restartCount": 0,
                    "state": state(container["image"]),
                }
                for container in pod["spec"]["containers"]
            ],
        }
        self.api.merge(f"{_path(pod)}/status", {"status": status})


_INFO = {
    "osImage": "Amazon Linux 2023", "kernelVersion": "6.1",
    "containerRuntimeVersion": "containerd://1.7", "architecture": "amd64", "operatingSystem": "linux",
    "machineID": "", "systemUUID": "", "bootID": "",
}


def node_of(machine: Machine) -> Object:
    """A Node as registered by a kubelet, without its status."""
    labels = {"kubernetes.io/hostname": machine.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", **machine.labels}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": machine.name, "labels": labels},
        "spec": {"taints": list(machine.taints), "providerID": machine.provider_id},
    }


def ignore_missing(call: t.Callable[[], object]) -> None:
    """Ignore that an object was deleted concurrently."""
    try:
        call()
    except (ApiError, OSError) as error:
        if getattr(error, "status", 404) not in (404, 409):
            raise


def _note(pod: Object, name: str, otherwise: str) -> str:
    return (pod["metadata"].get("annotations") or {}).get(f"lab/{name}", otherwise)


def _images(pod: Object) -> list[str]:
    return [str(container["image"]) for container in pod["spec"]["containers"]]


def _unpullable(pod: Object) -> bool:
    return any(image.startswith(UNPULLABLE) for image in _images(pod))


def _path(pod: Object) -> str:
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def _now(*, fraction: bool = False) -> str:
    form = "%Y-%m-%dT%H:%M:%S.%fZ" if fraction else "%Y-%m-%dT%H:%M:%SZ"
    return datetime.datetime.now(datetime.timezone.utc).strftime(form)
