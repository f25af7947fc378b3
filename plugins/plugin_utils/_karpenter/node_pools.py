# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``NodePool``: which nodes Karpenter may add, how many nodes it may add, and when it removes nodes."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.checks import check_unique
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option, refuse_shown
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made, parts
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.duration import NEVER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.model import ARCH
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.labels import TYPE, ZONE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import structures

from . import checks, node_classes

VERSION, KIND = "karpenter.sh/v1", "NodePool"
KNOWN = (
    *("name", "node_class", "requirements", "limits", "labels", "taints", "startup_taints", "weight", "expire_after"),
    *("disruption", "state"),
)
KEYS = (TYPE, ZONE, ARCH)
"""Keys of requirements that HyperPod supports. Source: HyperPod's guide."""
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
POLICIES = ("WhenEmpty", "WhenEmptyOrUnderutilized")
REASONS = ("Empty", "Drifted", "Underutilized")
MOST_REQUIREMENTS, MOST_BUDGETS, MOST_LABELS = 100, 50, 100
_RESERVED = ("karpenter.sh/nodepool", "kubernetes.io/hostname")
_OWN_DOMAIN, _OF_PEOPLE = "karpenter.sh", "karpenter.sh/capacity-type"
_EVERY = ("annually", "yearly", "monthly", "weekly", "daily", "midnight", "hourly")
_SCHEDULE = re.compile(rf"@({'|'.join(_EVERY)})|(\S+ ){{4}}\S+")
_WINDOW = re.compile(r"[0-9]+[hm]|[0-9]+h[0-9]+m")
"""A duration for cron schedules. Seconds are not supported."""
ANY = {"key": TYPE, "operator": "Exists"}
PROFILES: t.Mapping[str, t.Mapping[str, t.Any]] = {
    "inference": {
        "expire_after": "720h",
        "consolidation_policy": "WhenEmptyOrUnderutilized",
        "consolidate_after": "2m",
        "budgets": [{"nodes": "10%"}],
    },
    "training": {
        "expire_after": NEVER,
        "consolidation_policy": "WhenEmpty",
        "consolidate_after": "10m",
        "budgets": [{"nodes": "100%", "reasons": ["Empty"]}, {"nodes": "0", "reasons": ["Drifted", "Underutilized"]}],
    },
}
"""With ``inference``, Karpenter may consolidate Pods onto fewer nodes, a few nodes at a time. With ``training``, it never removes a
node in use."""


def node_pools(option: str, given: t.Any) -> list[dict[str, t.Any]]:
    """The objects, each with ``state`` and ``definition``.

    :raises Refused: for the first invalid value.
    """
    found = structures.each_of(_node_pool, option, structures.items(option, given))
    check_unique(f"{option}.name", [each["definition"]["metadata"]["name"] for each in found])
    return found


def _node_pool(option: str, given: t.Any) -> dict[str, t.Any]:
    found = structures.fields(option, given, KNOWN, required=("name",))
    with parts() as part:
        with part:
            name = checks.name_of(f"{option}.name", found["name"])
        with part:
            state = structures.one_of(f"{option}.state", found.get("state", "present"), structures.STATES)
        with part:
            spec = {} if found.get("state") == "absent" else _spec(option, found)
    definition: dict[str, t.Any] = {"apiVersion": VERSION, "kind": KIND, "metadata": {"name": name}}
    if state == "present":
        definition["spec"] = spec
    return {"state": state, "definition": definition}


def _spec(option: str, found: structures.Given) -> dict[str, t.Any]:
    template: dict[str, t.Any] = {}
    spec: dict[str, t.Any] = {"template": {"spec": template}}
    with parts() as part:
        with part:
            template["nodeClassRef"] = _class_of(f"{option}.node_class", found)
        with part:
            template["requirements"] = _requirements(f"{option}.requirements", found.get("requirements") or [ANY])
        with part:
            spec["disruption"] = _disruption(f"{option}.disruption", found.get("disruption", "inference"))
            template["expireAfter"] = spec["disruption"].pop("expire_after")
        for name, field in (("taints", "taints"), ("startup_taints", "startupTaints")):
            with part:
                if name in found:
                    template[field] = checks.taints(f"{option}.{name}", found[name])
        with part:
            if found.get("labels", {}) != {}:  # an empty mapping is omitted: the API server treats labels as one field
                spec["template"]["metadata"] = {"labels": _labels(f"{option}.labels", found["labels"])}
        for name, check in (("limits", checks.amounts), ("weight", _weight)):
            with part:
                if name in found:
                    spec[name] = check(f"{option}.{name}", found[name])
        with part:
            if "expire_after" in found:
                template["expireAfter"] = checks.duration(f"{option}.expire_after", found["expire_after"])
    return spec


def _class_of(option: str, found: structures.Given) -> dict[str, str]:
    if "node_class" not in found:
        raise Refused(f"{option}: missing; it must be the name of a NodeClass.", option=option)
    name = checks.name_of(option, found["node_class"])
    return {"group": node_classes.VERSION.partition("/")[0], "kind": node_classes.KIND, "name": name}


def _weight(option: str, given: t.Any) -> int:
    return structures.number(option, given, 1, 100)


