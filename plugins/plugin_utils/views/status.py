# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role status."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import (
    client_vpn_certificates,
    last_runs,
    status as of_clusters,
    status_page,
)
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.variables import default_values
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events import places
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reasons import failure_reason
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from . import Variables, view


@dataclass(frozen=True)
class Names:
    """Names of optional parts of the cluster."""

    load_balancer: str
    target_group: str
    drained: list[str]
    more: list[str]
    """Task files for the optional parts that are configured."""
    events: str
    """The rule and the queue for events, as the role events names them."""
    reads_events: bool
    """Whether the current host reads the events of its account and Region for all clusters there."""


@view
def names(variables: Variables) -> Names:
    records = (variables.get("hyperpod_run") or {}).get("records") or {}
    adopted = (records.get("adopted") or {}).get("balancer") or {}
    own = variables["status_balancer_name"]
    configured = (("cluster/vpn.yml", variables["status_client_vpn"]), ("cluster/known.yml", variables["status_host_certificates"]))
    return Names(
        load_balancer=(adopted.get("load_balancer") or {}).get("name") or own,
        target_group=(adopted.get("target_group") or {}).get("name") or own,
        drained=list(records.get("drained") or {}),
        more=[name for name, wanted in configured if wanted],
        events=str(variables.get("events_queue_name") or default_values("events")["events_queue_name"]),
        reads_events=places.first_host(variables) == variables["inventory_hostname"],
    )


@dataclass(frozen=True)
class Unread:
    """Failed reads with their reasons, for a rescue section. Each field adds a read that just failed to the earlier ones."""

    host_certificates: list[dict[str, str]]
    client_vpn: list[dict[str, str]]


@view
def unread(variables: Variables) -> Unread:
    before = plain(variables.get("__status_not_read") or [])
    reason = failure_reason(variables["ansible_failed_result"])
    return Unread(*([*before, {"part": part, "reason": reason}] for part in ("host certificates", "the client VPN")))


@view
def ready(variables: Variables) -> bool:
    """Whether the run may connect to nodes of the current host's cluster."""
    cluster = variables["hostvars"][fleet.cluster_host(variables["group_names"], variables["groups"])]
    return bool((cluster.get("hyperpod_run") or {}).get("ready"))


@view
def status(variables: Variables) -> dict[str, t.Any]:
    hostvars, groups = variables["hostvars"], variables["groups"]
    own = set(groups[variables["hyperpod_cluster_group"]])
    nodes = [hostvars[host] for host in groups.get("node_type_login", ()) if host in own]
    last = last_runs.last_run(variables["hyperpod_state_dir"], variables["hyperpod_cluster_key"])
    read = hostvars[places.first_host(variables)].get("__status_events") or {}
    minutes = variables.get("events_alert_minutes") or default_values("events")["events_alert_minutes"]
    events = of_clusters.Events(plain(read.get("event_queue")), int(minutes))
    return of_clusters.cluster_status(hostvars[variables["inventory_hostname"]], nodes, events, now=_now(), last_run=last)


@view
def certificates(variables: Variables) -> dict[str, str]:
    """The expiry times for the report of the run, keyed by name (``verdict.CERTIFICATES``)."""
    pki = ((variables.get("hyperpod_run") or {}).get("vpn_status") or {}).get("pki") or {}
    hosts = [each["ends"] for node in variables["__status_reported"]["login_nodes"] for each in node["certificates"]]
    return {**client_vpn_certificates.first_ends(pki), **({"host": min(hosts)} if hosts else {})}


@view
def page(variables: Variables) -> Printed:
    return printed(status_page.page(plain(variables["__status_reported"])))


@view
def file(variables: Variables) -> str:
    """The JSON file with the status of all clusters."""
    hosts = [variables["hostvars"][host] for host in variables["ansible_play_hosts"]]
    clusters = [plain(each["__status_reported"]) for each in hosts if "__status_reported" in each]
    content = {"schema": 2, "created": _now(), "clusters": {each["cluster"]: each for each in clusters}}
    return json_text(content)


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
