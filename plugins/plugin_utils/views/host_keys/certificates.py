# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host certificates for the current host's own host keys."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

from .. import Variables, view
from .node import certificates_of, of_cluster
from .private import secrets

HOST_OF_LINE = re.compile(r"^\S+ ")
LONGEST, SHORTENED = 45, 37
"""Maximum characters of a host key in a refusal, and the length that a longer key is cut to."""


@dataclass(frozen=True)
class Own:
    """Host keys of the declared types that the node returned, with their principals."""

    public_keys: list[str]
    certificates: list[str]
    principals: list[str]
    refusals: Findings
    """Refusals of host keys that are not in the node's trust record. Such keys are not signed."""


@view
def own(variables: Variables) -> Own:
    own_keys, types = plain(variables["__host_keys_own"]["host_keys"]), plain(variables["host_keys_types"])
    public_keys = [each["public_key"] for each in own_keys if each["type"] in types]
    return Own(
        public_keys=public_keys,
        certificates=[each["certificate"] for each in own_keys if each.get("certificate")],
        principals=_principals(variables),
        refusals=_untrusted(variables, public_keys),
    )


@dataclass(frozen=True)
class Signed:
    host_keys: list[str]
    certificates: dict[str, str]
    """The host certificates, keyed by type; unknown while the CA is unknown."""


@view
def signed(variables: Variables) -> Signed:
    if secrets(variables).authority_unknown:
        certificates = dict.fromkeys(plain(variables["host_keys_types"]), KNOWN_AFTER_APPLY)
    else:
        made = certificates_of(variables.get("__host_keys_signed"))
        certificates = {each["type"]: each["certificate"] for each in made}
    return Signed(own(variables).public_keys, certificates)


def _principals(variables: Variables) -> list[str]:
    names = [
        of_cluster(variables).get("login_name"),
        *given_names(plain(variables["host_keys_aliases"])),
        variables.get("hyperpod_private_ip"),
        variables["hyperpod_instance_id"],
        variables["hyperpod_host_key_alias"],
    ]
    return list(dict.fromkeys(name for name in names if name and name != KNOWN_AFTER_APPLY))


def _untrusted(variables: Variables, public_keys: t.Iterable[str]) -> Findings:
    instance_id = variables["hyperpod_instance_id"]
    recorded = (of_cluster(variables).get("node_host_keys") or {}).get(instance_id) or []
    trusted = {HOST_OF_LINE.sub("", line) for line in recorded}
    found = list(dict.fromkeys(line for line in public_keys if line not in trusted))
    return finding("host-keys-not-trusted", node=instance_id, keys=list(map(_brief, found))) if found else []


def _brief(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[:SHORTENED].rsplit(' ', 1)[0]}..."