def _labels(option: str, given: t.Any) -> dict[str, str]:
    """Check the rules of Karpenter for labels that are not part of the NodePool's schema."""
    found = checks.labels(option, given)
    if len(found) > MOST_LABELS:
        refuse_shown(option, f"a mapping with {len(found)} labels", f"at most {MOST_LABELS} labels")
    made(lambda each: _check_free(f"{option}.{each}", each), found)
    return found


def _check_free(option: str, key: str) -> None:
    own = key.partition("/")[0].endswith(_OWN_DOMAIN) and key != _OF_PEOPLE
    if own or key in _RESERVED:
        refuse_option(option, key, "keys other than Karpenter's own and kubernetes.io/hostname")


def _requirements(option: str, given: t.Any) -> list[dict[str, t.Any]]:
    return structures.each_of(_requirement, option, structures.items(option, given, MOST_REQUIREMENTS))


def _requirement(option: str, given: t.Any) -> dict[str, t.Any]:
    found = structures.fields(option, given, ("key", "operator", "values"), required=("key", "operator"))
    with parts() as part:
        with part:
            key = structures.one_of(f"{option}.key", found["key"], KEYS)
        with part:
            operator = structures.one_of(f"{option}.operator", found["operator"], OPERATORS)
        with part:
            values = structures.items(f"{option}.values", found.get("values", []))
    if operator in ("Exists", "DoesNotExist"):
        if values:
            refuse_option(f"{option}.values", values, f"no values with operator {operator}")
        return {"key": key, "operator": operator}
    if not values:
        raise Refused(f"{option}.values: missing; operator {operator} requires at least one value.", option=f"{option}.values")
    made(lambda each: _check_value(f"{option}.values", key, each), values)
    return {"key": key, "operator": operator, "values": list(values)}


def _check_value(option: str, key: str, value: t.Any) -> None:
    if not isinstance(value, str):
        refuse_option(option, value, "texts")
    if key == TYPE and not value.startswith("ml."):
        refuse_option(option, value, "HyperPod instance types such as ml.g5.8xlarge")
    if key == ZONE and not re.fullmatch(r"[a-z]{2}(-[a-z]+)+-\d[a-z]", value):
        refuse_option(option, value, "names of Availability Zones such as us-west-2a")
    if key == ARCH and value != "amd64":
        refuse_option(option, value, "amd64")


def _disruption(option: str, given: t.Any) -> dict[str, t.Any]:
    """Karpenter's ``disruption``, and the profile's ``expire_after``."""
    if isinstance(given, str):
        given = {"profile": given}
    found = structures.fields(option, given, ("profile", "consolidation_policy", "consolidate_after", "budgets"))
    profile = PROFILES[structures.one_of(f"{option}.profile", found.get("profile", "inference"), tuple(PROFILES))]
    wanted = {**profile, **found}
    disruption: dict[str, t.Any] = {"expire_after": wanted["expire_after"]}
    with parts() as part:
        with part:
            policy = structures.one_of(f"{option}.consolidation_policy", wanted["consolidation_policy"], POLICIES)
            disruption["consolidationPolicy"] = policy
        with part:
            disruption["consolidateAfter"] = checks.duration(f"{option}.consolidate_after", wanted["consolidate_after"])
        with part:
            disruption["budgets"] = _budgets(f"{option}.budgets", wanted["budgets"])
    return disruption


def _budgets(option: str, given: t.Any) -> list[dict[str, t.Any]]:
    found = structures.items(option, given, MOST_BUDGETS)
    if not found:
        refuse_shown(option, "an empty list", "at least one budget", "Karpenter would replace it with a budget of 10 %")
    return structures.each_of(_budget, option, found)


def _budget(option: str, given: t.Any) -> dict[str, t.Any]:
    found = structures.fields(option, given, ("nodes", "reasons", "schedule", "duration"), required=("nodes",))
    budget = {**found, "nodes": str(found["nodes"])}
    with parts() as part:
        with part:
            if not re.fullmatch(r"(100|[0-9]{1,2})%|[0-9]+", budget["nodes"]):
                refuse_option(f"{option}.nodes", found["nodes"], "a number or a share such as 10%")
        with part:
            if "reasons" in found:
                budget["reasons"] = _reasons(f"{option}.reasons", found["reasons"])
        with part:
            if ("schedule" in found) != ("duration" in found):
                raise Refused(f"{option}: schedule and duration must be set together.", option=option)
        with part:
            if "duration" in found and not _WINDOW.fullmatch(str(found["duration"])):
                refuse_option(f"{option}.duration", found["duration"], "hours and minutes such as 8h, 30m or 1h30m")
        with part:
            if "schedule" in found and not _SCHEDULE.fullmatch(str(found["schedule"])):
                allowed = f"a cron schedule with five fields, in UTC, or one of @{', @'.join(_EVERY)}"
                refuse_option(f"{option}.schedule", found["schedule"], allowed)
    return budget


def _reasons(option: str, given: t.Any) -> list[str]:
    found = made(lambda each: structures.one_of(option, each, REASONS), structures.items(option, given))
    if not found:
        refuse_shown(option, "an empty list", f"at least one of {', '.join(REASONS)}", "the budget would have no effect")
    check_unique(option, found)
    return found
