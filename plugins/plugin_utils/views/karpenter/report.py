# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts for reports: the result of a proof, and Karpenter's status page."""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import karpenter_page
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view


@dataclass(frozen=True)
class Proven:
    """The result in ``__karpenter_proof``."""

    price: Findings
    timeline: Findings


@view
def proven(variables: Variables) -> Proven:
    found = plain(variables["__karpenter_proof"])
    pool, price = found["node_pool"], found["price"]["told"]
    steps = "; ".join(f"{each['step']} {round(each['seconds'])} s" for each in found["timeline"])
    times = {name: round(found[f"seconds_{name}"] or 0) for name in ("up", "down")}
    return Proven(
        price=finding("karpenter-proof-price", pool=pool, instance_type=found["instance_type"], price=price),
        timeline=finding("karpenter-proven", pool=pool, group=found["instance_group"], timeline=steps, **times),
    )


@dataclass(frozen=True)
class Page:
    """The status page from ``__karpenter_seen``."""

    text: Printed
    findings: Findings


@view
def page(variables: Variables) -> Page:
    seen = plain(variables["__karpenter_seen"])
    gone = [
        one
        for each in seen["node_classes"]
        for group in each["missing_groups"]
        for one in finding("karpenter-group-gone", group=group, node_class=each["name"])
    ]
    waiting = [
        one
        for each in seen["waiting"][: karpenter_page.MOST]
        for one in finding("karpenter-waits", pod=each["pod"], text=each["text"], next_step=each["next_step"])
    ]
    more = karpenter_page.counted(each["cause"] for each in seen["waiting"][karpenter_page.MOST :])
    if more:
        waiting += finding("karpenter-waits-more", count=len(seen["waiting"]) - karpenter_page.MOST, causes=more)
    return Page(printed(karpenter_page.page(seen, now=iso_now())), [*gone, *waiting])


SCHEMA = 1
NOT_READ = "The run failed before it read Karpenter."


@view
def cost_files(variables: Variables) -> list[dict[str, str]]:
    """The file with the cost of all clusters of the run; none if its path is empty."""
    if not variables["karpenter_json"]:
        return []
    hostvars, asked = variables["hostvars"], {*variables["ansible_play_hosts_all"]}
    hosts = [host for host in variables["groups"][fleet.CLUSTERS] if host in asked]
    found = {host: _cost(hostvars[host]) for host in hosts}
    path = os.path.join(variables["hyperpod_state_dir"], str(variables["karpenter_json"]))
    return [{"path": path, "content": json_text({"schema": SCHEMA, "created": iso_now(), "karpenter": found})}]


def _cost(cluster: Variables) -> dict[str, t.Any]:
    seen = plain(cluster.get("__karpenter_seen") or {})
    about = {"arn": str(cluster["hyperpod_cluster_arn"]), "failure": "" if "price" in seen else NOT_READ}
    if about["failure"]:
        return about
    price = seen["price"]
    return {
        **about,
        "nodes": len(seen["node_claims"]),
        "per_hour": price["total_per_hour"],
        "currency": price["currency"],
        "without_price": price["unknown"],
        "waiting_pods": len(seen["waiting"]),
    }
