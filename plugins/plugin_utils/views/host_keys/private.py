# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private keys, and the secrets that contain them.

A task uses these views only in its arguments, so that private keys never become facts. The task sets the content of a secret as a
task variable. Ansible evaluates the variable, and so reads the secret, only if a view needs it.
"""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import host_key_rotation
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .declared import VAULTED
from .node import node, of_cluster

CONTENT = "__host_keys_content"
"""The name of the task variable with the content of a secret."""


@dataclass(frozen=True)
class Secrets:
    """Secrets of the node's cluster. Their names come from the cluster's inventory host, never from variables of the node."""

    shared: str
    authority: str
    region: str
    profile: str | None
    authority_unknown: bool
    """Whether the CA does not exist yet, because check mode only predicts it."""
    next_unknown: bool
    """Whether the next host keys do not exist yet, because check mode only predicts the rotation."""


@view
def secrets(variables: Variables) -> Secrets:
    cluster, run = variables["hostvars"][node(variables).cluster_host], of_cluster(variables)
    return Secrets(
        shared=run["host_key_secret"],
        authority=run["host_ca_secret"],
        region=cluster["hyperpod_region"],
        profile=cluster.get("hyperpod_profile"),
        authority_unknown=run.get("host_ca") == KNOWN_AFTER_APPLY,
        next_unknown=KNOWN_AFTER_APPLY in run["next_host_keys"],
    )


@view
def pairs(variables: Variables) -> dict[str, t.Any]:
    """The pairs of private and public keys, keyed by type."""
    return plain(variables[VAULTED]) or _pairs_of(variables, of_cluster(variables)["host_keys"])


@view
def next_pairs(variables: Variables) -> dict[str, t.Any]:
    """The pairs of announced host keys, keyed by type. If none are announced, no secret is read."""
    public_keys = of_cluster(variables)["next_host_keys"]
    return _pairs_of(variables, public_keys) if public_keys else {}


@view
def authority_key(variables: Variables) -> str:
    """The private key of the CA."""
    return json.loads(variables[CONTENT])["keys"]["ed25519"]["private"]


def _pairs_of(variables: Variables, public_keys: t.Iterable[str]) -> dict[str, t.Any]:
    return host_key_rotation.pairs_of(json.loads(variables[CONTENT]), public_keys)
