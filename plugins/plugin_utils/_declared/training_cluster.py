# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role training_cluster, checked before any request."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.files import read_object
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import checks, variables as objects
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import SYSTEM as SYSTEM_GROUP
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.eksctl import variables_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from . import limits
from .variables import Known

Given = t.Mapping[str, t.Any]
"""Values, keyed by variable without the prefix. Empty values are left out."""
PREFIX = "training_cluster_"
FILE, ADMINS, TEAMS = f"{PREFIX}eksctl_file", f"{PREFIX}admins", f"{PREFIX}teams"
REMOVE_GROUPS, SYSTEM = f"{PREFIX}remove_groups", f"{PREFIX}system"
NUMBERS = {
    f"{PREFIX}metadata_hop_limit": (1, 2),
    f"{PREFIX}drain_timeout": (0, 86400),
    f"{PREFIX}wait_timeout": (1, 86400),
}
EXISTING, NEW = ("vpc_id", "subnet_ids", "node_subnet_id"), ("vpc_cidr", "zone")
"""Variables for an existing network and for a new one."""
LONGEST_TEMPLATE = 128
"""The maximum length of the name of a launch template."""
_EMPTY: tuple[t.Any, ...] = (None, "", [], {})


def _texts(kind: str) -> t.Callable[[str, t.Any], t.Any]:
    return lambda option, given: checks.check_text(option, given, kind)


CHECKS: t.Mapping[str, t.Callable[[str, t.Any], t.Any]] = {
    "name": _texts("name"),
    "version": _texts("version"),
    "vpc_id": _texts("vpc"),
    "subnet_ids": objects.check_subnets,
    "node_subnet_id": _texts("subnet"),
    "vpc_cidr": checks.check_vpc_network,
    "public_access_cidrs": checks.check_access_networks,
    "admins": objects.check_admins,
    "teams": objects.check_teams,
    "system": objects.check_system_group,
    "groups": objects.check_groups,
    "remove_groups": lambda option, given: checks.check_texts(option, given, "group"),
    "addons": objects.check_addons,
    "device_plugin_images": objects.check_plugin_images,
    "file_system": objects.check_file_system,
    "namespace": _texts("namespace"),
    "claim": _texts("claim"),
    "image": objects.check_image,
    "logging": checks.check_logging,
    "boundary": _texts("boundary"),
    "tags": checks.check_common_tags,
    "accept_cost": objects.check_cost,
    "accept_unknown_prices": check_unique,
}
"""The checks of single variables. Each one raises ``Refused``."""
LISTS = ("subnet_ids", "public_access_cidrs", "admins", "logging", "accept_unknown_prices")
"""Lists of texts, for which Ansible also accepts one text with commas."""


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    """Problems of the variables, of the eksctl file, and of both together."""
    given = {
        name[len(PREFIX) :]: _listed(name[len(PREFIX) :], value)
        for name, value in values.items()
        if name.startswith(PREFIX) and value not in _EMPTY
    }
    region = _region(known)
    problems = limits.range_problems(values, NUMBERS, known)
    for name, check in CHECKS.items():
        if name in given:
            problems += refusals(check, f"{PREFIX}{name}", given[name])
    problems += refusals(_check_places, given, region)
    from_file, of_file = _of_file(str(given.get("eksctl_file") or ""), region)
    problems += of_file
    problems += _both(given, from_file)
    has_system = "system" in from_file or values.get(SYSTEM, True) not in _EMPTY
    problems += _removed_groups({**from_file, **given}, has_system=has_system)
    return [*problems, *_together({**from_file, **given}, complete=not of_file)]


def _listed(name: str, value: t.Any) -> t.Any:
    return [each.strip() for each in value.split(",")] if name in LISTS and isinstance(value, str) else value


def _region(known: Known) -> str:
    """The Region of the cluster; empty if it is not known here."""
    try:
        return str(plain(known["hyperpod_region"]) or "") if "hyperpod_region" in known else ""
    except AnsibleError:
        return ""


def _of_file(path: str, region: str) -> tuple[dict[str, t.Any], list[str]]:
    """The variables that the file sets, and its problems. With problems, there are no variables."""
    if not path:
        return {}, []
    found: dict[str, t.Any] = {}

    def read() -> None:
        found.update(variables_of(read_object(FILE, path), FILE, region=region))

    problems = refusals(read)
    return {} if problems else found, problems


def _both(given: Given, from_file: Given) -> t.Iterator[str]:
    """Variables that the file also sets. The name may be in both, because it selects the host."""
    for name in sorted(given.keys() & from_file.keys()):
        if name == "name" and given[name] == from_file[name]:
            continue
        option, why = f"{PREFIX}{name}", f"{FILE} also sets it"
        if name == "name":
            yield not_allowed(option, given[name], f"{from_file[name]}, the name in the file", why)
        else:
            yield not_allowed(option, given[name], "no value, or an eksctl file without it", why)


def _check_places(given: Given, region: str) -> None:
    """Check the values that depend on the Region."""
    if "zone" in given:
        checks.check_zone(f"{PREFIX}zone", given["zone"], region)
    if "encryption_key_arn" in given:
        checks.check_key(f"{PREFIX}encryption_key_arn", given["encryption_key_arn"], region)


