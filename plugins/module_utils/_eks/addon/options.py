# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired add-on from a module\'s options."""

from __future__ import annotations

import re
import typing as t

from ..._aws.tags import desired_tags
from ..._core.checks import check_unique
from ..._core.failure import refuse_option
from ..._kubernetes.eks import cluster_name
from ..common import check_role
from .configuration import Unreadable, parsed
from .model import DEFAULT, LATEST, Desired, Identity

NAME = r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}"
VERSION = r"v\d[0-9A-Za-z.+-]*"
LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
"""Names of namespaces."""
ACCOUNT = r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?"
"""Names of service accounts."""


def desired(params: t.Mapping[str, t.Any], region: str | None) -> Desired:
    """:raises Refused: for the first invalid option."""
    namespace, role = params["namespace"], params["service_account_role_arn"]
    if namespace is not None:
        check_namespace("namespace", namespace)
    return Desired(
        cluster=cluster_name(params["eks_cluster"], region),
        name=check_name(params["name"]),
        present=params["state"] == "present",
        version=check_version(params["version"]),
        upgrade=params["upgrade"],
        configuration=_configuration(params["configuration"]),
        role=role and check_role("service_account_role_arn", role),
        identities=_identities(params["pod_identity_associations"]),
        namespace=namespace,
        resolve_conflicts=params["resolve_conflicts"],
        preserve=params["preserve"],
        tags=desired_tags(params["tags"], cluster_arn=None),
        purge_tags=params["purge_tags"],
        wait_for=params["wait_for"],
    )


def check_name(name: str) -> str:
    if not re.fullmatch(NAME, name):
        refuse_option("name", name, "the name of an add-on such as amazon-sagemaker-hyperpod-taskgovernance")
    return name


def check_version(version: str) -> str:
    if version not in (DEFAULT, LATEST) and not re.fullmatch(VERSION, version):
        refuse_option("version", version, "default, latest, or a version such as v1.6.1-eksbuild.1")
    return version


def check_namespace(option: str, value: str) -> str:
    if not re.fullmatch(LABEL, value):
        refuse_option(option, value, "the name of a Kubernetes namespace, such as kube-system")
    return value


def check_account(option: str, value: str) -> str:
    if not re.fullmatch(ACCOUNT, value):
        refuse_option(option, value, "the name of a Kubernetes service account, such as aws-node")
    return value


def _configuration(given: t.Any) -> t.Any:
    if given is None:
        return None
    try:
        values = parsed(given) if isinstance(given, str) else given
    except Unreadable as error:
        refuse_option("configuration", given, "a mapping, or a mapping as JSON or YAML text", str(error))
    if not isinstance(values, dict):
        refuse_option("configuration", given, "a mapping, or a mapping as JSON or YAML text")
    return values


def _identities(given: t.Sequence[t.Mapping[str, str]] | None) -> tuple[Identity, ...] | None:
    if given is None:
        return None
    option = "pod_identity_associations"
    check_unique(f"{option}.service_account", [each["service_account"] for each in given])
    return tuple(
        sorted(
            Identity(
                check_account(f"{option}.service_account", each["service_account"]),
                check_role(f"{option}.role_arn", each["role_arn"]),
            )
            for each in given
        )
    )
