# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Add-ons and access entries in an eksctl file. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import Part, made, parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.options import POLICY_ARN
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon.configuration import Unreadable, parsed

from . import checks
from .eksctl_reader import Values, below, inside, read

POLICIES: t.Mapping[str, tuple[str, ...]] = {
    "amazon-cloudwatch-observability": ("CloudWatchAgentServerPolicy", "CloudWatchFullAccess", "CloudWatchFullAccessV2"),
    "aws-ebs-csi-driver": ("AmazonEBSCSIDriverPolicy", "AmazonEBSCSIDriverPolicyV2"),
    "aws-efs-csi-driver": ("AmazonEFSCSIDriverPolicy",),
    "aws-fsx-csi-driver": ("AmazonFSxFullAccess",),
    "vpc-cni": ("AmazonEKS_CNI_Policy",),
}
"""AWS's policies that a file may name for an add-on, because the run creates a role with the required permissions anyway."""
WELL_KNOWN = {"ebsCSIController": "aws-ebs-csi-driver", "efsCSIController": "aws-efs-csi-driver"}
DRIVERS = {"ebs": "aws-ebs-csi-driver", "efs": "aws-efs-csi-driver", "fsx": "aws-fsx-csi-driver"}
"""The CSI driver for each permission of nodes in eksctl. The run gives the permission to the driver instead of the nodes."""
DEFAULT_ADDONS = ("coredns", "kube-proxy", "vpc-cni")
_OF_AWS = "::aws:policy/"


def read_addons(document: Values, option: str, wanted: t.Collection[str]) -> list[Values]:
    """
    :param wanted: permissions of ``DRIVERS`` that groups have.
    :raises Refused: for an add-on with unsupported settings.
    """
    part = Part()
    found: list[Values] = []
    with part:
        found = made(lambda each: _addon(*each), below(option, document, "addons"))
        check_unique(f"{option}.addons.name", [each["name"] for each in found])
        _check_defaults(document, option, found)
    listed = [each["name"] for each in found]
    drivers = sorted({DRIVERS[each] for each in wanted}.difference(listed))
    return [*found, *({"name": each} for each in drivers)]


def _addon(path: str, given: Values) -> Values:
    values = read(given, path, "addons")
    name = str(values.get("name", "")).lower()
    found: Values = {"name": name}
    with parts() as part:
        with part:
            if values.lacks("name"):
                raise Refused(f"{path}.name: missing.", option=f"{path}.name")
        with part:
            if name:
                checks.check_text(f"{path}.name", values["name"], "add-on")
        with part:
            if "version" in values:
                found["version"] = checks.check_text(f"{path}.version", values["version"], "add-on version")
        with part:
            if "configurationValues" in values:
                found["configuration"] = _configuration(f"{path}.configurationValues", values["configurationValues"])
        with part:
            _check_policies(values, path, name)
    return found


def _configuration(option: str, given: str) -> Values:
    try:
        found = parsed(given)
    except Unreadable as error:
        refuse_option(option, given, "an object as JSON or YAML text", str(error))
    if not isinstance(found, dict):
        refuse_option(option, given, "an object as JSON or YAML text")
    return found


def _check_policies(values: Values, path: str, name: str) -> None:
    """Accept only permissions that the run gives the add-on in any case."""
    known = POLICIES.get(name, ())
    for policy, on in inside(values, "wellKnownPolicies", path, "addons").items():
        if on and WELL_KNOWN[policy] != name:
            refuse_option(f"{path}.wellKnownPolicies.{policy}", True, "false", f"these are the permissions of {WELL_KNOWN[policy]}")
    for arn in values.get("attachPolicyARNs", []):
        if _OF_AWS not in arn or arn.rpartition("/")[2] not in known:
            allowed = f"AWS's policies {', '.join(known)}" if known else "no value"
            why = "the run creates the role of this add-on" if known else "the run creates no role for this add-on"
            refuse_option(f"{path}.attachPolicyARNs", arn, allowed, why)


def _check_defaults(document: Values, option: str, found: t.Sequence[Values]) -> None:
    """A cluster without eksctl's default add-ons is accepted only if the file lists them itself."""
    settings = inside(document, "addonsConfig", option, "")
    missing = [each for each in DEFAULT_ADDONS if each not in [addon["name"] for addon in found]]
    if settings.get("disableDefaultAddons") and missing:
        allowed = f"false, or true with {', '.join(missing)} in addons"
        refuse_option(f"{option}.addonsConfig.disableDefaultAddons", True, allowed, "the run always installs these add-ons")


def read_access(document: Values, option: str) -> Values:
    """The administrators and teams of the access entries.

    :raises Refused: for an entry that a variable cannot describe.
    """
    path = f"{option}.accessConfig"
    entries = inside(document, "accessConfig", option, "")
    found = made(lambda each: _entry(*each), below(path, entries, "accessEntries"))
    check_unique(f"{path}.accessEntries.principalARN", [each["principal_arn"] for each in found])
    admins = [each["principal_arn"] for each in found if _is_admin(each)]
    teams = [each for each in found if not _is_admin(each)]
    return {**({"admins": admins} if admins else {}), **({"teams": teams} if teams else {})}


def _is_admin(entry: Values) -> bool:
    return entry["policy"] == checks.ADMIN_POLICY and not entry.get("namespaces")


def _entry(path: str, given: Values) -> Values:
    values = read(given, path, "accessConfig.accessEntries")
    kind, policies = values.get("type", "STANDARD"), below(path, values, "accessPolicies")
    with parts() as part:
        with part:
            principal = checks.check_principal(f"{path}.principalARN", values.get("principalARN", ""))
        with part:
            if kind != "STANDARD":
                refuse_option(f"{path}.type", kind, "STANDARD", "EKS creates the entries of nodes itself")
        with part:
            if len(policies) != 1:
                shown = [each.get("policyARN") for _place, each in policies]
                refuse_option(f"{path}.accessPolicies", shown, "one policy", "the run supports one policy for each principal")
            policy = _policy(*policies[0])
    return {"principal_arn": principal, **policy}


def _policy(path: str, given: Values) -> Values:
    place = "accessConfig.accessEntries.accessPolicies"
    values = read(given, path, place)
    arn, option = values.get("policyARN", ""), f"{path}.accessScope"
    with parts() as part:
        with part:
            if not POLICY_ARN.fullmatch(arn):
                refuse_option(f"{path}.policyARN", arn, "the ARN of an EKS access policy")
        with part:
            scope = inside(values, "accessScope", path, place)
            kind = scope.get("type")
            if kind not in ("cluster", "namespace"):
                refuse_option(f"{option}.type", kind, "cluster, namespace")
            names = [checks.check_team_namespace(f"{option}.namespaces", each) for each in scope.get("namespaces", [])]
            if (kind == "namespace") != bool(names):
                refuse_option(f"{option}.namespaces", names, "namespaces with type namespace, and no value with type cluster")
    return {"policy": arn.rpartition("/")[2], **({"namespaces": names} if names else {})}
