# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of an EKS cluster, as a table. Requests, comparison and the reading of replies are derived from it.

EKS accepts one kind of change in each call, so the table groups the settings that change together.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

Answer = t.Mapping[str, t.Any]
Values = t.Mapping[str, t.Any]
"""Values by option name. Lists are sorted tuples, because their order has no meaning."""
Parameters = dict[str, t.Any]
LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")
MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")
"""The authentication modes, in the only order in which EKS changes them."""
STANDARD, EXTENDED = "STANDARD", "EXTENDED"
IMMUTABLE = ""
"""The kind of settings that EKS cannot change."""
ENDPOINT, NETWORK, ENCRYPTION = "endpoint", "network", "encryption"
KINDS = ("access", "support", NETWORK, ENDPOINT, "logging", ENCRYPTION, "protection")
"""The kinds of changes in the order in which they are made."""


def _one_key(key: str) -> list[Parameters]:
    """The configuration that encrypts Secrets, the only resource that EKS supports here."""
    return [{"resources": ["secrets"], "provider": {"keyArn": key}}]


def _key(configuration: t.Sequence[Answer]) -> str:
    return next((str((each.get("provider") or {}).get("keyArn") or "") for each in configuration), "")


def _log_setup(types: t.Sequence[str]) -> list[Parameters]:
    """Both lists, because EKS does not change log types that a request leaves out."""
    off = [each for each in LOG_TYPES if each not in types]
    return [{"types": kinds, "enabled": enabled} for kinds, enabled in ((list(types), True), (off, False)) if kinds]


def _logs(setup: t.Iterable[Answer]) -> list[str]:
    return [each for part in setup if part.get("enabled") for each in part.get("types") or ()]


def _plain(value: t.Any) -> t.Any:
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Field:
    option: str
    path: tuple[str, ...]
    """AWS's names, from the outermost structure to the setting."""
    kind: str = IMMUTABLE
    new: t.Any = None
    """The value that the module sends for a new cluster if the option is omitted; None for EKS's default."""
    absent: t.Any = None
    """The value if the reply does not contain the setting; None if it is then unknown."""
    reads: t.Callable[[t.Any], t.Any] = _plain
    writes: t.Callable[[t.Any], t.Any] = _plain

    def read(self, answer: Answer) -> t.Any:
        found: t.Any = answer
        for name in self.path:
            found = (found or {}).get(name)
        if found is None:
            return self.absent
        value = self.reads(found)
        return tuple(sorted(value)) if isinstance(value, list) else value

    def write(self, value: t.Any) -> Parameters:
        found = self.writes(value)
        for name in reversed(self.path):
            found = {name: found}
        return t.cast(Parameters, found)


_VPC, _ACCESS = "resourcesVpcConfig", "accessConfig"
PUBLIC = Field("endpoint_public_access", (_VPC, "endpointPublicAccess"), ENDPOINT)
PRIVATE = Field("endpoint_private_access", (_VPC, "endpointPrivateAccess"), ENDPOINT)
CIDRS = Field("public_access_cidrs", (_VPC, "publicAccessCidrs"), ENDPOINT, absent=())
MODE = Field("authentication_mode", (_ACCESS, "authenticationMode"), "access", new="API")
CREATOR = Field("bootstrap_creator_admin", (_ACCESS, "bootstrapClusterCreatorAdminPermissions"), new=False)
SUPPORT = Field("support_type", ("upgradePolicy", "supportType"), "support", new=STANDARD)
KEY = Field("encryption_key_arn", ("encryptionConfig",), ENCRYPTION, absent="", reads=_key, writes=_one_key)
PROTECTION = Field("deletion_protection", ("deletionProtection",), "protection", absent=False)
CIDR_OF_SERVICES = Field("service_ipv4_cidr", ("kubernetesNetworkConfig", "serviceIpv4Cidr"))
SELF_MANAGED = Field("bootstrap_self_managed_addons", ("bootstrapSelfManagedAddons",), new=False)
"""EKS never returns this setting."""
TABLE: tuple[Field, ...] = (
    Field("role_arn", ("roleArn",)),
    CIDR_OF_SERVICES,
    CREATOR,
    SELF_MANAGED,
    MODE,
    SUPPORT,
    Field("subnet_ids", (_VPC, "subnetIds"), NETWORK, absent=()),
    Field("security_group_ids", (_VPC, "securityGroupIds"), NETWORK, absent=()),
    PUBLIC,
    PRIVATE,
    CIDRS,
    Field("logging", ("logging", "clusterLogging"), "logging", absent=(), reads=_logs, writes=_log_setup),
    KEY,
    PROTECTION,
)


def observed(answer: Answer) -> dict[str, t.Any]:
    """The settings in a reply of DescribeCluster. Without public access there are no ranges, whatever EKS returns."""
    found = {field.option: field.read(answer) for field in TABLE}
    return found if found[PUBLIC.option] is not False else {**found, CIDRS.option: ()}


def given(params: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """The options that the user has set."""
    values = ((field.option, params[field.option]) for field in TABLE)
    return {option: tuple(sorted(value)) if isinstance(value, list) else value for option, value in values if value is not None}


def of_new(want: Values) -> dict[str, t.Any]:
    """The settings to send for a new cluster."""
    defaults = {field.option: field.new for field in TABLE if field.new is not None}
    return {**defaults, **want}


def different(have: Values, want: Values) -> tuple[Field, ...]:
    """The fields whose desired value differs. A value that EKS does not return counts as equal if EKS cannot change it."""
    return tuple(
        field
        for field in TABLE
        if field.option in want
        and want[field.option] != have.get(field.option)
        and (field.kind != IMMUTABLE or have.get(field.option) is not None)
    )


def request(fields: t.Iterable[Field], values: Values) -> Parameters:
    """The request parameters that set these fields. Empty lists and texts are left out of requests for new clusters."""
    joined: Parameters = {}
    for field in fields:
        _join(joined, field.write(values[field.option]))
    return joined


def _join(into: Parameters, more: Answer) -> None:
    for name, value in more.items():
        if isinstance(value, dict) and name in into:
            _join(into[name], value)
        else:
            into[name] = value
