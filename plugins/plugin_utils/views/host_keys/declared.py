# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values from the role's variables only."""

from __future__ import annotations

from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.host_keys import NUMBERS, RENEW_DAYS, VALID_DAYS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.variables import Known, set_by
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from .. import Variables, view

ROTATION, VAULTED = "host_keys_rotation", "host_keys_vaulted"


@view
def certified(variables: Variables) -> bool:
    """Whether each login node has its own host keys, signed by the cluster's CA. Otherwise, all login nodes share host keys."""
    return bool(variables["host_keys_identity"] == "certificates")


@dataclass(frozen=True)
class Declared:
    """Refusals, with a field for each step of the validation. After a refusal in one step, the next steps are meaningless."""

    out_of_range: Findings
    not_for_certificates: Findings
    """Refusals of individual options that apply to shared host keys only."""
    refusals: Findings


@view
def declared(variables: Variables) -> Declared:
    known = variables["hostvars"][variables["inventory_hostname"]]
    return Declared(
        out_of_range=refused(limits.range_problems(variables, NUMBERS, known)),
        not_for_certificates=_not_for_certificates(variables, known),
        refusals=_of_certificates(variables) or _of_vaulted(variables, known) or _of_emergency(variables, known),
    )


@dataclass(frozen=True)
class Shared:
    """Options for the shared host keys, without None values."""

    secret_name: str | None
    """The name of the secret. None for keys from a vault, because then no secret is created or read."""
    public_keys: list[str] | None
    """The public host keys, if they come from a vault; otherwise None."""
    rotation: str | None


@view
def shared(variables: Variables) -> Shared:
    vaulted = variables[VAULTED]
    return Shared(
        secret_name=None if vaulted else variables["host_keys_secret"],
        public_keys=[pair["public"] for pair in vaulted.values()] if vaulted else None,
        rotation=variables[ROTATION] or None,
    )


def _not_for_certificates(variables: Variables, known: Known) -> Findings:
    if not certified(variables):
        return []
    given = [name for name in (VAULTED, ROTATION) if variables[name]]
    return [each for name in given for each in finding("shared-keys-with-certificates", option=set_by(name, known))]


def _of_certificates(variables: Variables) -> Findings:
    renew, valid = variables[RENEW_DAYS], variables[VALID_DAYS]
    if not certified(variables) or int(renew) < int(valid):
        return []
    return finding("certificate-renew-days", days=renew, valid=valid)


def _of_vaulted(variables: Variables, known: Known) -> Findings:
    step = plain(variables[ROTATION])
    if not step or not variables[VAULTED]:
        return []
    return finding("rotation-of-vaulted-keys", option=set_by(ROTATION, known), rotation=step)


def _of_emergency(variables: Variables, known: Known) -> Findings:
    if variables[ROTATION] != "emergency" or boolean(variables["host_keys_rotation_confirm"], strict=False):
        return []
    cluster, users = variables["hyperpod_cluster_key"], variables["hyperpod_run"]["user_names"]
    return finding("emergency-unconfirmed", option=set_by(ROTATION, known), cluster=cluster, users=users)
