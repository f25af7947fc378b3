# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client of the control interface (routes.py), for tests and the command line. Standard library only.

The address comes from ``AWS_ENDPOINT_URL``, so it is right wherever boto3 is.
"""

from __future__ import annotations

import functools
import json
import os
import time
import typing as t
import urllib.error
import urllib.request

from lab.names import LabError

DEFAULT_URL = "http://127.0.0.1:5000"


class ControlError(LabError):
    """An error of the control interface."""


@functools.cache
def _opener() -> urllib.request.OpenerDirector:
    """An opener that ignores proxies of the environment. Created once, because each reads all trusted certificates."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Control:
    """One server's control interface."""

    def __init__(self, url: str | None = None) -> None:
        self.url = (url or os.environ.get("AWS_ENDPOINT_URL") or DEFAULT_URL).rstrip("/")

    def calls(self, since: int = 0, **wanted: t.Any) -> list[dict[str, t.Any]]:
        """The log of calls; keywords select by equality: ``calls(service="elbv2", mutating=True)``."""
        entries = self._request("GET", f"/lab/calls?since={since}")
        return [entry for entry in entries if all(entry[key] == value for key, value in wanted.items())]

    def last_sequence(self) -> int:
        """The number with which :meth:`calls` returns only later calls."""
        entries = self.calls()
        return entries[-1]["sequence"] if entries else 0

    def problems(self) -> list[str]:
        """Replies that differ from the model, and failures of the simulator; empty in a good run."""
        return [f"{entry['service']} {entry['operation']}: {p}" for entry in self.calls() for p in entry["problems"]]

    def reset_calls(self) -> None:
        """Clear the log of calls."""
        self._request("POST", "/lab/reset-calls")

    def faults(self, *rules: dict[str, t.Any]) -> list[dict[str, t.Any]]:
        """Add rules; return all active ones with counters."""
        return self._request("POST", "/lab/faults", list(rules)) if rules else self._request("GET", "/lab/faults")

    def clear_faults(self) -> None:
        """Remove all rules; calls that hang or are held continue."""
        self._request("DELETE", "/lab/faults")

    def held(self) -> list[dict[str, t.Any]]:
        """The calls whose replies are held."""
        return self._request("GET", "/lab/held")

    def wait_held(self, count: int = 1, seconds: float = 60) -> list[dict[str, t.Any]]:
        """Wait until ``count`` replies are held.

        :raises TimeoutError: if they are not.
        """
        return self._until(lambda: held if len(held := self.held()) >= count else None, seconds, "no held reply")

    def release(self) -> None:
        """Release the held replies."""
        self._request("POST", "/lab/release")

    def settings(self, **changes: t.Any) -> dict[str, t.Any]:
        """All settings, after changing some."""
        return self._request("POST", "/lab/settings", changes) if changes else self._request("GET", "/lab/settings")

    def nodes(self, cluster: str | None = None, group: str | None = None) -> list[dict[str, t.Any]]:
        """Every node with its address, by group and address."""
        rows = self._request("GET", "/lab/nodes")
        rows = [row for row in rows if cluster in (None, row["cluster"]) and group in (None, row["group"])]
        return sorted(rows, key=lambda row: (row["cluster"], row["group"], row["ip"] or "", row["instance_id"]))

    def eks_nodes(self) -> list[dict[str, t.Any]]:
        """Every instance of every node group of EKS, with what its kubelet registers."""
        return self._request("GET", "/lab/eks-nodes")

    def joined(self, instance_ids: t.Iterable[str]) -> None:
        """Report that instances of node groups are nodes in Kubernetes."""
        self._request("POST", "/lab/eks-nodes", list(instance_ids))

    def events(self) -> list[dict[str, t.Any]]:
        """The events of EventBridge in order, whether or not a rule matches them."""
        return self._request("GET", "/lab/events")

    def put_event(self, event: dict[str, t.Any]) -> None:
        """Put an event on the default bus, as a service of AWS does; EventBridge does not check it."""
        self._request("POST", "/lab/events", event)

    def health(self, instance_id: str, status: str = "Unhealthy", *, action: str = "None", reason: str = "") -> None:
        """Report the health of a node, as HyperPod's health monitoring agent does; HyperPod repairs it by ``Replace`` or ``Reboot``."""
        self._request("POST", "/lab/node-health", {"instance_id": instance_id, "status": status, "action": action, "reason": reason})

    def put_objects(self, bucket: str, folder: str, prefix: str = "") -> int:
        """Put the files of a folder with this prefix into the bucket, without a request for each. Returns their number."""
        return int(self._request("POST", "/lab/objects", {"bucket": bucket, "folder": folder, "prefix": prefix}))

    def power(self, state: str, instance_id: str) -> None:
        """Switch a node ``off`` or ``on``; HyperPod still reports it as Running."""
        self._request("POST", "/lab/power", {state: instance_id})

    def wait_running(self, cluster: str, seconds: float = 120) -> list[dict[str, t.Any]]:
        """Wait until the cluster is InService and all nodes run.

        :raises TimeoutError: if this does not happen.
        """

        def running() -> list[dict[str, t.Any]] | None:
            rows = self.nodes(cluster)
            settled = all(row["status"] == "Running" and row["cluster_status"] == "InService" for row in rows)
            return rows if rows and settled else None

        return self._until(running, seconds, f"cluster {cluster} has not settled")

    def replace(self, instance_id: str, *, seconds: float = 120) -> str:
        """Replace a node as HyperPod does with a faulty one; return the ID of the new node when it runs."""
        return self._afterwards("BatchReplaceClusterNodes", instance_id, seconds)

    def reboot(self, instance_id: str, *, seconds: float = 120) -> str:
        """Reboot a node; return its ID when it runs again."""
        return self._afterwards("BatchRebootClusterNodes", instance_id, seconds)

    def update_software(self, cluster: str, *groups: str, seconds: float = 300) -> list[dict[str, t.Any]]:
        """Wipe the disks of a cluster's nodes; return the nodes when all run."""
        named = {"InstanceGroups": [{"InstanceGroupName": group} for group in groups]} if groups else {}
        region, account = self._home(self.nodes(cluster)[0])
        self._aws("UpdateClusterSoftware", region, account, {"ClusterName": cluster, **named})
        return self.wait_running(cluster, seconds)

    def _afterwards(self, operation: str, instance_id: str, seconds: float) -> str:
        row = next((row for row in self.nodes() if row["instance_id"] == instance_id), None)
        if row is None:
            raise ControlError(f"no node {instance_id}")
        known = {other["instance_id"] for other in self.nodes(row["cluster"])}
        region, account = self._home(row)
        answer = self._aws(operation, region, account, {"ClusterName": row["cluster"], "NodeIds": [instance_id]})
        if answer.get("Failed"):
            raise ControlError(answer["Failed"][0]["Message"])

        def settled() -> str | None:
            now = self.nodes(row["cluster"])
            found = [node for node in now if node["instance_id"] not in known - {instance_id}]
            done = found and found[0]["status"] == "Running" and len(now) == len(known)
            replaced = operation.startswith("BatchReplace")
            return found[0]["instance_id"] if done and (found[0]["instance_id"] != instance_id) == replaced else None

        return self._until(settled, seconds, f"{instance_id} has not come back")

    @staticmethod
    def _home(row: dict[str, t.Any]) -> tuple[str, str]:
        return row["region"], row["account"]

    def _aws(self, operation: str, region: str, account: str, body: dict[str, t.Any]) -> dict[str, t.Any]:
        """A SageMaker call in the account, without boto3 and without a profile."""
        scope = f"Credential=AKIA{account}LAB/20260101/{region}/sagemaker/aws4_request"
        headers = {
            "Content-Type": "application/x-amz-json-1.1",
            "X-Amz-Target": f"SageMaker.{operation}",
            "Authorization": f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature=0",
        }
        return self._request("POST", "/", body, headers)

    def _request(self, method: str, path: str, body: t.Any = None, headers: dict[str, str] | None = None) -> t.Any:
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, content, headers or {}, method=method)
        try:
            with _opener().open(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise ControlError(f"{method} {path}: {error.read().decode(errors='replace')}") from error

    @staticmethod
    def _until(found: t.Callable[[], t.Any], seconds: float, otherwise: str) -> t.Any:
        deadline = time.monotonic() + seconds
        while True:
            result = found()
            if result is not None:
                return result
            if time.monotonic() > deadline:
                raise TimeoutError(f"{otherwise} after {seconds:.0f} s")
            time.sleep(0.1)
