# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that users set, checked against the argument specs of roles before any role runs."""

from __future__ import annotations

import functools
import typing as t
from pathlib import Path

import yaml
from ansible.errors import AnsibleError
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declared_people
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.shared_users import BadUsersFile

from . import people
from .shapes import Spec, fits, shape_problem

Known = t.Mapping[str, t.Any]
"""Variables of a cluster's inventory host, without the defaults of roles."""
ROLES = Path(__file__).resolve().parents[3] / "roles"
SET_BY = {
    "access_report_operations_user": "hyperpod_operations_user",
    "access_report_shared_home_roots": "accounts_shared_home_roots",
    "access_report_users": "hyperpod_users",
    "access_report_users_files": "hyperpod_users_files",
    "accounts_file_system": "hyperpod_file_system",
    "accounts_groups": "hyperpod_groups",
    "accounts_operations_user": "hyperpod_operations_user",
    "accounts_source": "hyperpod_accounts_source",
    "accounts_users": "hyperpod_users",
    "accounts_users_files": "hyperpod_users_files",
    "adoption_from": "adopt_from",
    "adoption_host_keys": "adopt_host_keys",
    "adoption_mode": "login_access_mode",
    "client_vpn_profile_client": "vpn_client",
    "client_vpn_profile_people": "vpn_people",
    "client_vpn_profile_random_host_prefix": "vpn_random_host_prefix",
    "client_vpn_purge_secrets": "purge_secrets",
    "client_vpn_recreate": "vpn_recreate",
    "client_vpn_revoke": "vpn_revoke",
    "client_vpn_urgent": "vpn_urgent",
    "client_vpn_users": "hyperpod_users",
    "client_vpn_users_files": "hyperpod_users_files",
    "drain_operations_user": "hyperpod_operations_user",
    "full_look_minutes": "hyperpod_full_look_minutes",
    "host_keys_aliases": "login_nodes_aliases",
    "host_keys_confirm_timeout": "login_nodes_confirm_timeout",
    "host_keys_people_port": "hyperpod_people_port",
    "host_keys_rotation": "rotation",
    "host_keys_rotation_confirm": "rotation_confirm",
    "host_keys_rotation_force": "rotation_force",
    "host_keys_rotation_minimum_days": "rotation_min_days",
    "host_keys_ssh_port": "login_nodes_ssh_port",
    "login_balancer_adopt_load_balancer": "adopt_load_balancer",
    "login_balancer_adopt_target_group": "adopt_target_group",
    "login_balancer_gate_port": "hyperpod_gate_port",
    "login_balancer_people_port": "hyperpod_people_port",
    "login_nodes_accounts_source": "hyperpod_accounts_source",
    "login_nodes_gate_port": "hyperpod_gate_port",
    "login_nodes_operations_user": "hyperpod_operations_user",
    "login_nodes_people_port": "hyperpod_people_port",
    "login_nodes_users": "hyperpod_users",
    "login_nodes_users_files": "hyperpod_users_files",
    "node_access_operations_user": "hyperpod_operations_user",
    "node_access_scope": "hyperpod_scope",
    "offboarding_accounts_source": "hyperpod_accounts_source",
    "offboarding_home": "offboard_home",
    "offboarding_hooks": "offboard_hooks",
    "offboarding_jobs": "offboard_jobs",
    "offboarding_name": "offboard_name",
    "offboarding_operations_user": "hyperpod_operations_user",
    "offboarding_reason": "offboard_reason",
    "offboarding_shared_keys": "offboard_shared_keys",
    "offboarding_uid": "offboard_uid",
    "offboarding_users": "hyperpod_users",
    "offboarding_users_files": "hyperpod_users_files",
    "records_forget_confirm": "forget_confirm",
    "records_forget_nodes": "forget_nodes",
    "records_forget_reason": "forget_reason",
    "records_readmit_name": "readmit_name",
    "records_readmit_reason": "readmit_reason",
    "records_unlock_confirm": "unlock_confirm",
    "records_unlock_running": "unlock_running",
    "run_operations_public_key": "hyperpod_operations_public_key",
    "run_skip_locked": "hyperpod_skip_locked",
    "task_governance_teams": "hyperpod_teams",
}
"""The public variable for a variable of a role."""
PEOPLE = {"accounts_users": people.USERS, "accounts_groups": people.GROUPS, "client_vpn_users": people.USERS}
EMPTY: t.Mapping[str, t.Callable[[], t.Any]] = {
    "str": str, "path": str, "int": int, "float": float, "bool": bool,
    "list": list, "dict": dict, "raw": list,
}
"""The empty value of each option type."""
SECRETS = ("client_vpn_authority", "host_keys_vaulted")
"""Private keys from vaults, evaluated only by the tasks that need them."""