def _together(given: Given, *, complete: bool) -> t.Iterator[str]:
    """Problems of several variables.

    :param complete: whether ``given`` has the variables of the eksctl file, if there is one.
    """
    if complete and "eksctl_file" in given and "name" not in given:
        yield f"{PREFIX}name: missing; set it to the name of the EKS cluster."
    yield from _names(given)
    yield from _confirmation(given)
    yield from _network(given, complete=complete)
    yield from _storage(given)
    yield from _access(given)
    present = given.get("state", "present") == "present"
    if complete and present and "eksctl_file" in given and "public_access_cidrs" not in given:
        yield (
            f"{PREFIX}public_access_cidrs: missing; the eksctl file opens the API server to the whole internet. Set this variable "
            "to ranges of your own networks, or vpc.clusterEndpoints.publicAccess to false in the file."
        )


def _names(given: Given) -> t.Iterator[str]:
    """Problems of names of groups."""
    cluster, groups = str(given.get("name", "")), given.get("groups")
    for place, group in enumerate(groups if isinstance(groups, list) else ()):
        name = str(group.get("name", "")) if isinstance(group, dict) else ""
        option = f"{PREFIX}groups[{place}].name"
        if name == SYSTEM_GROUP:
            yield not_allowed(option, name, "another name", f"{PREFIX}system is the group with this name")
        if len(cluster) + len(name) + 1 > LONGEST_TEMPLATE:
            most = LONGEST_TEMPLATE - len(cluster) - 1
            yield not_allowed(option, name, f"at most {most} characters", f"the launch template is called {cluster}.{name}")


def _removed_groups(given: Given, *, has_system: bool) -> t.Iterator[str]:
    """The refusal of groups that the run would remove although they are declared.

    :param has_system: whether the system group is declared, which it is by default.
    """
    groups, listed = given.get("groups"), given.get("remove_groups")
    declared = {SYSTEM_GROUP: SYSTEM} if has_system else {}
    for group in groups if isinstance(groups, list) else ():
        declared.update({str(group.get("name")): f"{PREFIX}groups"} if isinstance(group, dict) else {})
    for place, name in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(name, str) and name in declared:
            allowed = "a node group that is no longer declared"
            yield not_allowed(f"{REMOVE_GROUPS}[{place}]", name, allowed, f"{declared[name]} declares it")


def _confirmation(given: Given) -> t.Iterator[str]:
    option, confirm, name = f"{PREFIX}confirm", given.get("confirm"), given.get("name", "")
    if given.get("state", "present") == "present":
        if confirm:
            yield not_allowed(option, confirm, f"no value with {PREFIX}state=present")
    elif not confirm:
        yield f"{option}: missing; set it to the name of the cluster that the run removes with all its nodes."
    elif confirm != name:
        yield not_allowed(option, confirm, f"{name or 'the name of the cluster'}, the value of {PREFIX}name")


def _network(given: Given, *, complete: bool) -> t.Iterator[str]:
    there = [name for name in EXISTING if name in given]
    if there == ["node_subnet_id"]:
        return  # for new nodes in a cluster of someone else, whose VPC is known
    if there:
        needs = ", ".join(f"{PREFIX}{each}" for each in EXISTING)
        for name in EXISTING if complete else ():
            if name not in given:
                yield f"{PREFIX}{name}: missing; {PREFIX}{there[0]} selects an existing VPC, which requires {needs}."
        for name in NEW:
            if name in given:
                yield not_allowed(f"{PREFIX}{name}", given[name], "no value", f"{PREFIX}{there[0]} selects an existing VPC")
    groups = given.get("groups") if not there else None
    for place, group in enumerate(groups if isinstance(groups, list) else ()):
        if isinstance(group, dict) and group.get("subnet_id"):
            why = "the run creates the subnet of the nodes"
            yield not_allowed(f"{PREFIX}groups[{place}].subnet_id", group["subnet_id"], f"no value without {PREFIX}vpc_id", why)


def _storage(given: Given) -> t.Iterator[str]:
    for name, other in (("claim", "namespace"), ("namespace", "claim")):
        if name in given and "file_system" not in given:
            yield not_allowed(f"{PREFIX}{name}", given[name], f"no value without {PREFIX}file_system")
        elif name not in given and other in given:
            yield f"{PREFIX}{name}: missing; set it with {PREFIX}{other}."
    system = given.get("file_system")
    if isinstance(system, dict) and system.get("efa"):
        why = "its security group would need other rules than a run creates"
        yield not_allowed(f"{PREFIX}file_system.efa", system["efa"], "false", why)


def _access(given: Given) -> t.Iterator[str]:
    """A principal has one access entry, so it can't be an administrator and a team."""
    admins, teams = given.get("admins", []), given.get("teams", [])
    for place, team in enumerate(teams if isinstance(teams, list) else ()):
        principal = team.get("principal_arn") if isinstance(team, dict) else None
        if principal and principal in admins:
            yield not_allowed(f"{TEAMS}[{place}].principal_arn", principal, f"a principal that is not in {ADMINS}")
