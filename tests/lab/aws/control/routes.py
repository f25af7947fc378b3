# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``/lab/…``: the control interface next to the AWS API, with JSON requests and replies.

===================== ======= ==============================================================
/lab/ready            GET     replies as soon as the server is up
/lab/calls?since=N    GET     the log of calls
/lab/reset-calls      POST    clear it
/lab/faults           GET     the active rules with their counters
/lab/faults           POST    add a rule, or a list of rules
/lab/faults           DELETE  remove all rules; calls that hang or are held continue
/lab/held             GET     calls whose replies are held
/lab/release          POST    release them
/lab/settings         GET     the settings
/lab/settings         POST    change some
/lab/nodes            GET     every node of every cluster, with its address
/lab/eks-nodes        GET     every instance of every node group of EKS, with what its kubelet registers
/lab/eks-nodes        POST    IDs of instances that are nodes in Kubernetes
/lab/power            POST    `off` or `on`, each the id of a node; HyperPod still reports it as Running
/lab/node-health      POST    `instance_id`, `status`, `action` and `reason` of a report of HyperPod's health monitoring agent
/lab/events           GET     the events of EventBridge, whether or not a rule matches them
/lab/events           POST    an event that a service of AWS puts on the default bus of its account and Region
/lab/objects          POST    `bucket`, `folder` and `prefix` of files on the control node that become objects of S3
/lab/token-review     POST    a TokenReview of Kubernetes, answered as EKS does
===================== ======= ==============================================================
"""

from __future__ import annotations

import json
import typing as t
from urllib.parse import parse_qs

from .. import cloud


def application(environ: dict[str, t.Any], start_response: t.Any) -> t.Iterable[bytes]:
    """The WSGI application of the control interface."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    route = (environ["REQUEST_METHOD"], environ["PATH_INFO"].rstrip("/"))
    try:
        body = json.loads(environ["wsgi.input"].read(length) or b"null") if length else None
        query = {key: values[0] for key, values in parse_qs(environ.get("QUERY_STRING", "")).items()}
        if route not in ROUTES:
            status, answer = "404 Not Found", {"error": f"no {' '.join(route)}"}
        else:
            status, answer = "200 OK", ROUTES[route](cloud.current(), body, query)
    except (ValueError, TypeError, KeyError) as error:
        status, answer = "400 Bad Request", {"error": str(error)}
    content = json.dumps(answer, default=str).encode()
    start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(content)))])
    return [content]


def _calls(this_cloud: cloud.Cloud, _body: t.Any, query: dict[str, str]) -> t.Any:
    return this_cloud.calls.since(int(query.get("since", "0")))


def _reset_calls(this_cloud: cloud.Cloud, _body: t.Any, _query: t.Any) -> t.Any:
    this_cloud.calls.reset()
    return {}


def _add_faults(this_cloud: cloud.Cloud, body: t.Any, _query: t.Any) -> t.Any:
    this_cloud.faults.add(body if isinstance(body, list) else [body])
    return this_cloud.faults.listed()


def _clear_faults(this_cloud: cloud.Cloud, _body: t.Any, _query: t.Any) -> t.Any:
    this_cloud.faults.clear()
    return []


def _release(this_cloud: cloud.Cloud, _body: t.Any, _query: t.Any) -> t.Any:
    this_cloud.faults.release()
    return []


def _nodes(_cloud: cloud.Cloud, _body: t.Any, _query: t.Any) -> t.Any:
    from ..sagemaker import every_node

    return every_node()


def _eks_nodes(_cloud: cloud.Cloud, _body: t.Any, _query: t.Any) -> t.Any:
    from ..eks import instances

    return instances.every_node()


def _joined(_cloud: cloud.Cloud, body: t.Any, _query: t.Any) -> t.Any:
    from ..eks import instances

    instances.note_joined(body)
    return []


def _power(this_cloud: cloud.Cloud, body: t.Any, _query: t.Any) -> t.Any:
    verbs = {"off": this_cloud.hosts.power_off, "on": this_cloud.hosts.power_on}
    for verb, instance_id in body.items():
        verbs[verb](instance_id)
    return {}


def _node_health(_cloud: cloud.Cloud, body: t.Any, _query: t.Any) -> t.Any:
    from ..sagemaker import recovery

    recovery.report(**body)
    return {}


def _put_event(_cloud: cloud.Cloud, body: t.Any, _query: t.Any) -> t.Any:
    from ..events import delivery

    delivery.put(body)
    return {}


def _objects(_cloud: cloud.Cloud, body: t.Any, _query: t.Any) -> t.Any:
    from .. import s3

    return s3.fill(**body)


def _review(_cloud: cloud.Cloud, body: t.Any, _query: t.Any) -> t.Any:
    from ..eks import tokens

    return tokens.review(body)


ROUTES: dict[tuple[str, str], t.Callable[[cloud.Cloud, t.Any, dict[str, str]], t.Any]] = {
    ("GET", "/lab/ready"): lambda this_cloud, body, query: {"ready": True},
    ("GET", "/lab/calls"): _calls,
    ("POST", "/lab/reset-calls"): _reset_calls,
    ("GET", "/lab/faults"): lambda this_cloud, body, query: this_cloud.faults.listed(),
    ("POST", "/lab/faults"): _add_faults,
    ("DELETE", "/lab/faults"): _clear_faults,
    ("GET", "/lab/held"): lambda this_cloud, body, query: this_cloud.faults.held(),
    ("POST", "/lab/release"): _release,
    ("GET", "/lab/settings"): lambda this_cloud, body, query: dict(this_cloud.settings),
    ("POST", "/lab/settings"): lambda this_cloud, body, query: this_cloud.change_settings(body),
    ("GET", "/lab/nodes"): _nodes,
    ("GET", "/lab/eks-nodes"): _eks_nodes,
    ("POST", "/lab/eks-nodes"): _joined,
    ("POST", "/lab/power"): _power,
    ("POST", "/lab/node-health"): _node_health,
    ("GET", "/lab/events"): lambda this_cloud, body, query: list(this_cloud.events),
    ("POST", "/lab/events"): _put_event,
    ("POST", "/lab/objects"): _objects,
    ("POST", "/lab/token-review"): _review,
}
