# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of single values of a training cluster. Each check refuses an invalid value and names its path. No I/O."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.tags import check_tags
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_ipv4_network, check_network, check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refuse_option, refuse_shown
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.access_entry.options import (
    NAMESPACE as SCOPE,
    POLICY_NAME,
    PRINCIPAL,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.addon import options as addon
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.fields import LOG_TYPES
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.ranges import cover_internet
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template import options as template
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup import options as nodegroup, table
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.options import TEXT
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.names import (
    NAMESPACE,
    NAMESPACE_ALLOWED,
    OBJECT,
    OBJECT_ALLOWED,
)

from ..iam_roles import BOUNDARY, BOUNDARY_ALLOWED
from ..structures import each_of, fields, items, one_of

_ID = "[0-9a-f]{8}|[0-9a-f]{17}"
TEXTS: t.Mapping[str, tuple[str, str]] = {
    "name": (
        "[0-9A-Za-z][A-Za-z0-9_-]{0,99}",
        "the name of an EKS cluster: at most 100 letters, digits, hyphens and underscores, with a letter or digit at the beginning",
    ),
    "version": (r"1\.[1-9][0-9]", 'a version of Kubernetes such as "1.35", in quotes'),
    "zone": (r"[a-z]{2,}(-[a-z]+)+-[0-9][a-z]", "the name of an Availability Zone such as us-west-2a"),
    "vpc": (f"vpc-({_ID})", "an ID such as vpc-0123456789abcdef0"),
    "subnet": (f"subnet-({_ID})", "an ID such as subnet-0123456789abcdef0"),
    "reservation": (f"cr-({_ID})", "an ID such as cr-0123456789abcdef0"),
    "group": (
        nodegroup.NAME,
        "the name of a node group: at most 63 letters, digits, hyphens and underscores, with a letter or digit at the beginning",
    ),
    "placement group": (rf"(?! )[ -~]{{1,{template.LONGEST_GROUP_NAME}}}(?<! )", "the name of a placement group in the Region"),
    "add-on": (addon.NAME, "the name of an add-on such as aws-fsx-csi-driver"),
    "add-on version": (f"default|latest|{addon.VERSION}", "default, latest, or a version such as v1.6.1-eksbuild.1"),
    "namespace": (NAMESPACE, NAMESPACE_ALLOWED),
    "claim": (OBJECT, OBJECT_ALLOWED),
    "boundary": (BOUNDARY, BOUNDARY_ALLOWED),
    "label": (table.LABEL, table.LABEL_ALLOWED),
}
"""The pattern of each kind of text, and a description of the texts that match."""
VPC_PREFIXES = (16, 22)
"""Shortest and longest prefix of a new VPC, which must have enough addresses for all nodes and their Pods."""
PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
EFFECTS = next(each.choices for each in table.TAINTS.parts if each.option == "effect")
RESERVED = ("kubernetes.io", "k8s.io", "eks.amazonaws.com")
FREE = ("node.kubernetes.io", "kubelet.kubernetes.io")
"""The reserved domains of Kubernetes in which a kubelet may set labels."""
OWN_TAGS = "mlfleet.hyperpod/"
ADMIN_POLICY = "AmazonEKSClusterAdminPolicy"
_KEY = re.compile(r"arn:aws[a-z-]*:kms:(?P<region>[a-z0-9-]+):[0-9]{12}:key/[0-9a-z-]+")
_SESSION = re.compile(r"arn:(?P<partition>aws[a-z-]*):sts::(?P<account>[0-9]{12}):assumed-role/(?P<role>[\w+=,.@-]+)/.*")
_NETWORKS = "ranges of your own networks, such as 203.0.113.0/24"


def check_text(option: str, given: t.Any, kind: str) -> str:
    pattern, allowed = TEXTS[kind]
    if not isinstance(given, str) or not re.fullmatch(pattern, given):
        refuse_option(option, given, allowed)
    return given


def check_texts(option: str, given: t.Any, kind: str) -> list[str]:
    found = each_of(lambda place, each: check_text(place, each, kind), option, items(option, given))
    check_unique(option, found)
    return found


def check_zone(option: str, given: t.Any, region: str = "") -> str:
    """:param region: the Region of the cluster; empty if it is not known."""
    found = check_text(option, given, "zone")
    if region and not found.startswith(region):
        refuse_option(option, given, f"Availability Zones of {region}", "it is in a different Region from the cluster")
    return found


def check_number(option: str, given: t.Any, low: int, high: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        refuse_option(option, given, f"whole numbers from {low} to {high}")
    return given


def check_flag(option: str, given: t.Any) -> bool:
    if not isinstance(given, bool):
        refuse_option(option, given, "true and false")
    return given


def check_access_networks(option: str, given: t.Any) -> list[str]:
    """Networks that reach the public endpoint of the API server."""
    found = each_of(lambda place, each: check_network(place, str(each)), option, items(option, given))
    check_unique(option, found)
    if cover_internet(found):
        refuse_option(option, given, _NETWORKS, "it opens the API server to the whole internet")
    return found


def check_vpc_network(option: str, given: t.Any) -> str:
    network = ipaddress.IPv4Network(check_ipv4_network(option, str(given)))
    shortest, longest = VPC_PREFIXES
    inside = any(network.subnet_of(ipaddress.IPv4Network(each)) for each in PRIVATE)
    if not inside or not shortest <= network.prefixlen <= longest:
        refuse_option(option, given, f"a network in {', '.join(PRIVATE)} with a prefix of {shortest} to {longest} bits")
    return str(network)


def check_principal(option: str, given: t.Any) -> str:
    """The ARN of a role or user that gets an access entry."""
    if isinstance(given, str) and PRINCIPAL.fullmatch(given):
        return given
    session = _SESSION.fullmatch(given) if isinstance(given, str) else None
    allowed, why = "the ARN of an IAM role or user such as arn:aws:iam::111111111111:role/people", ""
    if session:
        role = f"arn:{session['partition']}:iam::{session['account']}:role/{session['role']}"
        why = f"it is the ARN of a session; use the ARN of its role, {role} (with the role's path, if it has one)"
    refuse_option(option, given, allowed, why)


def check_key(option: str, given: t.Any, region: str = "") -> str:
    match = _KEY.fullmatch(given) if isinstance(given, str) else None
    if match is None:
        allowed = "the ARN of a KMS key such as arn:aws:kms:us-west-2:111111111111:key/01234567-89ab-cdef-0123-456789abcdef"
        refuse_option(option, given, allowed)
    if region and match["region"] != region:
        refuse_option(option, given, f"a KMS key in {region}", "the key must be in the Region of the cluster")
    return match[0]


def check_policy(option: str, given: t.Any) -> str:
    """The name of an access policy of EKS."""
    if not isinstance(given, str) or not POLICY_NAME.fullmatch(given):
        refuse_option(option, given, "the name of an EKS access policy, such as AmazonEKSViewPolicy")
    return given


def check_team_namespace(option: str, given: t.Any) -> str:
    """The name of a namespace in the scope of an access policy."""
    if not isinstance(given, str) or not SCOPE.fullmatch(given):
        refuse_option(option, given, "the name of a namespace, in which * matches any characters")
    return given


def check_logging(option: str, given: t.Any) -> list[str]:
    found = [one_of(option, each, LOG_TYPES) for each in items(option, given)]
    check_unique(option, found)
    return found


def check_labels(option: str, given: t.Any) -> dict[str, str]:
    if not isinstance(given, dict):
        refuse_option(option, given, "a mapping of names and values")
    return dict(made(lambda each: _label(option, *each), given.items()))


def _label(option: str, name: t.Any, value: t.Any) -> tuple[str, str]:
    return _free(option, name), check_text(path_inside(option, name), value, "label")


def path_inside(option: str, name: t.Any) -> str:
    """The path of a value whose name is untrusted."""
    return f"{option}.{printable(name)[:100]}"


def _free(option: str, name: t.Any) -> str:
    """A key that a kubelet may set."""
    found = check_label_key(option, name)
    domain = found.rpartition("/")[0]
    reserved = any(f".{domain}".endswith(f".{each}") for each in RESERVED)
    if reserved and not any(f".{domain}".endswith(f".{each}") for each in FREE):
        refuse_option(option, name, f"keys outside of the domains {', '.join(RESERVED)}, which are reserved")
    return found


def check_label_key(option: str, given: t.Any) -> str:
    if not isinstance(given, str) or len(given) > table.LONGEST_KEY or not re.fullmatch(table.KEY, given):
        refuse_option(option, given, table.KEY_ALLOWED)
    return given


def check_taints(option: str, given: t.Any, effects: t.Mapping[str, str] | None = None) -> list[dict[str, str]]:
    """
    :param effects: EKS's name of each allowed effect, keyed by the effect in the value; by default, EKS's own names.
    """
    chosen = effects or {each: each for each in EFFECTS}
    found = each_of(lambda place, each: _taint(place, each, chosen), option, items(option, given))
    check_unique(option, [f"{each['key']}:{each['effect']}" for each in found])
    return found


def _taint(option: str, given: t.Any, effects: t.Mapping[str, str]) -> dict[str, str]:
    found = fields(option, given, ("key", "value", "effect"), required=("key", "effect"))
    name, value = check_label_key(f"{option}.key", found["key"]), found.get("value")
    effect = effects[one_of(f"{option}.effect", found["effect"], tuple(effects))]
    taint = {"key": name, "effect": effect}
    return {**taint, "value": check_text(f"{option}.value", value, "label")} if value not in (None, "") else taint


def check_common_tags(option: str, given: t.Any) -> dict[str, str]:
    """Tags that EC2, EKS and FSx all accept."""
    if not isinstance(given, dict):
        refuse_option(option, given, "a mapping of names and values")
    for name, value in given.items():
        if not isinstance(value, (str, int, float)) or isinstance(value, bool):
            refuse_option(path_inside(option, name), value, "a text or a number")
    found = {str(name): str(value) for name, value in given.items()}
    check_tags(found, option=option)
    for each in (*found, *found.values()):
        if not TEXT.fullmatch(each):
            refuse_option(option, each, "letters, digits, spaces and the characters . : / = + - @ _")
    own = [name for name in found if name.startswith(OWN_TAGS)]
    if own or "Name" in found:
        allowed = f"keys other than Name and without the prefix {OWN_TAGS}"
        refuse_option(option, (own or ["Name"])[0], allowed, "the run sets this tag")
    if len(found) > template.MOST_TAGS:
        refuse_shown(option, f"a mapping with {len(found)} tags", f"at most {template.MOST_TAGS} tags")
    return found
