# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The placements of all clusters' jobs."""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_now
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import gain, placements
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import json_text
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.printed import Printed, printed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from .findings import SEEN
from .gain import GAIN, REQUEST
from .slurm_seen import of_cluster, seen

UNKNOWN = "The run failed earlier."


@dataclass(frozen=True)
class Report:
    """The report on all clusters of the run."""

    lines: Printed
    files: list[dict[str, str]]
    """The ``path``, ``content`` and ``mode`` of each file."""


@view
def report(variables: Variables) -> Report:
    hosts = {*variables["ansible_play_hosts_all"]}
    document = placements.document(
        [_cluster(host, of_cluster(host, variables)) for host in variables["groups"][fleet.CLUSTERS] if host in hosts],
        created=iso_now(),
        not_read=plain(variables.get("hyperpod_inventory_failures", [])),
    )
    path = str(variables["topology_job_json"])
    file = {"path": os.path.join(variables["hyperpod_state_dir"], path), "content": json_text(document), "mode": "0600"}
    return Report(printed(placements.lines(document)), [file] if path else [])


def _cluster(host: str, variables: Variables) -> placements.Cluster:
    return placements.Cluster(
        key=host,
        arn=str(variables["hyperpod_cluster_arn"]),
        account=str(variables["hyperpod_account_id"]),
        region=str(variables["hyperpod_region"]),
        seen=plain(variables.get(SEEN)) if host in variables["groups"].get(fleet.EKS, ()) else seen(variables),
        gain=_gain(variables),
    )


def _gain(variables: Variables) -> dict[str, t.Any] | None:
    return (plain(variables.get(GAIN)) or gain.unmeasured(UNKNOWN)) if variables.get(REQUEST) else None
