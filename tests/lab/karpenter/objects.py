# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that managed Karpenter writes into Kubernetes: conditions, events, NodeClaims."""

from __future__ import annotations

import datetime
import secrets
import typing as t

from lab.kubernetes.api import Api, ApiError, Object
from lab.kubernetes.hyperpod_nodes import GROUP

from .placing import Offer

POOL, CAPACITY_TYPE = "karpenter.sh/nodepool", "karpenter.sh/capacity-type"
FINALIZER, CLASS_FINALIZER = "karpenter.sh/termination", "karpenter.sagemaker.amazonaws.com/termination"
OF_HYPERPOD = "karpenter.sagemaker.amazonaws.com"
CLASSES = f"/apis/{OF_HYPERPOD}/v1/hyperpodnodeclasses"
POOLS, CLAIMS = "/apis/karpenter.sh/v1/nodepools", "/apis/karpenter.sh/v1/nodeclaims"
Conditions = t.Mapping[str, tuple[bool, str, str]]
"""Status, reason and message by type."""


def name_of(item: Object) -> str:
    return str(item["metadata"]["name"])


def leaving(item: Object) -> bool:
    return "deletionTimestamp" in item["metadata"]


def of_hyperpod(item: Object) -> bool:
    """Whether a NodePool or NodeClaim belongs to HyperPod, and not to a self-managed Karpenter."""
    of_node = item["spec"].get("template", item)["spec"]
    return bool(of_node["nodeClassRef"]["group"] == OF_HYPERPOD)


def holds(item: Object, condition: str) -> bool:
    return any(each["type"] == condition and each["status"] == "True" for each in (item.get("status") or {}).get("conditions") or ())


def waits(pod: Object) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return not leaving(pod) and any(each.get("reason") == "Unschedulable" for each in conditions)


def update_status(api: Api, path: str, item: Object, conditions: Conditions, **more: t.Any) -> None:
    """Write conditions and other fields of the status if they differ."""
    status = item.setdefault("status", {})
    current = {each["type"]: each for each in status.get("conditions") or ()}
    made = dict(current)
    for kind, (holding, reason, message) in conditions.items():
        fields = {"status": str(holding), "reason": reason, "message": message or reason}
        with_generation = {**fields, "observedGeneration": item["metadata"]["generation"]}
        before = current.get(kind, {})
        if {name: before.get(name) for name in with_generation} != with_generation:
            since = before["lastTransitionTime"] if before.get("status") == fields["status"] else now()
            made[kind] = {"type": kind, **with_generation, "lastTransitionTime": since}
    wanted = {"conditions": list(made.values()), **more}
    if any(status.get(name) != value for name, value in wanted.items()):
        status.update(wanted)
        api.merge(f"{path}/{name_of(item)}/status", {"status": wanted})


def finalizers(api: Api, path: str, item: Object, names: t.Sequence[str]) -> None:
    if list(item["metadata"].get("finalizers") or ()) != list(names):
        item["metadata"]["finalizers"] = list(names)
        api.merge(f"{path}/{name_of(item)}", {"metadata": {"finalizers": list(names)}})


class Events:
    """Events; each is created once."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self._sent: set[tuple[str, str, str]] = set()

    def __call__(self, about: Object, kind: str, reason: str, message: str) -> None:
        meta = about["metadata"]
        if (meta["uid"], reason, message) in self._sent:
            return
        self._sent.add((meta["uid"], reason, message))
        space = meta.get("namespace", "default")
        event = {
            "metadata": {"name": f"{meta['name']}.{secrets.token_hex(8)}"},
            "involvedObject": {"kind": kind, "name": meta["name"], "namespace": meta.get("namespace", ""), "uid": meta["uid"]},
            "reason": reason, "message": message, "type": "Warning", "source": {"component": "karpenter"},
            "count": 1, "firstTimestamp": now(), "lastTimestamp": now(),
        }
        self.api.create(f"/api/v1/namespaces/{space}/events", event)


def claim(pool: Object, offer: Offer, requests: t.Mapping[str, float]) -> Object:
    """A NodeClaim for an offer of a pool."""
    template = pool["spec"]["template"]["spec"]
    owner = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "name": name_of(pool), "uid": pool["metadata"]["uid"]}
    wanted = [{"key": key, "operator": "In", "values": [value]} for key, value in sorted(offer.labels.items())]
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {
            "name": f"{name_of(pool)}-{secrets.token_hex(3)}",
            "labels": {**offer.labels, POOL: name_of(pool), CAPACITY_TYPE: "on-demand", GROUP: offer.group},
            "finalizers": [FINALIZER],
            "ownerReferences": [{**owner, "blockOwnerDeletion": True}],
        },
        "spec": {
            "nodeClassRef": template["nodeClassRef"],
            "requirements": wanted,
            "resources": {"requests": {name: f"{value:g}" for name, value in requests.items()}},
            "taints": list(offer.taints),
            "expireAfter": template.get("expireAfter", "720h"),
        },
    }


def ignore_missing(call: t.Callable[[], object]) -> None:
    """Ignore that an object was removed or changed concurrently; the next turn reads it again."""
    try:
        call()
    except ApiError as error:
        if error.status not in (404, 409):
            raise


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
