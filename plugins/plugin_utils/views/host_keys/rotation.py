# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The public host keys of a cluster and their rotation, on the cluster's inventory host."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import answers, host_key_rotation
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.host_keys import RENEW_DAYS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, of_texts

from .. import Variables, view
from .declared import ROTATION
from .node import certificates_of, login_nodes

LOGINS = "__host_keys_logins_seen"
"""The name of the fact with the logins that were read from a node."""


@dataclass(frozen=True)
class Published:
    """The public host keys, as ``host_key_secret`` returned them."""

    host_keys: list[str]
    """In check mode, keys that would be created are unknown, so nodes are compared with the host keys before the change."""
    next_host_keys: list[str]
    next_host_key_types: list[str]


@view
def published(variables: Variables) -> Published:
    secret = plain(variables["__host_keys_secret"])
    current, following = secret["host_keys"], secret["next_host_keys"]
    known = [each for each in current if each["public_key"] != KNOWN_AFTER_APPLY]
    return Published(
        host_keys=[each["public_key"] for each in known or secret["previous_host_keys"] or current],
        next_host_keys=[each["public_key"] for each in following],
        next_host_key_types=[each["type"] for each in following],
    )


@dataclass(frozen=True)
class Rotation:
    announced: Findings
    locked_out: Findings
    """The finding about users who can't connect until they install the new known_hosts."""


@view
def rotation(variables: Variables) -> Rotation:
    state, step = plain(variables["hyperpod_run"]["rotation"]), variables[ROTATION]
    rolled_back = step == "rollback" and variables["__host_keys_secret"].get("changed") and state["previous"]
    says = "rollback-locks-out" if rolled_back else "emergency-locks-out"
    locked_out = finding(says, users=variables["hyperpod_run"]["user_names"]) if rolled_back or step == "emergency" else []
    return Rotation(_announced(state), locked_out)


@view
def logins(variables: Variables) -> dict[str, t.Any]:
    """The logins that the current login node returned. Malformed data is an error of this node only."""
    return answers.checked(plain(variables["__host_keys_logins"].get("login_info")), answers.LOGIN_INFO)


@view
def learned(variables: Variables) -> Findings:
    """Findings about users who have not logged in since the new host keys were announced."""
    run = variables["hyperpod_run"]
    said = {node["hyperpod_instance_id"]: node.get(LOGINS) for node in login_nodes(variables)}
    texts = host_key_rotation.absent_people(
        run["user_names"],
        since=run["rotation"]["current"]["created"],
        logins={instance_id: plain(info) for instance_id, info in said.items() if info is not None},
        nodes=_login_ids(variables),
    )
    return [each.to_result() for each in of_texts("new-host-keys-not-learned", None, texts)]


@view
def ends(variables: Variables) -> list[dict[str, t.Any]]:
    """Deadlines for the next full look. Each is ``days`` before ``until``, or after it if ``days`` is negative.

    Certificates must be renewed before they expire, and a rotation can be finished some days after the announcement.
    """
    days = int(variables[RENEW_DAYS])
    made = [each for node in login_nodes(variables) for each in certificates_of(node.get("__host_keys_signed"))]
    certificates = dict.fromkeys(each["valid_until"] for each in made if each["valid_until"])
    return [*({"until": until, "days": days} for until in certificates), *_of_rotation(variables)]


@view
def settling(variables: Variables) -> bool:
    """Whether every login node presents the new host keys, so clients no longer need to trust the previous ones."""
    run = variables["hyperpod_run"]
    state, people = run.get("rotation"), "people" in run.get("parts", ["people"])  # without this part the run only reads
    if not isinstance(state, t.Mapping) or state["settled"] or not people or variables["ansible_check_mode"]:
        return False
    return set(_login_ids(variables)) <= set(run["verified_nodes"])


def _login_ids(variables: Variables) -> list[str]:
    """Instance IDs of all login nodes, whatever their state."""
    listed = variables["__host_keys_addresses"]["nodes"]
    return [each["instance_id"] for each in listed if each["node_type"] == "login"]


def _announced(state: t.Mapping[str, t.Any]) -> Findings:
    current, following = state["current"], state["next"]
    if not following:
        return []
    return finding("host-keys-announced", next=following["generation"], since=following["created"], current=current["generation"])


def _of_rotation(variables: Variables) -> list[dict[str, t.Any]]:
    following = (variables["hyperpod_run"].get("rotation") or {}).get("next")
    if not following:
        return []
    return [{"until": following["created"], "days": -int(variables["host_keys_rotation_minimum_days"])}]
