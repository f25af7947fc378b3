# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about settings that are allowed and that the user should know before anything is created."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import observed, values
from .existing_network import existing_network, given_network


@view
def remarks(variables: Variables) -> Findings:
    return [*_private(variables)]


def _private(variables: Variables) -> Findings:
    """A run cannot find out whether the control node will reach an API server that does not exist yet."""
    new = observed(variables).cluster is None and given_network(variables).needed
    if not new or values(variables)["public_access_cidrs"]:
        return []
    network = existing_network(variables)
    return finding("training-cluster-private", vpc=network.vpc_id, cidr=network.cidr)
