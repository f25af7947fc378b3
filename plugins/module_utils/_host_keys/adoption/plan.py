# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Puts host keys that the login nodes share already into the cluster's secret, in place of generated keys."""

from __future__ import annotations

from ..._core.failure import Refused
from ..._core.plan import Plan
from ..secret.model import HostKeys
from ..secret.plan import CREATE, plan_present
from .contents import fingerprints
from .model import Desired


def plan(desired: Desired, state: HostKeys) -> Plan:
    """The plan for a secret with exactly these keys, and for the parameter with the public keys.

    :raises Refused: for a secret with different keys, because clients would then get unknown host keys.
    """
    if state.keys is not None and state.keys != desired.keys:
        raise Refused(
            f"Secret {desired.secret.secret_name} contains different keys ({fingerprints(state.keys)}) from the keys that the "
            f"login nodes present ({fingerprints(desired.keys)}). Delete the secret to keep the nodes' keys, or set "
            "adopt_host_keys to false to use the secret's keys."
        )
    return plan_present(desired.secret, state, keys=desired.keys)


def needs_private_keys(desired: Desired, planned: Plan) -> bool:
    """Whether the caller must first read the private keys from the node."""
    return desired.text is None and CREATE in [step.operation for step in planned.steps]