def of_people(variables: t.Mapping[str, t.Any]) -> Known:
    """Variables of the current host, without the defaults of roles."""
    known: Known = variables["hostvars"][variables["inventory_hostname"]]
    return known


def choices(role: str, variable: str) -> list[str]:
    """The choices in the variable's argument spec."""
    return list(_options(role)[variable]["choices"])


def set_by(variable: str, known: Known) -> str:
    """The public variable if only that is set; otherwise the role's own variable, which a play may pass to the role."""
    public = SET_BY.get(variable, variable)
    return public if public in known and variable not in known else variable


def problems(known: Known, roles: t.Sequence[str]) -> list[str]:
    """The problems that Ansible would report for the variables of these roles, with the public names."""
    found: dict[str, list[str]] = {}
    for role in roles:
        for variable, spec in _options(role).items():
            name = set_by(variable, known)
            if name in known and name not in found and variable not in SECRETS:
                found[name] = _problems(known, variable, name, spec)
    names = {each: set_by(f"accounts_{each}", known) for each in people.FORMS} if "accounts" in roles else {}
    if any(found.get(name) for name in names.values()):
        found = {"": _all_of_people(known, names), **{name: found[name] for name in found if name not in names.values()}}
    return [sentence for sentences in found.values() for sentence in sentences]


def right_values(known: Known, role: str) -> dict[str, t.Any]:
    """The user's values for a role's variables. Values that have a wrong type or can't be evaluated here are omitted."""
    set_here = {variable: set_by(variable, known) for variable in _options(role) if variable not in SECRETS}
    values = {variable: _value(known, name) for variable, name in set_here.items() if name in known}
    return {name: value for name, value in values.items() if value is not None and fits(value, _options(role)[name])}


def default_values(role: str) -> dict[str, t.Any]:
    """The defaults in the argument spec. Options whose defaults depend on other variables have empty values."""
    return {name: spec.get("default", EMPTY[spec["type"]]()) for name, spec in _options(role).items()}


def _problems(known: Known, variable: str, name: str, spec: Spec) -> list[str]:
    value = _value(known, name)
    if variable in PEOPLE:
        return people.shape_problems(name, value, PEOPLE[variable])
    sentence = shape_problem(name, value, spec)
    return [sentence] if sentence else []


def _value(known: Known, name: str) -> t.Any:
    """The value, or None if it can't be evaluated here because it needs values of the role. The role then checks it later."""
    try:
        return declared_people.plain(known[name])
    except AnsibleError:
        return None


def _all_of_people(known: Known, names: t.Mapping[str, str]) -> list[str]:
    """All problems of users and groups, for the case that one of the variables is invalid."""
    options = {each: _value(known, name) for each, name in names.items() if name in known}
    listing = set_by("accounts_users_files", known)
    files = _value(known, listing) or [] if listing in known else []
    if isinstance(options.get("users"), list):
        try:
            options["users"] = declared_people.declared(options["users"], files)
        except BadUsersFile:
            pass  # reported when the entries are valid
    return people.account_problems(options, names)


@functools.cache
def _options(role: str) -> dict[str, Spec]:
    """The options of all entry points of a role. The first entry point with an option determines the option's type."""
    with (ROLES / role / "meta/argument_specs.yml").open(encoding="utf-8") as stream:
        entries = yaml.load(stream, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))["argument_specs"]
    options: dict[str, Spec] = {}
    for entry in entries.values():
        options = {**entry.get("options", {}), **options}
    return options
