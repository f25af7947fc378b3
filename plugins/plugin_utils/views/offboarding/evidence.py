# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result and the evidence of the offboarding."""

from __future__ import annotations

import datetime
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import offboarding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text

from .. import Variables, view
from .user import person


@view
def summary(variables: Variables) -> dict[str, t.Any]:
    """The result for one cluster."""
    hostvars, here = variables["hostvars"], variables["inventory_hostname"]
    nodes = [hostvars[host] for host in variables["groups"][variables["hyperpod_cluster_group"]] if host != here]
    return offboarding.summary(hostvars[here], nodes)


@dataclass(frozen=True)
class Evidence:
    """The evidence for all clusters."""

    found: dict[str, t.Any]
    path: str
    """The path of the files without suffix. It contains the time, so it must be computed once and recorded."""


@view
def evidence(variables: Variables) -> Evidence:
    hostvars, playing = variables["hostvars"], list(variables["ansible_play_hosts_all"])
    hosts = [hostvars[host] for host in variables["ansible_play_hosts"]]
    summaries = [plain(each["__offboarding_summary"]) for each in hosts if "__offboarding_summary" in each]
    done = {each["cluster"] for each in summaries}
    now = datetime.datetime.now(datetime.timezone.utc)
    return Evidence(
        found=offboarding.evidence(
            person(variables).everywhere,
            summaries,
            now.strftime("%Y-%m-%dT%H:%M:%SZ"),
            plain(variables.get("hyperpod_inventory_failures", [])),
            [host for host in playing if host not in done],
            [host for host in variables["groups"]["hyperpod_clusters"] if host not in playing],
        ),
        path=f"{variables['offboarding_evidence_dir']}/{variables['offboarding_name']}-{now.strftime('%Y%m%dT%H%M%SZ')}",
    )


@view
def files(variables: Variables) -> list[dict[str, str]]:
    """The ``path`` and ``content`` of each file."""
    found, path = plain(variables["__offboarding_evidence"]), variables["__offboarding_evidence_path"]
    forms = {"json": json_text(found), "md": offboarding.markdown(found)}
    return [{"path": f"{path}.{form}", "content": text} for form, text in forms.items()]


@dataclass(frozen=True)
class Verdict:
    """The findings about this cluster."""

    left: Findings
    refusals: Findings
    """The finding that the user may still have access to the cluster, or that the request was refused; empty if neither applies."""


@view
def verdict(variables: Variables) -> Verdict:
    found = plain(variables["__offboarding_summary"])
    return Verdict(found["findings"], offboarding.verdict(found, variables["offboarding_name"]))
