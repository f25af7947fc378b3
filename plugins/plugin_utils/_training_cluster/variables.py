# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of variables. Unknown fields are refused by name. No I/O."""

from __future__ import annotations

import math
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import fields as tables
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option, refuse_shown
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre import rules
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.options import KEY, MAINTENANCE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.table import PERSISTENT_2, TABLE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins import options as device_plugins

from ..structures import each_of, fields, items, one_of
from . import checks
from .groups import FIELDS, SYSTEM, check_group, check_system

Given = t.Mapping[str, t.Any]
FEWEST_SUBNETS = 2
OF_RUN = ("subnet_id", "security_group_ids")
"""Settings of the file system that the run determines."""
STORAGE = {field.option: field for field in TABLE if field.option not in OF_RUN}
"""The fields of ``training_cluster_file_system``."""
IMAGE = (
    *("repository", "tag", "context", "containerfile", "build_args", "platform", "builder", "timeout", "scan_timeout"),
)
PLUGINS = ("nvidia", "efa")
"""The fields of ``training_cluster_device_plugin_images``."""
IMAGE_REQUIRED = ("repository", "tag", "context")
PLATFORMS, BUILDERS = ("linux/amd64", "linux/arm64"), ("auto", "docker", "podman", "buildah")
LONGEST_BUILD, LONGEST_SCAN = 39600, 86400
_KINDS: t.Mapping[str, tuple[tuple[type, ...], str]] = {
    "str": ((str, int), "a text"),
    "int": ((int,), "a whole number"),
    "bool": ((bool,), "true and false"),
}
_PART = "[a-z0-9]+([._-][a-z0-9]+)*"
_REPOSITORY = re.compile(rf"(?=.{{2,256}}\Z){_PART}(/{_PART})*")
_TAG = re.compile(r"(?!source-)[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_RELATIVE = re.compile(r"(?!/)(?!(.*/)?\.\.(/|\Z))[^\x00-\x1f]+")


def check_subnets(option: str, given: t.Any) -> None:
    """Check the subnets of the control plane."""
    if len(checks.check_texts(option, given, "subnet")) < FEWEST_SUBNETS:
        refuse_option(option, given, f"{FEWEST_SUBNETS} or more subnets in different Availability Zones")


def check_admins(option: str, given: t.Any) -> None:
    check_unique(option, each_of(checks.check_principal, option, items(option, given)))


def check_system_group(option: str, given: t.Any) -> None:
    with parts() as part:
        with part:
            fields(option, given, SYSTEM)
        with part:
            if isinstance(given, dict):
                check_system(given, lambda name: f"{option}.{name}")


def check_groups(option: str, given: t.Any) -> None:
    each_of(_group, option, items(option, given))
    check_unique(f"{option}.name", [each["name"] for each in given])


def _group(option: str, given: t.Any) -> None:
    with parts() as part:
        with part:
            fields(option, given, FIELDS)
        with part:
            if isinstance(given, dict):
                check_group(given, lambda name: f"{option}.{name}")


def check_cost(option: str, given: t.Any) -> None:
    price = float(given)
    if not math.isfinite(price) or price < 0:
        refuse_shown(option, str(given), "the highest accepted price in USD for an hour, or 0 to report the plan only")


def check_addons(option: str, given: t.Any) -> None:
    found = each_of(_addon, option, items(option, given))
    check_unique(f"{option}.name", found)


def _addon(option: str, given: t.Any) -> str:
    found = fields(option, given, ("name", "version", "configuration"), required=("name",))
    with parts() as part:
        with part:
            name = checks.check_text(f"{option}.name", found["name"], "add-on")
        with part:
            if found.get("version"):
                checks.check_text(f"{option}.version", found["version"], "add-on version")
        with part:
            configuration = found.get("configuration")
            if configuration is not None and not isinstance(configuration, dict):
                refuse_option(f"{option}.configuration", configuration, "a mapping")
    return name


def check_teams(option: str, given: t.Any) -> None:
    found = each_of(_team, option, items(option, given))
    check_unique(f"{option}.principal_arn", found)


def _team(option: str, given: t.Any) -> str:
    """A team without namespaces has its policy for the whole cluster."""
    found = fields(option, given, ("principal_arn", "policy", "namespaces"), required=("principal_arn", "policy"))
    names = found.get("namespaces")
    with parts() as part:
        with part:
            principal = checks.check_principal(f"{option}.principal_arn", found["principal_arn"])
        with part:
            policy = checks.check_policy(f"{option}.policy", found["policy"])
            if policy == checks.ADMIN_POLICY and names is None:
                why = "it makes the team an administrator of the cluster"
                refuse_option(f"{option}.policy", policy, "another policy, or the principal in training_cluster_admins", why)
        with part:
            if names is not None:
                _check_namespaces(f"{option}.namespaces", names)
    return principal


def _check_namespaces(option: str, given: t.Any) -> None:
    if not items(option, given):
        refuse_option(option, given, "at least one namespace, or no field namespaces for the whole cluster")
    check_unique(option, each_of(checks.check_team_namespace, option, given))


def check_file_system(option: str, given: t.Any) -> None:
    """Check the settings by themselves. The module ``fsx_lustre_file_system`` compares them with the existing file system."""
    found = fields(option, given, tuple(STORAGE), required=("storage_capacity",))
    values = {name: value for name, value in found.items() if value is not None}
    with parts() as part:
        for name, value in values.items():
            with part:
                _check_setting(f"{option}.{name}", name, value)
    settings = {"deployment_type": PERSISTENT_2, **tables.desired(tuple(STORAGE.values()), values, within=option)}
    with parts() as part:
        for name, needs in _needs(settings):
            with part:
                if name not in settings:
                    raise Refused(f"{option}.{name}: missing; {needs} requires it.", option=f"{option}.{name}")
        with part:
            try:
                rules.check(settings, asked=values)
            except Refused as error:
                raise Refused(f"{option}.{error}", option=f"{option}.{error.option}") from None


def _check_setting(option: str, name: str, value: t.Any) -> None:
    field = STORAGE[name]
    types, allowed = _KINDS[field.type]
    if not isinstance(value, types) or (isinstance(value, bool) and field.type != "bool"):
        refuse_option(option, value, allowed)
    if field.choices and value not in field.choices:
        refuse_option(option, value, field.allowed)
    if name == "kms_key_id" and not KEY.fullmatch(str(value)):
        refuse_option(option, value, "the ID or ARN of a KMS key")
    if name == "weekly_maintenance" and not MAINTENANCE.fullmatch(str(value)):
        refuse_option(option, value, "day, hour and minute such as 7:09:00, with 1 for Monday and 7 for Sunday")


def _needs(settings: Given) -> t.Iterator[tuple[str, str]]:
    """Each field that another setting requires, and this other setting."""
    kind = settings["deployment_type"]
    if rules.THROUGHPUTS[kind]:
        yield "per_unit_throughput", f"deployment_type {kind}"
    if settings.get("efa"):
        yield "metadata_iops", "efa"


def check_plugin_images(option: str, given: t.Any) -> None:
    """Check the images of device plugins, which are options of the module ``device_plugins``."""
    found = fields(option, given, PLUGINS)
    with parts() as part:
        for name, image in found.items():
            with part:
                if not isinstance(image, str):
                    refuse_option(f"{option}.{name}", image, "an image with a tag or a digest")
                device_plugins.check_image(f"{option}.{name}", image)


def check_image(option: str, given: t.Any) -> None:
    """Check the fields, which are options of the module ``training_image``."""
    found = fields(option, given, IMAGE, required=IMAGE_REQUIRED)
    with parts() as part:
        for name, pattern, allowed in (
            ("repository", _REPOSITORY, "the name of a repository of ECR, such as training/llama"),
            ("tag", _TAG, "a tag such as v1: at most 128 letters, digits and characters _ . -, not with the prefix source-"),
            ("context", re.compile(r"/[^\x00-\x1f]*"), "the absolute path of a folder"),
            ("containerfile", _RELATIVE, "the path of a file in the folder context, relative to the folder"),
        ):
            with part:
                value = found.get(name)
                if value is not None and (not isinstance(value, str) or not pattern.fullmatch(value)):
                    refuse_option(f"{option}.{name}", value, allowed)
        for name, choices in (("platform", PLATFORMS), ("builder", BUILDERS)):
            with part:
                if name in found:
                    one_of(f"{option}.{name}", found[name], choices)
        for name, low, high in (("timeout", 1, LONGEST_BUILD), ("scan_timeout", 0, LONGEST_SCAN)):
            with part:
                if name in found:
                    checks.check_number(f"{option}.{name}", found[name], low, high)
        with part:
            arguments = found.get("build_args", {})
            if not isinstance(arguments, dict) or not all(isinstance(each, (str, int, float)) for each in arguments.values()):
                refuse_option(f"{option}.build_args", arguments, "a mapping of names and texts")
