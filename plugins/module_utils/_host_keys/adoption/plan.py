# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Host keys that the login nodes share already: into the secret of the cluster, instead of new ones."""

from __future__ import annotations

from ..._core.failure import Refused
from ..._core.plan import Plan
from ..secret.model import HostKeys
from ..secret.plan import CREATE, plan_present
from .contents import fingerprints
from .model import Desired


def plan(desired: Desired, state: HostKeys) -> Plan:
    """A secret with exactly these keys, and their public half published.

    :raises Refused: for a secret with other keys: clients would get unknown host keys.
    """
    if state.keys is not None and state.keys != desired.keys:
        raise Refused(
            f"Secret {desired.secret.secret_name} exists and holds other keys ({fingerprints(state.keys)}) than the login "
            f"nodes present ({fingerprints(desired.keys)}); delete it to keep the nodes' keys, or set adopt_host_keys to "
            "false to keep the secret's."
        )
    return plan_present(desired.secret, state, keys=desired.keys)


def needs_private_keys(desired: Desired, planned: Plan) -> bool:
    """Whether the private keys must first be read from the node."""
    return desired.text is None and CREATE in [step.operation for step in planned.steps]
