# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about settings that are allowed and that the user should know before anything is created."""

from __future__ import annotations

import datetime

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import CAPACITY_BLOCK
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import declared, observed, values
from .existing_network import existing_network, given_network
from .planned import reservations, types

SOON = 14
"""Number of days before the end of a reservation during which runs report the end."""
OF_BLOCK = "EKS removes the nodes 40 minutes before the end, and EC2 terminates their instances"
OF_RESERVATION = "The instances then run at On-Demand prices, and new instances may find no capacity"


@view
def remarks(variables: Variables) -> Findings:
    ends = reservation_ends(variables, now=datetime.datetime.now(datetime.timezone.utc))
    return [*_private(variables), *_hops(variables), *_neuron(variables), *ends]


def _neuron(variables: Variables) -> Findings:
    known = types(variables)
    groups = [each.name for each in declared(variables).groups if known[each.instance_type]["neuron_devices"]]
    return finding("training-cluster-without-plugin", groups=groups) if groups else []


def _hops(variables: Variables) -> Findings:
    groups = [each.name for each in declared(variables).groups if each.metadata_hop_limit > 1]
    return finding("training-cluster-hop-limit", groups=groups) if groups else []


def reservation_ends(variables: Variables, *, now: datetime.datetime) -> Findings:
    """Notes about reservations that end soon, so that there is time to extend them or to move the jobs."""
    found: Findings = []
    for each in {each["id"]: each for each in reservations(variables)}.values():
        end = moment_of(each["end"]) if each["end"] else None
        if end is not None and end - now <= datetime.timedelta(days=SOON):
            groups = [group.name for group in declared(variables).groups if group.reservation == each["id"]]
            what = OF_BLOCK if each["type"] == CAPACITY_BLOCK else OF_RESERVATION
            of_it = {"reservation": each["id"], "groups": groups, "end": each["end"]}
            found += finding("training-cluster-reservation-ends", **of_it, days=SOON, what=what)
    return found


def _private(variables: Variables) -> Findings:
    """A run cannot find out whether the control node will reach an API server that does not exist yet."""
    new = observed(variables).cluster is None and given_network(variables).needed
    if not new or values(variables)["public_access_cidrs"]:
        return []
    network = existing_network(variables)
    return finding("training-cluster-private", vpc=network.vpc_id, cidr=network.cidr)
