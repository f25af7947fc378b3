# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns an eksctl file into variables of the role training_cluster. Values of the file are never evaluated. No I/O.

Groups whose instance type has accelerators become GPU groups, and the one other group becomes the system group.
"""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import Part
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.fields import LOG_TYPES

from . import checks, eksctl_addons, eksctl_groups, eksctl_network, eksctl_reader
from .eksctl_reader import Values, inside

ALL_LOGS = ("*", "all")
without_effect = eksctl_reader.without_effect


def variables_of(document: t.Any, option: str, *, region: str = "") -> Values:
    """The variables that the file sets, without their prefix.

    A file that opens the API server to the internet does not set ``public_access_cidrs``. A file that does not determine the zone
    of the nodes does not set ``node_subnet_id``.

    :param option: the source of the document, for messages.
    :param region: the Region of the cluster; empty if it is not known.
    :raises Refused: for a key or value that the run does not support.
    """
    given, part = eksctl_reader.read(document, option, ""), Part()
    found: Values = {}
    for name in ("apiVersion", "kind"):
        with part:
            if document.get(name) is None:
                raise Refused(f"{option}.{name}: missing; the file must be a ClusterConfig of eksctl.", option=f"{option}.{name}")
    with part:
        found.update(_metadata(given, option, region))
    for make in (_control_plane, eksctl_addons.read_access):
        with part:
            found.update(make(given, option))
    with part:
        if "secretsEncryption" in given:
            found.update(_encryption(given, option, region))
    with part:
        found.update(_nodes(given, option, region, found.get("tags", {})))
    return {name: value for name, value in found.items() if value not in ({}, None)}


def _metadata(given: Values, option: str, region: str) -> Values:
    path, part = f"{option}.metadata", Part()
    found = inside(given, "metadata", option, "")
    values: Values = {}
    with part:
        if found.lacks("name"):
            raise Refused(f"{path}.name: missing; set it to the name of the cluster.", option=f"{path}.name")
    for name in ("name", "version"):
        with part:
            if name in found:
                values[name] = checks.check_text(f"{path}.{name}", found[name], name)
    with part:
        there = found.get("region", region)
        if region and there != region:
            refuse_option(f"{path}.region", there, region, "hyperpod_region is the Region of the cluster")
    with part:
        values["tags"] = checks.check_common_tags(f"{path}.tags", found.get("tags", {}))
    return values


def _control_plane(given: Values, option: str) -> Values:
    part, path = Part(), f"{option}.cloudWatch"
    found: list[str] = []
    for name in ("kubernetesNetworkConfig", "upgradePolicy"):
        with part:
            inside(given, name, option, "")
    with part:
        logs = inside(inside(given, "cloudWatch", option, ""), "clusterLogging", path, "cloudWatch")
        types = logs.get("enableTypes", [])
        found = list(LOG_TYPES) if {*types} & {*ALL_LOGS} else checks.check_logging(f"{path}.clusterLogging.enableTypes", types)
    return {"logging": found} if found else {}


def _encryption(given: Values, option: str, region: str) -> Values:
    found, path = inside(given, "secretsEncryption", option, ""), f"{option}.secretsEncryption.keyARN"
    return {"encryption_key_arn": checks.check_key(path, found["keyARN"], region)} if "keyARN" in found else {}


def _nodes(given: Values, option: str, region: str, tags: Values) -> Values:
    """The network, the groups, and what the cluster and its groups set together."""
    part, network = Part(), eksctl_network.read_network(given, option, region)
    found, groups = dict(network.values), []
    with part:
        groups = eksctl_groups.read_groups(given, option, network)
        found.update(eksctl_groups.variables(groups, network))
    with part:
        found["addons"] = eksctl_addons.read_addons(given, option, {name for each in groups for name in each.drivers}) or None
    with part:
        found["boundary"] = _boundary(given, option, groups)
    with part:
        found["tags"] = _tags(tags, groups)
    with part:
        found["metadata_hop_limit"] = _hop_limit(groups)
    return found


def _boundary(given: Values, option: str, groups: t.Sequence[eksctl_groups.Group]) -> str | None:
    """The one permissions boundary of all roles, in the cluster, in its groups, and in its add-ons."""
    role, path = inside(given, "iam", option, ""), f"{option}.iam.serviceRolePermissionsBoundary"
    named: list[tuple[str, ...]] = []
    if "serviceRolePermissionsBoundary" in role:
        named.append((path, role["serviceRolePermissionsBoundary"]))
    named += [each.boundary for each in groups if each.boundary]
    for place, addon in eksctl_reader.below(option, given, "addons"):
        if addon.get("permissionsBoundary"):
            named.append((f"{place}.permissionsBoundary", str(addon["permissionsBoundary"])))
    for place, arn in named:
        checks.check_text(place, arn, "boundary")
        if arn != named[0][1]:
            refuse_option(place, arn, named[0][1], "all roles of the cluster have the same permissions boundary")
    return named[0][1] if named else None


def _tags(tags: Values, groups: t.Sequence[eksctl_groups.Group]) -> Values:
    """The tags of the cluster and of its groups, which the run adds to all resources."""
    found = dict(tags)
    for group in groups:
        for name, value in group.tags.items():
            with Part():
                if found.setdefault(name, value) != value:
                    why = "all resources of the cluster have the same tags"
                    refuse_option(checks.path_inside(f"{group.path}.tags", name), value, found[name], why)
    return found


def _hop_limit(groups: t.Sequence[eksctl_groups.Group]) -> int | None:
    limits = {each.hop_limit: each for each in groups if each.hop_limit}
    if len(limits) > 1:
        path, why = f"{limits[2].path}.disablePodIMDS", "all groups have the same limit of hops to the metadata service"
        refuse_option(path, False, "true, as in another group", why)
    return next(iter(limits), None)
